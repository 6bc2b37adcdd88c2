// The embedded database belongs to one process, which is killed at random while nodes push: what was acknowledged is there after that, once.
// CULPRIT_KILLS_SECONDS makes it longer.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { manifestDigest, splitTold, type Split } from "../../packages/core/src/index.ts";
import { clientOf } from "../../packages/fleet/src/client.ts";
import { sha256 } from "../../packages/fleet/src/store/facts.ts";
import { caseSnapshot } from "./cases.ts";

const seconds = Number(process.env["CULPRIT_KILLS_SECONDS"] ?? 25);
const data = mkdtempSync(path.join(os.tmpdir(), "culprit-embedded-"));
let server: ChildProcess;
let address = "";

async function start(): Promise<void> {
  server = spawn(process.execPath, ["packages/fleet/bin/culprit-fleet.mjs", "serve", "--port", "0", "--data", data, "--workers", "1"], {
    env: { ...process.env, DATABASE_URL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  address = await new Promise<string>((listening, failed) => {
    server.stdout!.on("data", (piece) => {
      said += piece;
      const found = /listens on (\S+)/.exec(said)?.[1];
      if (found !== undefined) listening(found);
    });
    server.once("exit", (code) => failed(new Error(`the server ended with ${code}: ${said}`)));
  });
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((done) => server.once("exit", done));
  server.kill(signal);
  await gone;
}

afterAll(async () => {
  await end("SIGTERM");
  rmSync(data, { recursive: true, force: true });
});

const base = caseSnapshot("alpine-program-on-debian");
const stacks = Array.from({ length: 8 }, (_, index): Split => {
  const text = `/opt/kept/${index}\n`;
  return splitTold({ ...base, files: { ...base.files, "/etc/ld.so.conf.d/kept.conf": { kind: "file", size: text.length, text } } }, sha256);
});
const any = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;

test("nothing that was acknowledged is lost or written down twice", { timeout: (seconds + 180) * 1000 }, async () => {
  await start();
  const token = readFileSync(`${data}/admin-token`, "utf8").trim();
  const post = async (at: string, body: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${address}${at}`, { method: "POST", headers, body, signal: AbortSignal.timeout(8000) });
    if (!response.ok) throw new Error(String(response.status));
    return (await response.json()) as { state: string; lacking?: string[] };
  };
  /** What a node may have: what was acknowledged last, and what was tried since and not acknowledged. */
  const possible = new Map<string, string[]>();
  const known = new Set<string>();
  let acknowledged = 0;
  const push = async (name: string, { stack, texts, own }: Split) => {
    const manifest = { stack, own, group: "g", digest: manifestDigest(stack, own, "g", sha256), taken: new Date().toISOString() };
    possible.set(name, [...(possible.get(name) ?? []), stack]);
    const whole = JSON.stringify({ ...manifest, facts: [...texts.keys()] });
    let { state, lacking = [] } = await post(`/api/v1/nodes/${name}`, whole);
    if (0 < lacking.length) {
      await post(`/api/v1/nodes/${name}/facts`, lacking.map((each) => texts.get(each)!).join("\n"));
      ({ state, lacking = [] } = await post(`/api/v1/nodes/${name}`, whole));
    }
    if (state !== "stored") return;
    acknowledged += 1;
    known.add(name);
    possible.set(name, [stack]);
  };
  const until = Date.now() + seconds * 1000;
  const pushing = [0, 1, 2, 3].map(async (mine) => {
    while (Date.now() < until) await push(`n${mine}-${any([0, 1, 2, 3, 4, 5])}`, any(stacks)).catch(async () => later(200));
  });
  let kills = 0;
  for (; Date.now() < until; kills++) {
    await later(2000 + Math.random() * 4000);
    await end("SIGKILL");
    await start();
  }
  await Promise.all(pushing);
  expect(kills).toBeGreaterThan(1);
  expect(acknowledged).toBeGreaterThan(10);
  const client = clientOf(address, token);
  let { nodes } = await client.nodes();
  const names = nodes.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect([...known].filter((name) => !names.includes(name))).toEqual([]);
  for (const { name, stack } of nodes) expect(possible.get(name)).toContain(stack);
  for (const { name } of nodes) {
    const { history } = await client.node(name);
    for (const [index, { stack }] of history.entries()) expect(stack).not.toBe(history[index + 1]?.stack);
  }
  // Work that was held by who was killed comes free after two minutes.
  while (nodes.some(({ status }) => status === "waiting")) {
    await later(500);
    ({ nodes } = await client.nodes());
  }
  console.log(`${seconds} s: ${acknowledged} acknowledged, ${kills} kills, ${nodes.length} nodes`);
});
