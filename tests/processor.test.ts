// `--cpu [VENDOR:]LEVEL`, from the outside: which copy of a library a processor gets.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { CpuFact, ElfFact, LoaderFact, Loads, Snapshot, Why } from "../packages/core/src/index.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-processor-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const elf: ElfFact = { kind: "elf", class: 64, order: "little", machine: 62, type: 3, needed: [] };
const object = (more: Partial<ElfFact> = {}) => ({ kind: "file" as const, size: 4096, object: { ...elf, ...more } });
const interpreter = "/lib64/ld-linux-x86-64.so.2";
const levels = ["x86-64-v4", "x86-64-v3", "x86-64-v2"];
const rules = { flavour: "glibc" as const, folders: ["/lib/"], cache: "/c", preload: "/p" };
const old: LoaderFact = { ...rules, version: "2.31", hwcaps: [], legacy: "haswell" };
const middle: LoaderFact = { ...rules, version: "2.36", hwcaps: levels, legacy: "haswell" };
const recent: LoaderFact = { ...rules, version: "2.41", hwcaps: levels };

let count = 0;
/** A snapshot in which libx lies in `/a` and in subfolders of it; every folder was listed. */
function snapshotWith(loader: LoaderFact, subfolders: string[], cpu: CpuFact, needed = "libx.so"): string {
  const files: Snapshot["files"] = {
    "/prog": object({ interpreter, needed: [needed], rpath: "/a" }),
    [interpreter]: { ...object(), loader },
  };
  for (const subfolder of ["", ...subfolders]) files[path.join("/a", subfolder, "libx.so")] = object();
  for (const file of Object.keys(files))
    for (let above = path.dirname(file), name = path.basename(file); ; name = path.basename(above), above = path.dirname(above)) {
      const folder = files[above];
      const names = folder?.kind === "folder" ? folder.names! : [];
      files[above] = { kind: "folder", names: [...new Set([...names, name])].sort() };
      if (above === "/") break;
    }
  const snapshot: Snapshot = {
    schema: "culprit/snapshot@1",
    culprit: "1.0.0",
    target: { kind: "root" },
    environment: {},
    cwd: "/",
    user: { uid: 0, gid: 0 },
    cpu,
    files,
    unknown: [],
  };
  const file = path.join(scratch, `${(count += 1)}.json`);
  fs.writeFileSync(file, JSON.stringify(snapshot));
  return file;
}

