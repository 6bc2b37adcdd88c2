// Nodes check in at two servers of one PostgreSQL while one request of a hundred is cut, and either server or PostgreSQL is killed at random:
// what was acknowledged is there, once, and memory is bounded. CULPRIT_KILLS_SECONDS and CULPRIT_KILLS_NODES make it longer and larger.
import { spawn, type ChildProcess } from "node:child_process";
import { setMaxListeners } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { manifestDigest, splitTold, type Snapshot } from "../../packages/core/src/index.ts";
import { sha256 } from "../../packages/fleet/src/store/facts.ts";
import { openPostgres } from "../../packages/fleet/src/store/sql.ts";
import { caseSnapshot } from "./cases.ts";
import { needs } from "../needs.ts";
import { noPostgres, startPostgres } from "./postgres.ts";

const seconds = Number(process.env["CULPRIT_KILLS_SECONDS"] ?? 25);
const amount = Number(process.env["CULPRIT_KILLS_NODES"] ?? 200);
/** So many a second, all nodes together: a node of five thousand comes every minute and a half. */
const rate = 60;
const mostMemory = 1500;

interface Server {
  address: string;
  process?: ChildProcess;
}

const freePort = async (): Promise<number> =>
  new Promise((found) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => found(port));
    });
  });

test(
  "nothing that was acknowledged is lost or counted twice, and memory is bounded",
  { timeout: 1_800_000, ...needs(noPostgres) },
  async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "culprit-kills-"));
    const postgres = await startPostgres();
    const url = await postgres.fresh();
    const servers: Server[] = (await Promise.all([freePort(), freePort()])).map((port) => ({ address: `http://127.0.0.1:${port}` }));
    const start = async (one: Server) => {
      one.process = spawn(
        process.execPath,
        ["packages/fleet/bin/culprit-fleet.mjs", "serve", "--port", new URL(one.address).port, "--data", folder, "--workers", "1"],
        { env: { ...process.env, DATABASE_URL: url }, stdio: "ignore" },
      );
      for (let tries = 0; tries < 300; tries++) {
        if (
          await fetch(`${one.address}/healthz`).then(
            ({ ok }) => ok,
            () => false,
          )
        )
          return;
        await later(100);
      }
      throw new Error("the server did not start");
    };
    const kill = async (one: Server) => {
      expectAlive(one);
      const gone = new Promise((done) => one.process!.once("exit", done));
      one.process!.kill("SIGKILL");
      await gone;
    };
    onTestFinished(async () => {
      for (const one of servers) one.process?.kill("SIGKILL");
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    for (const one of servers) await start(one);
    const any = () => servers[Math.floor(Math.random() * servers.length)]!;
    const token = readFileSync(`${folder}/admin-token`, "utf8").trim();

    // Four stacks that differ in one file.
    const base = caseSnapshot("cupy-13-and-nvrtc-wheel");
    const stacks = [0, 1, 2, 3].map((index) => {
      const text = `/opt/${index}\n`;
      const files: Snapshot["files"] = { ...base.files, "/etc/ld.so.conf.d/which.conf": { kind: "file", size: text.length, text } };
      return splitTold({ ...base, files }, sha256);
    });

    const over = new AbortController();
    setMaxListeners(0, over.signal);
    /** What each node was told is stored, in order; and all that it ever sent. */
    const acknowledged = new Map<string, string[]>();
    const attempted = new Map<string, Set<string>>();
    const failed = new Map<string, number>();
    const post = async (at: string, body: string): Promise<{ state: string; lacking?: string[] }> => {
      // A timeout is a whole number: one that is not is refused before anything is sent.
      const cut = Math.random() < 0.01 ? AbortSignal.timeout(Math.ceil(Math.random() * 20)) : AbortSignal.timeout(10_000);
      const response = await fetch(`${any().address}${at}`, {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${token}` },
        signal: cut,
      });
      if (!response.ok) throw new Error(String(response.status));
      return (await response.json()) as { state: string; lacking?: string[] };
    };
    const checkIn = async (name: string, which: number) => {
      const { stack, texts, own } = stacks[which]!;
      const manifest = { stack, own, group: "g", digest: manifestDigest(stack, own, "g", sha256), taken: new Date().toISOString() };
      attempted.set(name, (attempted.get(name) ?? new Set()).add(stack));
      const at = `/api/v1/nodes/${name}`;
      let { state, lacking = [] } = await post(at, JSON.stringify({ digest: manifest.digest, taken: manifest.taken }));
      if (state === "unknown") ({ state, lacking = [] } = await post(at, JSON.stringify({ ...manifest, facts: [...texts.keys()] })));
      if (0 < lacking.length) {
        await post(`${at}/facts`, lacking.map((each) => texts.get(each)!).join("\n"));
        ({ state } = await post(at, JSON.stringify({ ...manifest, facts: [...texts.keys()] })));
      }
      const isAcknowledged = state === "stored" || state === "unchanged";
      if (isAcknowledged) acknowledged.set(name, [...(acknowledged.get(name) ?? []), stack]);
      return isAcknowledged;
    };
    // What was tried since and not acknowledged may have been stored all the same.
    const since = new Map<string, string[]>();
    const nodes = Array.from({ length: amount }, (_, index) => `node-${index}`);
    const pause = (2000 * amount) / rate;
    const pushing = nodes.map(async (name) => {
      await later(Math.random() * pause, undefined, { signal: over.signal }).catch(() => {});
      while (!over.signal.aborted) {
        const which = Math.floor(Math.random() * stacks.length);
        since.set(name, [...(since.get(name) ?? []), stacks[which]!.stack]);
        await checkIn(name, which).then(
          (isAcknowledged) => isAcknowledged && since.set(name, []),
          (error: Error) => failed.set(error.message, (failed.get(error.message) ?? 0) + 1),
        );
        await later(Math.random() * pause, undefined, { signal: over.signal }).catch(() => {});
      }
    });
    const end = Date.now() + seconds * 1000;
    let [kills, memory] = [0, 0];
    while (Date.now() < end) {
      for (const until = Date.now() + 1000 + Math.random() * 8000; Date.now() < Math.min(until, end);) {
        await later(250);
        memory = Math.max(memory, ...servers.map(memoryOf));
      }
      kills += 1;
      if (Math.random() < 0.5) {
        const one = any();
        await kill(one);
        await start(one);
      } else {
        await postgres.kill();
        await postgres.start();
      }
    }
    over.abort();
    await Promise.all(pushing);

    const store = await openPostgres(url);
    const kept = new Map(
      (await store.rows<{ name: string; stack: string }>("select name, encode(stack, 'hex') as stack from node")).map(({ name, stack }) => [
        name,
        stack,
      ]),
    );
    for (const [name, said] of acknowledged)
      expect([name, [said.at(-1), ...since.get(name)!]]).toEqual([name, expect.arrayContaining([kept.get(name)]) as string[]]);
    expect([...kept.keys()].filter((name) => !attempted.has(name))).toEqual([]);
    expect(acknowledged.size).toBeGreaterThan(0);
    // A change is written down once: no two in a row are the same.
    const changes = await store.rows<{ node: number; stack: string }>(
      "select node, encode(stack, 'hex') as stack from change order by node, at",
    );
    expect(changes.filter((each, index) => changes[index - 1]?.node === each.node && changes[index - 1]?.stack === each.stack)).toEqual([]);
    // And all is judged in the end, by whoever is left, though those who had taken a job died.
    await store.rows("update job set until = now() - interval '1 second'");
    for (let tries = 0; tries < 600 && (await store.one("select 1 as yes from job")) !== undefined; tries++) await later(200);
    expect((await store.one<{ amount: number }>("select count(*) as amount from verdict"))!.amount).toBe(
      (await store.one<{ amount: number }>("select count(*) as amount from stack"))!.amount,
    );
    for (const one of servers) expectAlive(one);
    expect(failed.get("The operation was aborted due to timeout")).toBeGreaterThan(0);
    expect(
      [...failed.keys()].filter((reason) => !/^(?:The operation was aborted due to timeout|fetch failed|503|terminated)$/.test(reason)),
    ).toEqual([]);
    expect(memory).toBeGreaterThan(0);
    expect(memory).toBeLessThan(mostMemory);
    const told = [...acknowledged.values()].reduce((sum, each) => sum + each.length, 0);
    console.log(
      `${amount} nodes, ${seconds} s: ${told} acknowledged, cut or failed: ${JSON.stringify(Object.fromEntries(failed))}, ${kills} kills, ${kept.size} nodes and ${changes.length} changes kept, ${memory.toFixed(0)} MB at most`,
    );
    await store.end();
  },
);

/** It outlives the database: whoever is not there any more went by itself. */
function expectAlive({ process }: Server) {
  expect([process!.exitCode, process!.signalCode]).toEqual([null, null]);
}

/** In megabytes; 0 where it is just gone. */
function memoryOf({ process }: Server): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process!.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
