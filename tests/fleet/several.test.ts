// As a cluster has it: several servers and a worker on one PostgreSQL, HTTPS with a certificate of one's own, a proxy in front.
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { inThisThread } from "../../packages/fleet/src/judge/pool.ts";
import { serve } from "../../packages/fleet/src/server/serve.ts";
import { openEmbedded } from "../../packages/fleet/src/store/sql.ts";
import { hasTool } from "../elf/readelf.ts";
import { needs } from "../needs.ts";
import { noPostgres, startPostgres } from "./postgres.ts";

const scratch = mkdtempSync(path.join(os.tmpdir(), "culprit-several-"));
const started: ChildProcess[] = [];
afterAll(async () => {
  await Promise.all(
    started.map(
      async (child) =>
        new Promise((gone) => {
          if (child.exitCode !== null || child.signalCode !== null) return gone(undefined);
          child.once("exit", gone);
          child.kill("SIGTERM");
        }),
    ),
  );
  rmSync(scratch, { recursive: true, force: true });
});

/** Starts a command of culprit-fleet, and waits for what it says. */
async function begin(words: string[], says: RegExp, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, ["packages/fleet/bin/culprit-fleet.mjs", ...words], {
    env: { ...process.env, NO_COLOR: "1", DATABASE_URL: "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  let said = "";
  return new Promise((found, failed) => {
    child.once("exit", (code) => failed(new Error(`it ended with ${code}: ${said}`)));
    child.stdout.on("data", (piece) => {
      said += piece;
      const match = says.exec(said);
      if (match) found(match[1] ?? "");
    });
  });
}

const culprit = async (words: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; out: string; err: string }> =>
  new Promise((done) =>
    execFile(
      process.execPath,
      ["packages/cli/bin/culprit.cjs", ...words],
      { env: { ...process.env, NO_COLOR: "1", XDG_STATE_HOME: path.join(scratch, "state"), ...env } },
      (error, out, err) => done({ code: error ? Number(error.code ?? 2) : 0, out, err }),
    ),
  );

const file = "cases/h200-system-cudnn-first/snapshot.json.gz";

describe("on one PostgreSQL", needs(noPostgres), () => {
  test(
    "two servers and a worker share the work: what one took in, the worker judges and the other tells",
    { timeout: 300_000 },
    async () => {
      const postgres = await startPostgres();
      try {
        const env = { DATABASE_URL: await postgres.fresh() };
        const server = ["serve", "--port", "0", "--data", path.join(scratch, "shared"), "--workers", "0"];
        // At the same moment, on an empty database and an empty folder.
        const [first, second] = (await Promise.all([0, 1].map(async () => begin(server, /listens on (\S+)/, env)))) as [string, string];
        const token = readFileSync(path.join(scratch, "shared/admin-token"), "utf8").trim();
        const pushed = await culprit(["push", "--target", file, "--name", "n1"], { CULPRIT_FLEET_URL: first, CULPRIT_FLEET_TOKEN: token });
        expect([pushed.code, pushed.err]).toEqual([0, ""]);
        const status = async () => {
          const response = await fetch(`${second}/api/v1/nodes/n1`, { headers: { authorization: `Bearer ${token}` } });
          return ((await response.json()) as { status: string }).status;
        };
        await later(1500);
        expect(await status()).toBe("waiting");
        await begin(["work", "--workers", "1"], /works with 1 thread/, env);
        for (let tries = 0; tries < 400 && (await status()) === "waiting"; tries++) await later(100);
        expect(await status()).toBe("findings");
        const answer = await fetch(`${second}/api/v1/whatif`, {
          method: "POST",
          body: JSON.stringify({ driver: "470.57" }),
          headers: { authorization: `Bearer ${token}` },
        });
        expect(((await answer.json()) as { outcomes: { breaks: number } }).outcomes.breaks).toBe(1);
        for (const child of started.splice(0)) {
          const gone = new Promise((done) => child.once("exit", done));
          child.kill("SIGTERM");
          await gone;
        }
      } finally {
        await postgres.stop();
      }
    },
  );
});

test(
  "HTTPS with a certificate of one's own: who knows its authority pushes, and nobody else",
  { ...needs({ openssl: hasTool("openssl") }), timeout: 300_000 },
  async () => {
    const [cert, key, data] = ["fleet.pem", "fleet.key", "tls"].map((name) => path.join(scratch, name));
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key!,
        "-out",
        cert!,
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
      ],
      { stdio: "ignore" },
    );
    const address = await begin(
      ["serve", "--port", "0", "--data", data!, "--cert", cert!, "--key", key!, "--workers", "1"],
      /listens on (\S+)/,
      {},
    );
    expect(address).toMatch(/^https:/);
    const env = { CULPRIT_FLEET_URL: address, CULPRIT_FLEET_TOKEN: readFileSync(`${data}/admin-token`, "utf8").trim() };
    const known = await culprit(["push", "--target", file, "--name", "n1"], { ...env, NODE_EXTRA_CA_CERTS: cert! });
    expect([known.code, known.err]).toEqual([0, ""]);
    const stranger = await culprit(["push", "--target", file, "--name", "n2", "--spool", path.join(scratch, "spool")], env);
    expect(stranger.code).toBe(2);
    expect(stranger.err).toMatch(/cannot be reached: .*certificate/);
    expect(stranger.err.trim().split("\n")).toHaveLength(1);
    await expect(fetch(address.replace("https:", "http:"))).rejects.toThrow();
  },
);

test("the address that a proxy tells counts only where a proxy is said to be there", async () => {
  for (const behindProxy of [false, true]) {
    const served = await serve({
      store: await openEmbedded(undefined),
      judges: inThisThread(),
      host: "127.0.0.1",
      port: 0,
      keepDays: 90,
      webhooks: [],
      behindProxy,
      told: () => {},
    });
    const guess = async (index: number, from: string) =>
      (await fetch(`${served.address}/api/v1/nodes`, { headers: { authorization: `Bearer guess-${index}`, "x-forwarded-for": from } }))
        .status;
    // One who says that he is somebody else each time; a proxy adds behind it whom it saw.
    const guesses = await Promise.all(Array.from({ length: 60 }, async (_, index) => guess(index, `10.0.0.${index}, 192.0.2.1`)));
    expect(guesses).toContain(429);
    const other = await guess(99, "192.0.2.2");
    expect([behindProxy, other]).toEqual([behindProxy, behindProxy ? 401 : 429]);
    await served.end();
  }
});
