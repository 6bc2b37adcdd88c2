// An embedded database has one process, whatever else can be seen of the others: in containers, after -9, on another machine.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { claimFolder, type Claim } from "../../packages/fleet/src/store/claim.ts";
import { needs } from "../needs.ts";

const scratch = mkdtempSync(path.join(os.tmpdir(), "culprit-claim-"));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let made = 0;
const folderFor = (name = "data"): string => {
  const folder = path.join(scratch, String(++made), name);
  mkdirSync(folder, { recursive: true });
  return folder;
};
const held = async (...words: Parameters<typeof claimFolder>): Promise<Claim> => {
  const claim = await claimFolder(...words);
  if ("by" in claim) throw new Error(`it belongs to ${claim.by}`);
  return claim;
};

describe("claims of one process", () => {
  test("a second one is told who has it; released, it is free, and nothing is left", async () => {
    const folder = folderFor();
    const first = await held(folder);
    expect(await claimFolder(folder)).toEqual({ by: `the process ${process.pid} on ${os.hostname()}` });
    first.release();
    (await held(folder)).release();
    await later(100);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a folder that lies too deep for the name of a socket is claimed like any other", async () => {
    const folder = folderFor("deep/".repeat(40));
    const first = await held(folder);
    expect(await claimFolder(folder)).toHaveProperty("by");
    first.release();
    (await held(folder)).release();
  });

  test("of many that begin at the same moment one gets it", async () => {
    for (let round = 0; round < 5; round++) {
      const folder = folderFor();
      const claims = await Promise.all(Array.from({ length: 8 }, async () => claimFolder(folder)));
      const won = claims.filter((claim) => "release" in claim);
      expect(won).toHaveLength(1);
      won[0]!.release();
    }
  });

  const beat = 250;
  test.each([
    ["of another kernel", { kernel: "another", beat }, { beat }],
    ["of a kernel without a name", { kernel: "", beat }, { kernel: "", beat }],
    ["where no socket can be made", { sockets: false, beat }, { beat }],
  ])("%s: it has the folder as long as its beat goes on", async (_, theirs, ours) => {
    const folder = folderFor();
    const first = await held(folder, theirs);
    const told: string[] = [];
    expect(await claimFolder(folder, { ...ours, waits: (sentence) => void told.push(sentence) })).toHaveProperty("by");
    expect(told[0]).toMatch(/served .*: whether it still does is seen in 1 seconds/);
    // As if its machine had been switched off: what it wrote stays, and stands still.
    const kept = readdirSync(folder).map((name) => [name, path.join(folder, name)] as const);
    const left = kept.filter(([name]) => !name.endsWith(".sock")).map(([name, file]) => [name, readFileSync(file)] as const);
    first.release();
    await later(3 * beat);
    for (const [name, content] of left) writeFileSync(path.join(folder, name), content);
    (await held(folder, ours)).release();
    await later(3 * beat);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a claim that a power cut left empty is in nobody's way", async () => {
    const folder = folderFor();
    writeFileSync(path.join(folder, "serving-0123456789abcdef.json"), "");
    (await held(folder, { beat: 50 })).release();
  });
});

interface Begun {
  child: ChildProcess;
  /** Where it listens, or what it said before it ended, with the code. */
  came: Promise<string>;
}

function begin(data: string, before: string[] = []): Begun {
  const words = ["packages/fleet/bin/culprit-fleet.mjs", "serve", "--port", "0", "--data", data, "--workers", "0"];
  const [program, ...rest] = [...before, process.execPath, ...words];
  const child = spawn(program!, rest, { env: { ...process.env, NO_COLOR: "1", DATABASE_URL: "" }, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let said = "";
  const came = new Promise<string>((known) => {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (piece) => {
        said += piece;
        if (/listens on \S+/.test(said)) known("listens");
      });
    child.once("close", (code) => known(`${code}: ${said}`));
  });
  return { child, came };
}
const gone = async (child: ChildProcess, signal: NodeJS.Signals) => {
  const ended = new Promise((done) => child.once("exit", done));
  child.kill(signal);
  await ended;
};
const refused = /^2: culprit-fleet: the process \d+ on \S+ serves \S+ already: stop it, or give another `--data` folder\n$/;
// `--kill-child`: who is killed with -9 takes its namespace along, as a runtime of containers does it.
const container = [
  "unshare",
  "--pid",
  "--fork",
  "--kill-child",
  "--mount-proc",
  "--mount",
  "--uts",
  "--ipc",
  "--net",
  "sh",
  "-c",
  'ip link set lo up 2>/dev/null; exec "$@"',
  "sh",
];
const hasContainers = needs({ namespaces: spawnSync(container[0]!, [...container.slice(1), "true"]).status === 0 });
const pairs: [string, string[], string[]][] = [
  ["both beside each other", [], []],
  ["the second in a container", [], container],
  ["each in a container of its own", container, container],
];

describe("servers", () => {
  for (const [where, one, other] of pairs)
    test(
      `${where}: the second is refused in one sentence, also while the first is stopped; after -9 the next one starts at once`,
      { timeout: 120_000, ...(other.length === 0 ? {} : hasContainers) },
      async () => {
        const data = folderFor();
        const first = begin(data, one);
        expect(await first.came).toBe("listens");
        expect(await begin(data, other).came).toMatch(refused);
        process.kill(first.child.pid!, "SIGSTOP");
        expect(await begin(data, other).came).toMatch(refused);
        process.kill(first.child.pid!, "SIGCONT");
        await gone(first.child, "SIGKILL");
        expect(readdirSync(data).some((name) => name.startsWith("serving-"))).toBe(true);
        await later(200);
        const next = begin(data, other);
        expect(await next.came).toBe("listens");
        expect(await begin(data, one).came).toMatch(refused);
      },
    );

  test("asked to end, it leaves nothing behind", { timeout: 120_000 }, async () => {
    const data = folderFor();
    const { child, came } = begin(data);
    expect(await came).toBe("listens");
    await gone(child, "SIGTERM");
    expect(readdirSync(data).filter((name) => name.startsWith("serving-"))).toEqual([]);
    expect(existsSync(`${data}/postgres`)).toBe(true);
  });

  test("of four that are started at once on an empty folder one serves", { timeout: 120_000 }, async () => {
    const data = folderFor();
    const came = await Promise.all(
      [0, 1, 2, 3].map(async (index) => begin(data, index % 2 === 0 || hasContainers.skip ? [] : container).came),
    );
    expect(came.filter((each) => each === "listens")).toHaveLength(1);
    expect(came.filter((each) => refused.test(each))).toHaveLength(3);
  });
});
