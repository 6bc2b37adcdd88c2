import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTarget, type ElfFact, type Snapshot, type Target } from "../../packages/core/src/index.ts";
import { dlopen, type OpenMode } from "../../packages/core/src/resolve/dlopen.ts";
import { startProgram } from "../../packages/core/src/resolve/start.ts";
import { viewOf } from "../../packages/core/src/resolve/view.ts";
import { machine } from "../../packages/machine/src/target/index.ts";
import { glibcLoader, muslLoader, run, type Start } from "./answers.ts";
import { flag1, makeElf, type Plan } from "./make-elf.ts";
import { build, temporary, type Files } from "./tree.ts";
import { needs } from "../needs.ts";

// A program that does what its script says and tells what is loaded after each line. `libcaller.so` opens from inside a library.
const driver = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
void *call (const char *, int);
static int show (struct dl_phdr_info *info, size_t size, void *data) { printf ("loaded %s\\n", info->dlpi_name); return 0; }
int main (int count, char **words) {
  for (int at = 1; at + 2 < count; at += 3) {
    int mode = (strchr (words[at + 1], 'l') ? RTLD_LAZY : RTLD_NOW) | (strchr (words[at + 1], 'n') ? RTLD_NOLOAD : 0);
    void *handle = words[at][0] == 'p' ? dlopen (words[at + 2], mode) : call (words[at + 2], mode);
    const char *error = handle ? 0 : dlerror ();
    printf ("step %s\\n", handle ? "opened" : strchr (words[at + 1], 'n') ? "absent" : error);
    dl_iterate_phdr (show, 0);
  }
  fflush (stdout);
  return 0;
}
`;
const caller = `#include <dlfcn.h>
void *call (const char *name, int mode) { void *volatile handle = dlopen (name, mode); return handle; }
`;

type Paths = { rpath?: string; runpath?: string };
type Step = { from?: "program" | "library"; mode?: OpenMode; name: string };

interface DlopenFixture {
  fact: string;
  files: (at: string) => Files;
  program?: (at: string) => Paths;
  /** Search paths of the library that calls. */
  library?: (at: string) => Paths;
  environment?: (at: string) => { [name: string]: string };
  steps: (at: string) => Step[];
}

const library = (plan: Plan = {}) => makeElf(plan);
const lib = (at: string, folder: string): Paths => ({ rpath: `${at}/${folder}` });

const fixtures: DlopenFixture[] = [
  {
    fact: "the program's RPATH serves the program",
    files: () => ({ "x/liba.so": library() }),
    program: (at) => lib(at, "x"),
    steps: () => [{ name: "liba.so" }],
  },
  {
    fact: "the program's RPATH serves a library that opens",
    files: () => ({ "x/liba.so": library() }),
    program: (at) => lib(at, "x"),
    steps: () => [{ from: "library", name: "liba.so" }],
  },
  {
    fact: "the program's RUNPATH serves only the program",
    files: () => ({ "x/liba.so": library() }),
    program: (at) => ({ runpath: `${at}/x` }),
    steps: () => [{ from: "library", name: "liba.so" }, { name: "liba.so" }, { from: "library", name: "liba.so" }],
  },
  {
    fact: "the RPATH of the library that opens",
    files: () => ({ "x/liba.so": library() }),
    library: (at) => lib(at, "x"),
    steps: () => [{ name: "liba.so" }, { from: "library", name: "liba.so" }],
  },
  {
    fact: "the RUNPATH of the library that opens switches off the program's RPATH",
    files: () => ({ "x/liba.so": library(), "y/libb.so": library() }),
    program: (at) => lib(at, "x"),
    library: (at) => ({ runpath: `${at}/y` }),
    steps: () => [
      { from: "library", name: "liba.so" },
      { from: "library", name: "libb.so" },
    ],
  },
  {
    fact: "LD_LIBRARY_PATH comes between",
    files: () => ({ "x/liba.so": library(), "y/liba.so": library() }),
    library: (at) => ({ runpath: `${at}/y` }),
    environment: (at) => ({ LD_LIBRARY_PATH: `${at}/x` }),
    steps: () => [{ from: "library", name: "liba.so" }],
  },
  {
    fact: "the chain of RPATHs ends at what was opened: the caller's does not serve its dependencies",
    files: () => ({ "x/liba.so": library({ needed: ["libdep.so"] }), "x/libdep.so": library() }),
    library: (at) => lib(at, "x"),
    steps: () => [{ from: "library", name: "liba.so" }],
  },
  {
    fact: "but the program's RPATH serves its dependencies",
    files: () => ({ "x/liba.so": library({ needed: ["libdep.so"] }), "x/libdep.so": library() }),
    program: (at) => lib(at, "x"),
    steps: () => [{ from: "library", name: "liba.so" }],
  },
  {
    fact: "the opened library's own RPATH serves its dependencies, and theirs",
    files: (at) => ({
      "x/liba.so": library({ needed: ["libb.so"], rpath: `${at}/y` }),
      "y/libb.so": library({ needed: ["libc0.so"] }),
      "y/libc0.so": library(),
    }),
    steps: (at) => [{ name: `${at}/x/liba.so` }],
  },
  {
    fact: "two absolute paths are two copies",
    files: () => ({ "x/liba.so": library({ soname: "liba.so" }), "y/liba.so": library({ soname: "liba.so" }) }),
    steps: (at) => [{ name: `${at}/x/liba.so` }, { name: `${at}/y/liba.so` }, { name: "liba.so" }],
  },
  {
    fact: "opened by its path, it answers for its DT_SONAME",
    files: () => ({ "x/libany.so": library({ soname: "liba.so" }), "y/liba.so": library({ soname: "liba.so" }) }),
    environment: (at) => ({ LD_LIBRARY_PATH: `${at}/y` }),
    steps: (at) => [{ name: `${at}/x/libany.so` }, { name: "liba.so" }, { name: "libany.so" }],
  },
  {
    fact: "opened by its path, it answers for another library's NEEDED",
    files: (at) => ({
      "x/liba.so": library({ soname: "liba.so" }),
      "y/liba.so": library({ soname: "liba.so" }),
      "y/libb.so": library({ needed: ["liba.so"], rpath: `${at}/y` }),
    }),
    steps: (at) => [{ name: `${at}/x/liba.so` }, { name: `${at}/y/libb.so` }],
  },
  {
    fact: "one inode under two names is one object",
    files: () => ({ "x/liba.so": library(), "y/libb.so": { same: "x/liba.so" } }),
    steps: (at) => [{ name: `${at}/x/liba.so` }, { name: `${at}/y/libb.so` }],
  },
  {
    fact: "RTLD_NOLOAD finds what is loaded, by name, DT_SONAME and inode, and nothing else",
    files: () => ({ "x/liba.so": library({ soname: "libother.so" }), "x/libb.so": { link: "liba.so" }, "x/libc0.so": library() }),
    program: (at) => lib(at, "x"),
    steps: () => [
      { name: "liba.so", mode: { onlyLoaded: true } },
      { name: "liba.so" },
      { name: "liba.so", mode: { onlyLoaded: true } },
      { name: "libother.so", mode: { onlyLoaded: true } },
      { name: "libb.so", mode: { onlyLoaded: true } },
      { name: "libc0.so", mode: { onlyLoaded: true } },
      { name: "libabsent.so", mode: { onlyLoaded: true } },
      { name: "libc0.so" },
    ],
  },
  {
    fact: "a missing dependency takes everything back",
    files: (at) => ({
      "x/liba.so": library({ needed: ["libb.so", "libabsent.so"], rpath: `${at}/x` }),
      "x/libb.so": library({ soname: "libb.so" }),
    }),
    steps: (at) => [{ name: `${at}/x/liba.so` }, { name: "libb.so" }, { name: `${at}/x/libb.so` }, { name: "libb.so" }],
  },
  {
    fact: "a name that was given on the way stays with an object from before",
    files: (at) => ({
      "x/liba.so": library(),
      "x/libalias.so": { link: "liba.so" },
      "x/libb.so": library({ needed: ["libalias.so", "libabsent.so"], rpath: `${at}/x` }),
      "y/libalias.so": library(),
    }),
    environment: (at) => ({ LD_LIBRARY_PATH: `${at}/y` }),
    steps: (at) => [{ name: `${at}/x/liba.so` }, { name: `${at}/x/libb.so` }, { name: "libalias.so" }],
  },
  {
    fact: "a missing version takes everything back",
    files: (at) => ({
      "x/liba.so": library({ needed: ["libb.so"], rpath: `${at}/x`, requires: [{ file: "libb.so", versions: ["V2"] }] }),
      "x/libb.so": library({ soname: "libb.so", provides: ["libb.so", "V1"] }),
    }),
    steps: (at) => [{ name: `${at}/x/liba.so` }, { name: `${at}/x/libb.so` }],
  },
  {
    fact: "what cannot be opened says why",
    files: () => ({
      "x/empty.so": { text: "" },
      "x/script.so": { text: "GROUP ( liba.so )".repeat(9) },
      "x/folder.so/y": { text: "" },
      "x/pie.so": makeElf({ program: true }),
      "x/fixed.so": makeElf({ program: true, fixed: true }),
      "x/noopen.so": library({ flags1: flag1.noopen }),
      "x/debug.so": library({ dynamicSegment: "empty" }),
      "x/static.so": library({ dynamicSegment: "absent" }),
      "x/loop.so": { link: "loop.so" },
      "x/narrow.so": makeElf({ class: 32, machine: 3 }),
      "x/other.so": makeElf({ machine: 21 }),
      "x/misaligned.so": library({ misaligned: true }),
    }),
    environment: (at) => ({ LD_LIBRARY_PATH: `${at}/x` }),
    steps: (at) =>
      ["empty", "script", "folder", "pie", "fixed", "noopen", "debug", "static", "loop", "narrow", "other", "misaligned", "absent"].flatMap(
        (name) => [{ name: `${at}/x/${name}.so` }, { name: `${name}.so` }, { name: `${at}/x/${name}.so/deeper` }],
      ),
  },
  {
    fact: "a library that wants an executable stack",
    files: () => ({ "x/stack.so": library({ stack: "executable" }), "x/nostack.so": library({ stack: "absent" }) }),
    steps: (at) => [{ name: `${at}/x/stack.so` }, { name: `${at}/x/nostack.so` }],
  },
  {
    fact: "$ORIGIN in a name is the caller's",
    files: () => ({ "x/liba.so": library(), "caller/x/libb.so": library() }),
    steps: () => [
      { name: "$ORIGIN/x/liba.so" },
      { name: "$ORIGIN/x/libb.so" },
      { from: "library", name: "${ORIGIN}/x/libb.so" },
      { from: "library", name: "$ORIGIN/x/liba.so" },
    ],
  },
  {
    fact: "a relative path starts from the current folder",
    files: (at) => ({
      "x/liba.so": library({ needed: ["libdep.so"], runpath: "$ORIGIN" }),
      "x/libdep.so": library(),
      "x/other": { text: at },
    }),
    steps: () => [{ name: "x/liba.so" }, { name: "./x/liba.so" }],
  },
  {
    fact: "what is loaded already is found whoever asks",
    files: () => ({ "x/liba.so": library() }),
    program: (at) => ({ runpath: `${at}/x` }),
    steps: () => [
      { name: "liba.so" },
      { from: "library", name: "liba.so" },
      { name: "libc.so.6" },
      { from: "library", name: "libcaller.so" },
    ],
  },
  {
    fact: "a folder that was missing at the start is not looked at again",
    files: () => ({ "x/liba.so": library() }),
    program: (at) => ({ rpath: `${at}/missing:${at}/x` }),
    steps: () => [{ name: "libabsent.so" }, { name: "liba.so" }],
  },
  {
    fact: "a wide and deep dependency tree is mapped breadth first",
    files: (at) => ({
      "x/liba.so": library({ needed: ["libb.so", "libc0.so"], rpath: `${at}/x` }),
      "x/libb.so": library({ needed: ["libd.so"] }),
      "x/libc0.so": library({ needed: ["libd.so", "libe.so", "libc.so.6"] }),
      "x/libd.so": library({ needed: ["libf.so"] }),
      "x/libe.so": library(),
      "x/libf.so": library(),
    }),
    steps: (at) => [{ name: `${at}/x/libd.so` }, { name: `${at}/x/liba.so` }],
  },
  {
    fact: "a preloaded library answers",
    files: () => ({ "x/libp.so": library({ soname: "liba.so" }), "y/liba.so": library() }),
    environment: (at) => ({ LD_PRELOAD: `${at}/x/libp.so`, LD_LIBRARY_PATH: `${at}/y` }),
    steps: () => [{ name: "liba.so" }],
  },
];

interface System {
  name: string;
  loader: string | undefined;
  compiler: string | undefined;
  /** Facts in which the replay does not follow, and why not. */
  differences: { [fact: string]: string };
}

const runs = (name: string) => spawnSync(name, ["--version"]).status === 0;
const systems: System[] = [
  { name: "glibc", loader: glibcLoader, compiler: ["cc", "gcc", "clang"].find(runs), differences: {} },
  {
    name: "musl",
    loader: muslLoader,
    compiler: ["musl-gcc"].find(runs),
    differences: {
      "what cannot be opened says why": "what musl maps without a look (see musl.test.ts) is refused",
    },
  },
];
const { folder, remove } = temporary();
afterAll(remove);

function compile({ compiler }: System, ...words: string[]): void {
  const { status, stderr } = spawnSync(compiler!, words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function linkFlags({ rpath, runpath }: Paths): string[] {
  if (rpath !== undefined) return ["-Wl,--disable-new-dtags", `-Wl,-rpath,${rpath}`];
  return runpath === undefined ? [] : ["-Wl,--enable-new-dtags", `-Wl,-rpath,${runpath}`];
}

interface Told {
  step: string;
  loaded: string[];
}

function live({ loader }: System, start: Start, at: string, steps: Step[]): Told[] {
  const words = steps.flatMap(({ from, mode, name }) => [
    from ?? "program",
    `${mode?.lazy ? "l" : ""}${mode?.onlyLoaded ? "n" : ""}-`,
    name,
  ]);
  const { output, status } = run({ ...start, after: words }, start.environment);
  expect(status).toBe(0);
  const told: Told[] = [];
  for (const line of output.split("\n")) {
    if (line.startsWith("step ")) told.push({ step: line.slice(5), loaded: [] });
    const name = /^loaded (.+)$/.exec(line)?.[1];
    if (name !== undefined && !/^linux-(vdso|gate)/.test(name) && name !== loader && name !== `${at}/prog`) told.at(-1)!.loaded.push(name);
  }
  return told;
}

/** The whole script again and again, until no fact is missing. */
async function replay({ loader }: System, target: Target, { program, environment, cwd }: Start, steps: Step[]): Promise<Told[]> {
  const unset = Object.keys(process.env).filter((name) => name.startsWith("LD_") && !(name in environment));
  const { view, collector } = await openTarget(target, { environment, cwd, unset });
  for (;;) {
    view.needs.clear();
    const told: Told[] = [];
    const started = startProgram(view, program);
    const running = started && "process" in started ? started.process : undefined;
    for (const { from, name, mode } of running ? steps : []) {
      const requester =
        from === "library" ? running!.objects.find((object) => object.path.endsWith("/libcaller.so"))! : running!.executable;
      if (requester === undefined) break;
      const opened = dlopen(running!, requester, name, mode);
      if ("pending" in opened) break;
      told.push({
        step: "object" in opened ? "opened" : "failure" in opened ? opened.failure.message : "absent",
        loaded: running!.objects.filter((object) => object !== running!.executable && object.path !== loader).map((object) => object.path),
      });
    }
    if (view.needs.size === 0) return told;
    await collector!.fetch(view.needs.values());
  }
}

for (const system of systems) {
  const { name, loader, compiler, differences } = system;
  describe(`dlopen is replayed as this machine's ${name} does it`, needs({ [name]: loader, "a C compiler": compiler }), () => {
    let compiled = false;
    fixtures.forEach(({ fact, files, program, library: callerPaths, environment, steps }) => {
      test(fact, { fails: differences[fact] !== undefined }, async () => {
        const [driverObject, callerObject] = [`${name}-driver.o`, `${name}-caller.o`];
        if (!compiled) {
          fs.writeFileSync(path.join(folder, "driver.c"), driver);
          fs.writeFileSync(path.join(folder, "caller.c"), caller);
          compile(system, "-c", "-fPIE", "-O1", "-o", driverObject, "driver.c");
          compile(system, "-c", "-fPIC", "-O1", "-o", callerObject, "caller.c");
          compiled = true;
        }
        const at = fs.mkdtempSync(path.join(folder, "f"));
        build(at, files(at));
        const callerFile = `${at}/caller/libcaller.so`;
        fs.mkdirSync(path.dirname(callerFile), { recursive: true });
        compile(system, "-shared", "-o", callerFile, callerObject, ...linkFlags(callerPaths?.(at) ?? {}), "-ldl");
        compile(system, "-pie", "-o", `${at}/prog`, driverObject, callerFile, ...linkFlags(program?.(at) ?? {}), "-ldl");
        const start: Start = { program: `${at}/prog`, cwd: at, environment: environment?.(at) ?? {} };
        expect(await replay(system, machine(), start, steps(at))).toEqual(live(system, start, at, steps(at)));
      });
    });
  });
}

