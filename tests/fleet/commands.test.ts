// The commands as people type them: one starts a server, three lines show a fleet.
import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serializeSnapshot } from "../../packages/core/src/index.ts";
import type { Check } from "../../packages/core/src/index.ts";
import type { WhatIfAnswer } from "../../packages/fleet/src/whatif.ts";
import { archive, dockerFiles, packings } from "../target/make-image.ts";
import { caseSnapshot } from "./cases.ts";

const scratch = mkdtempSync(path.join(os.tmpdir(), "culprit-fleet-"));
const data = path.join(scratch, "data");
let server: ChildProcess;
let environment: NodeJS.ProcessEnv;

interface Ran {
  code: number;
  out: string;
  err: string;
}

const run = async (file: string, words: string[], env: NodeJS.ProcessEnv = environment): Promise<Ran> =>
  new Promise((done) =>
    execFile(process.execPath, [file, ...words], { env, maxBuffer: 64 << 20 }, (error, out, err) =>
      done({ code: error ? Number(error.code ?? 2) : 0, out, err }),
    ),
  );
const culprit = async (words: string[], env?: NodeJS.ProcessEnv) => run("packages/cli/bin/culprit.cjs", words, env);
const fleet = async (words: string[], env?: NodeJS.ProcessEnv) => run("packages/fleet/bin/culprit-fleet.mjs", words, env);

