// A whole root whose files are damaged, closed, replaced or moved at random: every question about it gets an answer, and none throws.
import { expect, test } from "vitest";
import { openTarget, checkReport, listStack, checkTarget, listReport, type Target } from "../../packages/core/src/index.ts";
import type { FileFact } from "../../packages/core/src/model/snapshot.ts";
import { cudnn, torch, triton } from "../diagnose/python-stack.ts";
import { driver, library, module } from "../frameworks/python-root.ts";
import { makeElf } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { Dice, fuzz, mutate } from "./fuzz.ts";
import { unreadIn } from "../unread.ts";

const site = "/venv/lib/python3.11/site-packages";
const base: Files = {
  "/usr/bin/python3.11": makeElf({ program: true }),
  "/usr/lib/python3.11/lib-dynload/_ctypes.so": module(),
  ...torch(),
  ...cudnn("9.1.0.70"),
  ...triton("3.2.0"),
  ...driver("/usr/lib64"),
  "/venv/bin/python3": { link: "/usr/bin/python3.11" },
  "/venv/pyvenv.cfg": { text: "home = /usr/bin\nversion = 3.11.2\ninclude-system-site-packages = false\n" },
  [`${site}/more.pth`]: { text: "/opt/more\nimport os\n../x\n" },
  "/conda/bin/python3": { link: "/usr/bin/python3.11" },
  "/conda/conda-meta/cudnn-9.1.0-h0.json": { text: '{"files": ["lib/libcudnn.so.9", "lib/a.txt"]}' },
  "/conda/lib/libcudnn.so.9": library("libcudnn.so.9"),
  "/etc/ld.so.conf": { text: "include /etc/ld.so.conf.d/*.conf\n" },
  "/etc/ld.so.conf.d/cuda.conf": { text: "/usr/local/cuda/lib64\n" },
  "/etc/ld.so.preload": { text: "libx.so /opt/liby.so # z\n" },
  "/etc/profile.d/cuda.sh": { text: "export LD_LIBRARY_PATH=/opt/a:$LD_LIBRARY_PATH\n" },
  "/usr/local/cuda/version.json": { text: '{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}' },
  "/usr/local/cuda/lib64/libcudart.so.12": library("libcudart.so.12"),
  "/proc/driver/nvidia/version": { text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Thu\n" },
  "/proc/driver/nvidia/gpus/0000:01:00.0/information": { text: "Model: NVIDIA H200\nGPU UUID: GPU-x\n" },
  "/var/lib/dpkg/status": { text: "Package: libcudnn9\nStatus: install ok installed\nVersion: 9.1.0-1\n\n" },
  "/var/lib/dpkg/info/libcudnn9.list": { text: "/usr/lib64/libcudnn.so.9\n" },
};
const encoder = new TextEncoder();
type Entry = { bytes: Uint8Array } | { link: string } | { odd: FileFact };
const sound = new Map<string, Entry>(
  Object.entries(base).map(([path, entry]) => [
    path,
    entry instanceof Uint8Array
      ? { bytes: entry }
      : "text" in entry
        ? { bytes: encoder.encode(entry.text) }
        : "link" in entry
          ? { link: entry.link }
          : { bytes: new Uint8Array(0) },
  ]),
);
const paths = [...sound.keys()];
const pieces = [
  "\n",
  "=",
  "..",
  "/",
  " ",
  "%s",
  "\0",
  "#",
  "include ",
  "9".repeat(30),
  "a".repeat(5000),
  "é",
  '"',
  "*",
  "[",
  "\\",
  ",,,",
  "== ",
  "; extra == 'x'",
];

function damaged(dice: Dice): Map<string, Entry> {
  const files = new Map(sound);
  for (let rounds = 1 + dice.below(4); 0 < rounds; rounds -= 1) {
    const path = dice.pick(paths);
    const entry = files.get(path);
    const other = files.get(dice.pick(paths));
    const bytes = entry && "bytes" in entry ? entry.bytes : encoder.encode("x");
    switch (dice.below(7)) {
      case 0:
        files.delete(path);
        break;
      case 1:
        files.set(path, {
          odd: dice.pick<FileFact>([
            { kind: "special" },
            { kind: "hidden", code: "EACCES" },
            { kind: "hidden", code: "EIO" },
            { kind: "folder" },
            { kind: "file", size: 2 ** 40 },
            { kind: "file", size: 5, setuid: 0 },
          ]),
        });
        break;
      case 2:
        files.set(path, { link: dice.pick([path, "/", "..", "/nowhere", dice.pick(paths), "x/".repeat(3000)]) });
        break;
      case 3:
        if (other) files.set(path, other);
        break;
      case 4: {
        const text = new TextDecoder().decode(bytes.subarray(0, 20_000));
        const at = dice.below(text.length + 1);
        files.set(path, { bytes: encoder.encode(text.slice(0, at) + dice.pick(pieces).repeat(1 + dice.below(20)) + text.slice(at)) });
        break;
      }
      default:
        files.set(path, { bytes: mutate([bytes.length === 0 ? encoder.encode("x") : bytes], dice) });
    }
  }
  return files;
}

/** A tree in memory; some folders may not be listed, some files not be opened. */
function target(files: Map<string, Entry>, dice: Dice): Target {
  const folders = new Map<string, Set<string>>([["/", new Set()]]);
  for (const path of files.keys()) {
    const parts = path.split("/").slice(1);
    parts.forEach((name, index) => {
      const folder = `/${parts.slice(0, index).join("/")}`;
      folders.set(folder, (folders.get(folder) ?? new Set()).add(name));
    });
  }
  const closed = new Set(files !== sound && dice.chance(3) ? [dice.pick([...folders.keys()]), dice.pick(paths)] : []);
  return {
    description: { kind: dice.pick(["root", "machine", "image"] as const) },
    async look(asked) {
      return asked.map((path): FileFact => {
        const entry = files.get(path);
        if (!entry) return folders.has(path) ? { kind: "folder" } : { kind: "absent" };
        if ("odd" in entry) return { ...entry.odd };
        return "link" in entry ? { kind: "link", to: entry.link } : { kind: "file", size: entry.bytes.length };
      });
    },
    async open(path) {
      const entry = files.get(path);
      if (closed.has(path)) return "EACCES";
      const bytes = entry && "bytes" in entry ? entry.bytes : new Uint8Array(0);
      const size = entry && "odd" in entry && entry.odd.kind === "file" ? entry.odd.size : bytes.length;
      return { size, read: async (ranges) => ranges.map(({ offset, length }) => bytes.subarray(offset, offset + length)), close() {} };
    },
    async list(path) {
      return closed.has(path) ? { code: "EACCES" } : [...(folders.get(path) ?? [])];
    },
    async process() {
      return { environment: { LD_LIBRARY_PATH: "/opt/a:/usr/local/cuda/lib64" }, cwd: "/", user: { uid: 0, gid: 0 } };
    },
  };
}

test("the corpus is sound", async () => {
  const judged = await checkTarget(await openTarget(target(sound, new Dice(1))), {
    programs: [],
    activities: [],
    python: ["/venv"],
  });
  expect("check" in judged && judged.check.judged.map(({ program }) => program)).toEqual(["torch", "triton"]);
});

test("any damage to a root is answered", async () => {
  let found = 0;
  await fuzz(
    "roots",
    250,
    async (dice) => {
      const examination = await openTarget(target(damaged(dice), dice));
      const judged = await checkTarget(examination, { programs: [], activities: [], python: dice.chance(2) ? ["/venv"] : [] });
      if ("problem" in judged) return;
      found += judged.check.findings.length;
      const report = checkReport(judged.check);
      if (/undefined|\[object/.test(report)) throw new Error(report);
      // What a verdict would need and could not be read is no clean bill.
      if (0 < unreadIn(judged.check).length && report.includes("✓ Nothing")) throw new Error(report);
      if (dice.chance(10)) listReport(await listStack(examination, []));
    },
    10_000,
  );
  if (!process.env["FUZZ_SEED"]) expect(found).toBeGreaterThan(10);
});
