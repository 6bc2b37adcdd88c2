import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import {
  openTarget,
  fixTarget,
  listStack,
  checkTarget,
  readSnapshot,
  redactSnapshot,
  serializeSnapshot,
  takeSnapshot,
  type Snapshot,
} from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { glibcLoader } from "../loader/answers.ts";
import { plant, plantedVariables } from "./planted.ts";
import { torchTree } from "./tree.ts";
import { needs } from "../needs.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-planted-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));
const cli = path.resolve("dist/cli.js");
const run = (...args: string[]) =>
  spawnSync(process.execPath, [cli, ...args], {
    cwd: scratch,
    encoding: "utf8",
    env: { ...process.env, HOME: scratch },
    maxBuffer: 1 << 28,
  });

const withLoader = needs({ glibc: glibcLoader });

test.each([1])("of a root full of secrets and names, nothing gets out (%i)", withLoader, (seed) => {
  const planted = plant(seed);
  const tree = path.join(scratch, `tree-${seed}`);
  torchTree(tree, "/opt/old", planted.files);
  const variables = Object.entries(plantedVariables(planted, seed)).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  expect(planted.secrets.length + planted.names.length).toBeGreaterThan(47);
  const given = ["--root", tree, "--python", "/venv", ...variables];
  const leaks = (text: string, markers: string[]) => markers.filter((marker) => text.includes(marker));
  const everything = [...planted.secrets, ...planted.names];

  const snapshot = path.join(scratch, `s-${seed}.json`);
  expect(run("snapshot", "-o", snapshot, ...given).stderr).toBe("");
  const text = fs.readFileSync(snapshot, "utf8");
  expect(leaks(text, everything)).toEqual([]);
  expect(text).toContain("/opt/old");
  const page = path.join(scratch, `p-${seed}.html`);
  run("check", "--html", page, ...given);
  const markup = fs.readFileSync(page, "utf8");
  expect(leaks(markup, everything)).toEqual([]);
  // The facts are in it, packed.
  const [, facts] = /id="facts">([^<]+)</.exec(markup)!;
  expect(leaks(zlib.gunzipSync(Buffer.from(facts!, "base64")).toString("utf8"), everything)).toEqual([]);
  for (const form of ["--markdown", "--sarif"]) {
    const { stdout, status } = run("check", form, ...given);
    expect(status).toBe(1);
    expect(leaks(stdout, everything), form).toEqual([]);
  }
  const log = path.join(scratch, `l-${seed}.txt`);
  fs.writeFileSync(
    log,
    `${planted.secrets.map((secret) => `ImportError: libcudnn.so.9: cannot open shared object file, token=${secret}`).join("\n")}\n`,
  );
  const other = path.join(scratch, `o-${seed}`);
  torchTree(other, "/opt/else");
  for (const args of [
    ["list", ...given],
    ["list", "--json", ...given],
    ["check", "--all", ...given],
    ["check", "--json", ...given],
    ["fix", ...given],
    ["fix", "--json", ...given],
    ["fix", "--apply", "--dry-run", ...given],
    ["why", "libcudnn_graph.so.9", "--for", "torch", ...given],
    ["diff", tree, other, "--all", "--python", "/venv"],
    ["diff", tree, other, "--json", "--python", "/venv"],
    ["explain", log],
    ["explain", log, "--json"],
  ]) {
    const { stdout, stderr, status } = run(...args);
    expect([0, 1], stderr).toContain(status);
    expect(leaks(stdout + stderr, planted.secrets), args[0]).toEqual([]);
  }
});

test("a snapshot without secrets gives the answers of the whole one, but for names", withLoader, async () => {
  const planted = plant(7);
  const tree = path.join(scratch, "same");
  torchTree(tree, "/opt/old", planted.files);
  const environment = plantedVariables(planted, 7);
  const full = await takeSnapshot(await openTarget(root(tree), { environment }), ["torch"], ["/venv"]);
  const read = await readSnapshot(serializeSnapshot(redactSnapshot(full)));
  if ("problem" in read) throw new Error(read.problem);
  const [before, after] = [await answersOf(full), await answersOf(read.snapshot)];
  expect(before.rules).toContain("cudnn-parts-from-two-releases");
  expect(after.rules).toEqual(before.rules);
  expect(after.places.map(nameless)).toEqual(before.places.map(nameless));
  expect(after.fixes.map(nameless)).toEqual(before.fixes.map(nameless));
});

const nameless = (text: string) => text.replaceAll(/\/home\/[^/]+/g, "/home/somebody");

async function answersOf(snapshot: Snapshot) {
  const examination = await openTarget(snapshot);
  const question = { programs: [], activities: [], python: ["/venv"] };
  const judged = await fixTarget(examination, question);
  if ("problem" in judged) throw new Error(judged.problem);
  const { variables } = await listStack(await openTarget(snapshot), ["/venv"]);
  return {
    rules: judged.check.findings.map(({ rule }) => rule),
    places: variables.map(({ name, file, line }) => `${name} ${file}:${line}`),
    fixes: judged.plan.findings.flatMap(({ fixes }) => fixes.map(({ title }) => title)),
  };
}

test.each(["h200-healthy", "h200-system-cudnn-first"])("the case %s says the same after it was redacted again", async (name) => {
  const read = await readSnapshot(gunzipSync(fs.readFileSync(`cases/${name}/snapshot.json.gz`)).toString());
  if ("problem" in read) throw new Error(read.problem);
  const redacted = await readSnapshot(serializeSnapshot(redactSnapshot(read.snapshot)));
  if ("problem" in redacted) throw new Error(redacted.problem);
  const answer = async (snapshot: Snapshot) => {
    const judged = await checkTarget(await openTarget(snapshot), { programs: [], activities: [], python: [] });
    if ("problem" in judged) throw new Error(judged.problem);
    const { target: _target, ...check } = judged.check;
    return { check, inventory: { ...judged.stack.inventory, target: {} } };
  };
  expect(await answer(redacted.snapshot)).toEqual(await answer(read.snapshot));
});

const isAdministrator = process.getuid?.() === 0;
test("a real user's start-up file does not get into a snapshot", needs({ root: isAdministrator }), () => {
  // A user that no list knows, with a home of his own.
  const [uid, home] = [54_321, path.join(scratch, "home/margaret")];
  fs.mkdirSync(home, { recursive: true });
  fs.chmodSync(scratch, 0o755);
  fs.writeFileSync(
    path.join(home, ".bashrc"),
    'export OPENAI_API_KEY=sk-abcdefghijklmnop\nexport WANDB_KEY=0123456789abcdef\nalias p="mysql -pSECRET"\nexport LD_LIBRARY_PATH=/opt/old\n',
    { mode: 0o600 },
  );
  fs.chownSync(home, uid, uid);
  fs.chownSync(path.join(home, ".bashrc"), uid, uid);
  const { stdout, status } = spawnSync(process.execPath, [cli, "snapshot", "/bin/sh", "torch"], {
    encoding: "utf8",
    uid,
    gid: uid,
    cwd: "/",
    env: { PATH: process.env["PATH"], HOME: home },
    maxBuffer: 1 << 28,
  });
  expect(status).toBe(0);
  expect(stdout).toContain('"redacted":true');
  expect(stdout).toContain("export LD_LIBRARY_PATH=/opt/old");
  expect(stdout).not.toMatch(/sk-[a-z]|0123456789abcdef|mysql|SECRET|margaret/);
});