async function start(): Promise<string> {
  server = spawn(process.execPath, ["packages/fleet/bin/culprit-fleet.mjs", "serve", "--port", "0", "--data", data, "--workers", "1"], {
    env: { ...process.env, NO_COLOR: "1", DATABASE_URL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  return new Promise((listening) =>
    server.stdout!.on("data", (piece) => {
      said += piece;
      const address = /listens on (\S+)/.exec(said)?.[1];
      if (address !== undefined) listening(address);
    }),
  );
}

const stop = async (signal: NodeJS.Signals = "SIGTERM") =>
  new Promise((gone) => {
    server.once("exit", gone);
    server.kill(signal);
  });

const file = (name: string) => `cases/${name}/snapshot.json.gz`;
const judgedAll = async () => {
  for (;;) {
    const { out } = await fleet(["query", "--json"]);
    const { nodes } = JSON.parse(out) as { nodes: { name: string; status: string }[] };
    if (nodes.every(({ status }) => status !== "waiting")) return nodes;
  }
};

beforeAll(async () => {
  const address = await start();
  environment = {
    ...process.env,
    NO_COLOR: "1",
    CULPRIT_FLEET_URL: address,
    CULPRIT_FLEET_TOKEN: readFileSync(`${data}/admin-token`, "utf8").trim(),
    XDG_STATE_HOME: path.join(scratch, "state"),
  };
});
afterAll(async () => {
  await stop();
  rmSync(scratch, { recursive: true, force: true });
});

test("one command starts it, with a token that only its owner can read", () => {
  expect(statSync(`${data}/admin-token`).mode & 0o777).toBe(0o600);
  expect(environment["CULPRIT_FLEET_TOKEN"]!.length).toBeGreaterThan(40);
});

test("three lines show a fleet", async () => {
  for (const [name, target] of [
    ["a1", "h200-healthy"],
    ["a2", "h200-system-cudnn-first"],
  ] as const) {
    const { code, out } = await culprit(["push", "--target", file(target), "--name", name, "--group", "a"]);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^${name} is pushed: \\d+ of its \\d+ facts were new to the server\\.\n$`)),
    ]);
  }
  expect((await culprit(["push", "--target", file("h200-healthy"), "--name", "a1", "--group", "a"])).out).toBe("a1 is unchanged.\n");
  const project = path.join(scratch, "project");
  mkdirSync(project);
  writeFileSync(`${project}/requirements.txt`, "torch==2.1.0\n-r more.txt\n# https://user:hunter2secret@example.org/simple\n");
  writeFileSync(`${project}/more.txt`, "nvidia-cudnn-cu12==9.1.0.70\n");
  expect(await culprit(["push", "--target", `${project}/requirements.txt`, "--name", "job", "--group", "a"])).toMatchObject({
    code: 0,
    err: "",
  });
  const nodes = await judgedAll();
  const { out } = await fleet(["query"]);
  expect(out).toContain("3 nodes, 3 distinct stacks");
  for (const { name } of nodes) expect(out).toContain(name);
  const { findings } = JSON.parse((await fleet(["query", "findings", "--json"])).out) as { findings: { rule: string; nodes: string[] }[] };
  expect(findings.filter(({ rule }) => rule === "requirements-clash").map(({ nodes: its }) => its)).toEqual([["job"]]);
  expect((await fleet(["query", "a2"])).out).toContain("cudnn-parts-from-two-releases");
  expect((await fleet(["query", "cudnn<9.15"])).out).toMatch(/cudnn<9\.15: 2 nodes/);
  const kept = await fetch(`${environment["CULPRIT_FLEET_URL"]}/api/v1/nodes/job/snapshot`, {
    headers: { authorization: `Bearer ${environment["CULPRIT_FLEET_TOKEN"]}` },
  });
  expect(await kept.text()).not.toContain("hunter2secret");
});

test("`whatif` says of each node what `culprit check --driver --gpu --json` says of its snapshot", async () => {
  const supposed = ["--driver", "470.57", "--gpu", "A100"];
  const { code, out } = await fleet(["whatif", ...supposed, "--json"]);
  expect(code).toBe(1);
  const answer = JSON.parse(out) as WhatIfAnswer;
  for (const [name, target] of [
    ["a1", file("h200-healthy")],
    ["a2", file("h200-system-cudnn-first")],
    ["job", path.join(scratch, "project/requirements.txt")],
  ] as const) {
    const check = JSON.parse((await culprit(["check", target, ...supposed, "--json"])).out) as Check;
    // Where a file was found and who would type a command differ between here and there; what is wrong does not.
    const said = (findings: Check["findings"]) =>
      findings
        .map(({ rule, subject, severity, certainty, message, breaks, endangers }) =>
          JSON.stringify([rule, subject, severity, certainty, message, breaks, endangers]),
        )
        .sort();
    expect(said(answer.findings.filter(({ nodes }) => nodes.includes(name)))).toEqual(said(check.findings));
  }
  const { out: report } = await fleet(["whatif", ...supposed]);
  expect(report).toMatch(/^driver 470\.57 with A100: 3 nodes \(3 stacks\): 3 would break\n/);
  expect(report).toContain("in this order:");
});

test("a machine is pushed without the names of people and hosts, under a name all the same", async () => {
  const folder = path.join(scratch, "root");
  mkdirSync(`${folder}/etc`, { recursive: true });
  mkdirSync(`${folder}/home/annette/lib`, { recursive: true });
  writeFileSync(`${folder}/etc/passwd`, "annette:x:1000:1000::/home/annette:/bin/sh\n");
  writeFileSync(`${folder}/etc/ld.so.conf`, "/home/annette/lib\n");
  expect(await culprit(["push", "--root", folder, "--name", "someone's", "--group", "b"])).toMatchObject({ code: 0 });
  const whole = await fetch(`${environment["CULPRIT_FLEET_URL"]}/api/v1/nodes/someone's/snapshot`, {
    headers: { authorization: `Bearer ${environment["CULPRIT_FLEET_TOKEN"]}` },
  });
  expect(await whole.text()).not.toContain("annette");
});

test("where a timer starts it makes no difference, but beside an environment", async () => {
  const folder = path.join(scratch, "started-here");
  mkdirSync(`${folder}/left-by-somebody`, { recursive: true });
  const pushedFrom = async () => {
    const words = [path.resolve("packages/cli/bin/culprit.cjs"), "push", "--name", "here"];
    expect(spawnSync(process.execPath, words, { cwd: folder, env: environment, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
    const whole = await fetch(`${environment["CULPRIT_FLEET_URL"]}/api/v1/nodes/here/snapshot`, {
      headers: { authorization: `Bearer ${environment["CULPRIT_FLEET_TOKEN"]}` },
    });
    return whole.text();
  };
  const plain = await pushedFrom();
  expect(plain).toContain('"cwd":"/"');
  expect(plain).not.toContain("started-here");
  mkdirSync(`${folder}/.venv`);
  writeFileSync(`${folder}/.venv/pyvenv.cfg`, "home = /usr/bin\n");
  expect(await pushedFrom()).toContain("started-here/.venv/pyvenv.cfg");
  expect((await fleet(["remove", "here"])).code).toBe(0);
}, 300_000);

test("images and running processes are pushed like machines", { timeout: 300_000 }, async () => {
  const root = path.join(scratch, "root");
  mkdirSync(`${root}/etc`, { recursive: true });
  writeFileSync(`${root}/etc/ld.so.conf`, "");
  const image = path.join(scratch, "app.tar");
  const { stdout } = spawnSync("tar", ["-C", root, "-c", "."]);
  writeFileSync(image, archive(dockerFiles({ layers: [packings["plain"]!(stdout)] })));
  const sleeper = spawn("sleep", ["300"]);
  try {
    expect(await culprit(["push", "--target", `image:${image}`, "--name", "app:1.2", "--group", "ci"])).toMatchObject({ code: 0 });
    expect(await culprit(["push", "--target", `pid:${sleeper.pid}`, "--name", "running", "--group", "ci"])).toMatchObject({ code: 0 });
  } finally {
    sleeper.kill();
  }
  expect((await judgedAll()).filter(({ name }) => ["app:1.2", "running"].includes(name))).toMatchObject([
    { name: "app:1.2", kind: "image" },
    { name: "running", kind: "process" },
  ]);
  for (const name of ["app:1.2", "running"]) expect((await fleet(["remove", name])).out).toBe(`${name} is forgotten.\n`);
});

test("several hosts are several nodes: who cannot be reached keeps none of the others back", async () => {
  const shell = path.join(scratch, "ssh");
  writeFileSync(shell, "#!/bin/sh\necho 'no route to host' >&2\nexit 255\n", { mode: 0o755 });
  const env = { ...environment, CULPRIT_SSH_COMMAND: shell };
  const { code, out, err } = await culprit(["push", "--target", "ssh:gpu[08-10]", "--timeout", "5"], env);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  for (const name of ["gpu08", "gpu09", "gpu10"]) expect(err).toContain(`culprit: ${name}: cannot look at ${name}: no route to host`);
  expect((await culprit(["push", "--target", "ssh:gpu[08-10]", "--name", "one"], env)).err).toContain("`--name` is for one target");
  expect((await culprit(["push", "--target", "ssh:gpu[10-08]"], env)).err).toContain("the range goes backwards");
});

test("what goes wrong is said in one sentence, with 2", { timeout: 300_000 }, async () => {
  const wrong: [string[], RegExp, NodeJS.ProcessEnv?][] = [
    [["push", "--name", ""], /`--name` needs a value/],
    [["push", "machine"], /takes no words/],
    [["push", "--target", "/nonexistent"], /there is no target/],
    [["push", "--target", file("h200-healthy")], /which server/, { ...environment, CULPRIT_FLEET_URL: "" }],
    [["push", "--target", file("h200-healthy")], /a token is needed/, { ...environment, CULPRIT_FLEET_TOKEN: "" }],
    [["push", "--target", file("h200-healthy"), "--server", "ftp://x"], /is not the address of a server/],
    [["push", "--target", file("h200-healthy"), "--token", "wrong"], /refuses: this token is not known/],
    [["push", "--target", file("h200-healthy"), "--jitter", "soon"], /is not a number of seconds/],
  ];
  for (const [words, sentence, env] of wrong) {
    const { code, out, err } = await culprit(words, env);
    expect([words, code, out]).toEqual([words, 2, ""]);
    expect(err).toMatch(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
  }
  const huge = path.join(scratch, "huge.jsonl.gz");
  writeFileSync(huge, gzipSync(Buffer.alloc(130 << 20, 32), { level: 1 }));
  const asked: [string[], RegExp][] = [
    [["frobnicate"], /there is no command/],
    [["query", "--frob"], /Unknown option `--frob`/],
    [["query", "nobody"], /there is no node `nobody`/],
    [["query", "a", "b"], /one question at a time/],
    [["query", "nosuch<9"], /no node has a library or package/],
    [["whatif"], /what if what/],
    [["whatif", "--gpu", "NoSuchGPU"], /is not known/],
    [["token", "create", "king"], /node, read, admit, admin/],
    [["token", "revoke", "x"], /which token/],
    [["serve", "--data", data, "--port", "0"], /serves .* already/],
    [["serve", "--port", "x"], /is not a number/],
    [["serve", "--cert", "x"], /needs both/],
    // Who means "for ever" would lose all of it within the hour.
    [["serve", "--keep-days", "0"], /`--keep-days 0` is not a number from 1 to 36500/],
    [["token", "create", "read", "--days", "0"], /`--days 0` is not a number from 1 to 36500/],
    [["work"], /DATABASE_URL is not set/],
    [["import", "/nonexistent"], /is not there/],
    [["import", huge, "--data", `${scratch}/other`], /has a line that is longer than any/],
    [["query", "--server", "http://127.0.0.1:1"], /cannot be reached/],
  ];
  for (const [words, sentence] of asked) {
    const { code, out, err } = await fleet(words, { ...environment, DATABASE_URL: "" });
    expect([words, code, out]).toEqual([words, 2, ""]);
    expect(err).toMatch(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
  }
});

test("every command has help, and its examples name options that it has", async () => {
  const { out } = await fleet(["--help"]);
  for (const [, name] of out.matchAll(/^ {2}(\w+) /gm)) {
    const help = await fleet([name!, "--help"]);
    expect(help.code).toBe(0);
    for (const [option] of help.out.matchAll(/(?<=^ {2}culprit-fleet .*)--[\w-]+/gm))
      expect(help.out).toMatch(new RegExp(`^ {2}${option}\\b`, "m"));
  }
});

test("where the server is away, what was to be pushed is kept, and goes with the next push", async () => {
  await stop("SIGKILL");
  const away = await culprit(["push", "--target", file("nvml-of-old-driver"), "--name", "a3", "--group", "a"]);
  expect(away.code).toBe(2);
  expect(away.err).toMatch(/cannot be reached: .* is kept in .*, and goes with the next push/);
  const spool = path.join(scratch, "state/culprit/spool");
  expect(readdirSync(spool)).toHaveLength(1);
  expect(statSync(path.join(spool, readdirSync(spool)[0]!)).mode & 0o777).toBe(0o600);
  const url = environment["CULPRIT_FLEET_URL"]!;
  environment["CULPRIT_FLEET_URL"] = await start();
  // As if it had come back at the same address.
  const [name] = readdirSync(spool);
  const { createHash } = await import("node:crypto");
  const kept = gunzipSync(readFileSync(path.join(spool, name!)))
    .toString("utf8")
    .replaceAll(url, environment["CULPRIT_FLEET_URL"]!);
  rmSync(path.join(spool, name!));
  const renamed = createHash("sha256").update(`${environment["CULPRIT_FLEET_URL"]}\na3`).digest("hex").slice(0, 24);
  writeFileSync(path.join(spool, `${renamed}.json.gz`), gzipSync(kept));
  const next = await culprit(["push", "--target", file("h200-healthy"), "--name", "a4", "--group", "a"]);
  expect(next.code).toBe(0);
  expect(next.err).toContain("a3, which had waited for the server");
  expect(readdirSync(spool)).toEqual([]);
  // And what was acknowledged before the server was killed is there.
  expect((await judgedAll()).map((node) => node.name)).toEqual(["a1", "a2", "a3", "a4", "job", "someone's"]);
}, 300_000);

test("all of it is written to a file and read back", async () => {
  const before = JSON.parse((await fleet(["query", "--json"])).out) as object;
  await stop();
  const copy = path.join(scratch, "fleet.jsonl.gz");
  expect(await fleet(["export", copy, "--data", data], { ...environment, DATABASE_URL: "" })).toMatchObject({ code: 0 });
  // Nothing half-written is left, and a file that is cut off is refused as a whole.
  expect(readdirSync(scratch).filter((name) => name.endsWith(".part"))).toEqual([]);
  const cut = path.join(scratch, "cut.jsonl.gz");
  writeFileSync(cut, readFileSync(copy).subarray(0, -500));
  rmSync(data, { recursive: true, force: true });
  const refused = await fleet(["import", cut, "--data", data], { ...environment, DATABASE_URL: "" });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("is damaged") as string });
  expect(await fleet(["import", copy, "--data", data], { ...environment, DATABASE_URL: "" })).toMatchObject({ code: 0 });
  expect(existsSync(`${data}/admin-token`)).toBe(false);
  environment["CULPRIT_FLEET_URL"] = await start();
  // The tokens of before are good still.
  expect(JSON.parse((await fleet(["query", "--json"])).out)).toEqual(before);
}, 300_000);

test("the facts of a node come back as they were pushed", async () => {
  const response = await fetch(`${environment["CULPRIT_FLEET_URL"]}/api/v1/nodes/a1/snapshot`, {
    headers: { authorization: `Bearer ${environment["CULPRIT_FLEET_TOKEN"]}` },
  });
  expect(serializeSnapshot((await response.json()) as never)).toBe(serializeSnapshot(caseSnapshot("h200-healthy")));
});