function culprit(...words: string[]): unknown {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["dist/cli.js", ...words, "--json"], { encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return JSON.parse(stdout);
}

function loads(snapshot: string, ...options: string[]): { libx: string; unknown: string[] } {
  const answer = culprit("loads", "/prog", "--target", snapshot, ...options) as Loads;
  const [load] = answer.loads;
  return { libx: `${load!.certainty} ${path.dirname(load!.path)}`, unknown: answer.unknown.map(({ subject }) => subject) };
}

const amd: CpuFact = { level: 3, platform: "haswell", avx512: false, vendor: "AuthenticAMD" };

describe("the folders of older releases are Intel's", () => {
  test.each([
    ["amd:v3", "certain /a"],
    ["AuthenticAMD:X86-64-V4", "certain /a"],
    ["hygon:v3", "certain /a"],
    ["zhaoxin:v3", "certain /a"],
    ["intel:v3", "certain /a/haswell"],
    ["GenuineIntel:v4", "certain /a/haswell/avx512_1"],
    ["intel:v2", "certain /a"],
    ["v2", "certain /a"],
    ["v3", "possible /a/haswell"],
    ["v4", "possible /a/haswell/avx512_1"],
  ])("--cpu %s, of a target whose processor is not known", (cpu, libx) => {
    for (const loader of [old, middle]) {
      const unknown = libx.startsWith("possible") ? ["processor"] : [];
      expect(loads(snapshotWith(loader, ["haswell", "haswell/avx512_1"], {}), "--cpu", cpu)).toEqual({ libx, unknown });
    }
  });

  test("without a vendor it is the target's own", () => {
    const snapshot = snapshotWith(middle, ["haswell"], amd);
    expect(loads(snapshot)).toEqual({ libx: "certain /a", unknown: [] });
    expect(loads(snapshot, "--cpu", "v4")).toEqual({ libx: "certain /a", unknown: [] });
    expect(loads(snapshot, "--cpu", "intel:v3")).toEqual({ libx: "certain /a/haswell", unknown: [] });
    expect(loads(snapshotWith(middle, ["haswell"], { ...amd, vendor: "GenuineIntel" }), "--cpu", "v3")).toEqual({
      libx: "certain /a/haswell",
      unknown: [],
    });
  });

  test("a vendor that nobody told leaves them open", () => {
    const { vendor: _none, ...nameless } = amd;
    expect(loads(snapshotWith(old, ["haswell"], nameless))).toEqual({ libx: "possible /a/haswell", unknown: ["processor"] });
    expect(loads(snapshotWith(old, [], nameless))).toEqual({ libx: "certain /a", unknown: [] });
  });
});

describe("the folders of newer releases are for a level, whoever made the processor", () => {
  test.each([
    ["amd:v3", "certain /a/glibc-hwcaps/x86-64-v3"],
    ["intel:v3", "certain /a/glibc-hwcaps/x86-64-v3"],
    ["v3", "certain /a/glibc-hwcaps/x86-64-v3"],
    ["v2", "certain /a"],
    ["amd:v4", "certain /a/glibc-hwcaps/x86-64-v4"],
  ])("--cpu %s", (cpu, libx) => {
    for (const loader of [middle, recent])
      expect(loads(snapshotWith(loader, ["glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4"], {}), "--cpu", cpu)).toEqual({
        libx,
        unknown: [],
      });
  });

  test("a level that nobody told leaves them open, those above the usual ones, too", () => {
    for (const level of levels) {
      const { libx, unknown } = loads(snapshotWith(recent, [`glibc-hwcaps/${level}`], {}));
      expect([libx.split(" ")[0], unknown]).toEqual(["possible", ["processor"]]);
    }
    expect(loads(snapshotWith(recent, [], {}))).toEqual({ libx: "certain /a", unknown: [] });
  });
});

test("`why` says that another processor may get another file", () => {
  const notes = (...options: string[]) => {
    const { requests } = culprit("why", "libx.so", "--for", "/prog", "--target", snapshotWith(old, ["haswell"], {}), ...options) as Why;
    return requests.flatMap((request) => request.notes);
  };
  expect(notes()).toEqual([expect.stringContaining("`--cpu VENDOR:LEVEL` names one")]);
  expect(notes("--cpu", "amd:v3")).toEqual([]);
});

test("variables that hide features leave open what hangs on them, and nothing else", () => {
  const hidden = (loader: LoaderFact, subfolder: string, variable: string) =>
    loads(snapshotWith(loader, [subfolder], { ...amd, vendor: "GenuineIntel" }), "--env", variable);
  expect(hidden(middle, "haswell", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2")).toEqual({
    libx: "possible /a/haswell",
    unknown: ["GLIBC_TUNABLES"],
  });
  expect(hidden(recent, "glibc-hwcaps/x86-64-v3", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2")).toEqual({
    libx: "possible /a/glibc-hwcaps/x86-64-v3",
    unknown: ["GLIBC_TUNABLES"],
  });
  expect(hidden(recent, "haswell", "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2")).toEqual({ libx: "certain /a", unknown: [] });
  expect(hidden(old, "x86_64", "LD_HWCAP_MASK=0")).toEqual({ libx: "possible /a/x86_64", unknown: ["LD_HWCAP_MASK"] });
  expect(hidden(recent, "glibc-hwcaps/x86-64-v3", "LD_HWCAP_MASK=0")).toEqual({ libx: "certain /a/glibc-hwcaps/x86-64-v3", unknown: [] });
});

test("$PLATFORM is another word on another processor", () => {
  const snapshot = snapshotWith(recent, ["haswell", "x86_64"], {}, "/a/$PLATFORM/libx.so");
  expect(loads(snapshot, "--cpu", "intel:v3").libx).toBe("certain /a/haswell");
  expect(loads(snapshot, "--cpu", "amd:v3").libx).toBe("certain /a/x86_64");
  expect(loads(snapshot, "--cpu", "v3").libx).toMatch(/^possible/);
});
