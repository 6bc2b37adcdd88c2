import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  openTarget,
  loadsOfEach,
  readSnapshot,
  redactSnapshot,
  serializeSnapshot,
  takeSnapshot,
  type Loads,
  type Snapshot,
  type Target,
} from "../packages/core/src/index.ts";
import { machine, root } from "../packages/machine/src/target/index.ts";

const shell = fs.realpathSync("/bin/sh");
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-snapshot-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

async function loadsOf(target: Target | Snapshot, program: string, environment: { [name: string]: string } = {}): Promise<Loads> {
  for await (const answer of loadsOfEach(await openTarget(target, { environment }), [program])) return answer;
  throw new Error("no answer");
}

async function snapshotOf(target: Target, programs: string[], environment = {}): Promise<Snapshot> {
  return takeSnapshot(await openTarget(target, { environment }), programs);
}

async function parsed(text: string): Promise<Snapshot> {
  const result = await readSnapshot(text);
  if ("problem" in result) throw new Error(result.problem);
  return result.snapshot;
}

test("a snapshot that was written and read again gives the same answer as the machine", async () => {
  const text = serializeSnapshot(await snapshotOf(machine(), [shell]));
  expect(await loadsOf(await parsed(text), shell)).toEqual(await loadsOf(machine(), shell));
});

test("two snapshots of one machine are the same bytes", async () => {
  const [first, second] = [await snapshotOf(machine(), [shell]), await snapshotOf(machine(), [shell])];
  expect(serializeSnapshot(first)).toBe(serializeSnapshot(second));
});

test("hard links stay one file, and device numbers do not get in", async () => {
  fs.mkdirSync(path.join(scratch, "links/d"), { recursive: true });
  fs.writeFileSync(path.join(scratch, "links/a"), "x");
  fs.linkSync(path.join(scratch, "links/a"), path.join(scratch, "links/d/b"));
  const examination = await openTarget(root(path.join(scratch, "links")));
  await examination.collector!.fetch([
    { path: "/a", as: "entry" },
    { path: "/d/b", as: "entry" },
  ]);
  const { files } = JSON.parse(serializeSnapshot(examination.collector!.snapshot)) as Snapshot;
  expect(files["/a"]).toEqual({ kind: "file", size: 1, id: "/a" });
  expect(files["/d/b"]).toEqual({ kind: "file", size: 1, id: "/a" });
});

test("redaction takes names out everywhere and changes no answer but for the names", async () => {
  const home = path.join(scratch, "home-root");
  const library = "/home/grace/lib/libz.so.1";
  const loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((file) => fs.existsSync(file))!;
  for (const folder of ["bin", path.dirname(loader), "home/grace/lib", "etc"]) fs.mkdirSync(path.join(home, folder), { recursive: true });
  fs.copyFileSync(shell, path.join(home, "bin/sh"));
  fs.copyFileSync(fs.realpathSync(loader), path.join(home, loader));
  const libc = fs
    .readFileSync("/proc/self/maps", "utf8")
    .split("\n")
    .find((line) => line.endsWith("libc.so.6"))!
    .split(/\s+/)
    .at(-1)!;
  fs.copyFileSync(libc, path.join(home, "home/grace/lib/libc.so.6"));
  fs.symlinkSync("libc.so.6", path.join(home, library));

  const environment = {
    LD_LIBRARY_PATH: "/home/grace/lib",
    HOME: "/home/grace",
    NCCL_TOKEN: "abc",
    PATH: "https://me:secret@host/x:hf_abcdefghijklmnop",
  };
  const snapshot = await snapshotOf(root(home), ["/bin/sh"], environment);
  const redacted = redactSnapshot(snapshot);
  const text = serializeSnapshot(redacted);
  expect(text).not.toMatch(/grace|secret|abcdefghijklmnop|"abc"/);
  const before = JSON.stringify(await loadsOf(snapshot, "/bin/sh"));
  const after = JSON.stringify(await loadsOf(await parsed(text), "/bin/sh"));
  expect(before).toContain("/home/grace/lib/libc.so.6");
  expect(after).toBe(before.replaceAll("grace", "user-1"));
});

test("a person called like a framework does not take the framework along", () => {
  const files: Snapshot["files"] = { "/home/torch/x": { kind: "folder" }, "/usr/lib/python3/dist-packages/torch": { kind: "folder" } };
  const redacted = redactSnapshot({
    schema: "culprit/snapshot@1",
    culprit: "0",
    target: { kind: "machine" },
    environment: {},
    cwd: "/home/torch",
    user: { uid: 0, gid: 0 },
    cpu: {},
    files,
    unknown: [],
  });
  expect(Object.keys(redacted.files)).toEqual(["/home/user-1/x", "/usr/lib/python3/dist-packages/torch"]);
  expect(redacted.cwd).toBe("/home/user-1");
});

test("the numbers of single GPUs do not get in", () => {
  const text = "GPU UUID: \t GPU-01234567-89ab-cdef-0123-456789abcdef\n";
  const files: Snapshot["files"] = { "/proc/driver/nvidia/gpus/0/information": { kind: "file", size: 0, text } };
  const redacted = redactSnapshot({ ...(JSON.parse(bare({})) as Snapshot), files });
  expect(Object.values(redacted.files)).toEqual([{ kind: "file", size: 0, text: "GPU UUID: \t GPU-(redacted)\n" }]);
});

test("a listed top folder is part of a snapshot", async () => {
  expect(await readSnapshot(bare({ files: { "/": { kind: "folder", names: ["etc"] } } }))).toHaveProperty("snapshot");
});

test("what a snapshot does not hold is unknown, not absent", async () => {
  const snapshot = await snapshotOf(machine(), [shell]);
  const answer = await loadsOf(snapshot, "/usr/bin/no-such-program-was-asked-for");
  expect(answer.failures).toEqual([]);
  expect(answer.unknown[0]).toEqual({
    subject: "/usr/bin/no-such-program-was-asked-for",
    kind: "file",
    reason: "the snapshot does not say whether it exists",
  });
});

test.each([
  ["", "it is empty"],
  ["{", "it is not JSON"],
  ["[]", "not an object"],
  ["{}", "`schema` does not say"],
  ['{"schema":"culprit/loads@1"}', "it is a `culprit/loads@1` document"],
  ['{"schema":"culprit/snapshot@99"}', "newer culprit"],
  ['{"schema":"culprit/snapshot@1"}', "required"],
  [bare({ files: { "/a": { kind: "file", size: "x" } } }), "`files → /a → size`"],
  [bare({ files: { "/a/../b": { kind: "folder" } } }), "not an absolute path"],
])("a file that is no snapshot is refused in one sentence: %s", async (text, words) => {
  expect(await readSnapshot(text)).toMatchObject({ problem: expect.stringContaining(words) });
});

function bare(more: object): string {
  return JSON.stringify({
    schema: "culprit/snapshot@1",
    culprit: "0",
    target: { kind: "machine" },
    environment: {},
    cwd: "/",
    user: { uid: 0, gid: 0 },
    cpu: {},
    files: {},
    unknown: [],
    ...more,
  });
}