const file = (object: ElfFact) => ({ kind: "file" as const, size: 4096, object });

// Said by the loaders of 2.41, 2.42 and 2.43 (Debian 13, Ubuntu 25.10, Debian unstable), which opened all of them in 2.39.
describe("since 2.41 no executable stack after the start", () => {
  const loader = "/lib64/ld-linux-x86-64.so.2";
  const elf = { kind: "elf" as const, class: 64 as const, order: "little" as const, machine: 62, type: 3, needed: [] };
  const open = (version: string, program: Partial<ElfFact>) => {
    const snapshot: Snapshot = {
      schema: "culprit/snapshot@1",
      culprit: "",
      target: { kind: "root" },
      environment: {},
      cwd: "/",
      user: { uid: 0, gid: 0 },
      cpu: { level: 3 },
      files: {
        "/lib64": { kind: "folder" },
        [loader]: { ...file(elf), loader: { flavour: "glibc", version, folders: ["/lib/"], hwcaps: [], cache: "/c", preload: "/p" } },
        "/c": { kind: "absent" },
        "/p": { kind: "absent" },
        "/prog": file({ ...elf, interpreter: loader, ...program }),
        "/stack.so": file({ ...elf, executableStack: true }),
        "/needs.so": file({ ...elf, needed: ["/stack.so"] }),
      },
      unknown: [],
    };
    const started = startProgram(viewOf(snapshot), "/prog");
    if (!started || !("process" in started)) throw new Error("the program does not start");
    return ["/stack.so", "/needs.so"].map((name) => {
      const opened = dlopen(started.process, started.process.executable, name);
      return "failure" in opened ? opened.failure.message : "object" in opened ? "opened" : "?";
    });
  };
  const refused = "/stack.so: cannot enable executable stack as shared object requires: Invalid argument";

  test.each([
    ["2.39 gives one", "2.39", {}, ["opened", "opened"]],
    ["2.41 does not, whoever needs it", "2.41", {}, [refused, refused]],
    ["a program that has one keeps it", "2.41", { executableStack: true as const }, ["opened", "opened"]],
    ["so does one whose library asked for it at the start", "2.43", { needed: ["/stack.so"] }, ["opened", "opened"]],
  ])("%s", (_fact, version, program, answers) => {
    expect(open(version, program)).toEqual(answers);
  });
});
