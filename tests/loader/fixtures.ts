// One fact of the loader a fixture. What is expected is written nowhere: it is what a real loader does with the same files.
import { damaged, dynamicTag, flag1, machines, makeElf, native, type Plan } from "./make-elf.ts";
import type { Entry, Files } from "./tree.ts";

/** What a fixture is built with. */
export interface Make {
  /** The folder that the fixture's files are below, as its programs see it. */
  at: string;
  program(plan?: Plan): Uint8Array;
  library(plan?: Plan): Uint8Array;
  /** An e_machine that is not ours. */
  otherMachine: number;
  /** The value of `$LIB` in the loader. */
  lib: string;
  /** The loader's path in PT_INTERP. */
  interpreter: string;
}

export interface Scene {
  /** Paths below the fixture's folder. */
  files: Files;
  environment?: { [name: string]: string };
  /** Below the fixture's folder; the folder itself unless said. */
  cwd?: string;
  /** As it is given to exec: the file `prog` by its absolute path unless said. */
  program?: string;
  /** Start it as a user without rights. */
  unprivileged?: boolean;
  /** Programs with foreign rights cannot be traced: only how they end is compared. */
  onlyEnd?: boolean;
  /** LD_DEBUG announces a cache entry that NODEFLIB then forbids to open: the search is not compared. */
  announcesMore?: boolean;
}

export interface Fixture {
  fact: string;
  /** Why the replay is not right yet. Such a test fails on the day that it is. */
  gap?: string;
  scene: (make: Make) => Scene;
}

export const nobody = 65534;

export function makeFor(at: string, machine: number = native): Make {
  return {
    at,
    program: (plan = {}) => makeElf({ machine, program: true, ...plan }),
    library: (plan = {}) => makeElf({ machine, ...plan }),
    otherMachine: machine === machines.aarch64 ? machines.x86 : machines.aarch64,
    lib: machine === machines.aarch64 ? "lib/aarch64-linux-gnu" : "lib/x86_64-linux-gnu",
    interpreter: machine === machines.aarch64 ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2",
  };
}

export const fixtures: Fixture[] = [];

function fact(text: string, scene: Fixture["scene"], gap?: string): void {
  fixtures.push({ fact: text, scene, ...(gap === undefined ? {} : { gap }) });
}

// --- Whose list is searched, and when ---

fact("RPATH comes before LD_LIBRARY_PATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/a` }), "a/libx.so": library(), "b/libx.so": library() },
  environment: { LD_LIBRARY_PATH: `${at}/b` },
}));
fact("LD_LIBRARY_PATH comes before RUNPATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], runpath: `${at}/a` }), "a/libx.so": library(), "b/libx.so": library() },
  environment: { LD_LIBRARY_PATH: `${at}/b` },
}));
fact("RUNPATH comes before the system folders", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"], runpath: `${at}/a` }), "a/libc.so.6": library() },
}));
fact("a name that is nowhere is tried in every folder", ({ at, program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], runpath: `${at}/a:${at}` }), "a/other": { text: "" } },
  environment: { LD_LIBRARY_PATH: `${at}/b:${at}/a` },
}));
fact("two names that are nowhere are both told", ({ program, library }) => ({
  files: { prog: program({ needed: ["libabsent1.so", "libx.so", "libabsent2.so"], rpath: "$ORIGIN" }), "libx.so": library() },
}));
fact("a missing library of a library is told after those of the program", ({ program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so", "libabsent1.so"], rpath: "$ORIGIN" }),
    "libx.so": library({ needed: ["libabsent2.so"] }),
  },
}));
fact("a missing library is searched for again by everyone who needs it", ({ program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so", "libabsent.so"], rpath: "$ORIGIN" }),
    "libx.so": library({ needed: ["libabsent.so"], rpath: "/nowhere" }),
  },
}));
fact("RPATH of an intermediate parent serves its children", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libmid.so"], rpath: `${at}/1` }),
    "1/libmid.so": library({ needed: ["libleaf.so"], rpath: `${at}/2` }),
    "2/libleaf.so": library({ needed: ["libx.so"] }),
    "2/libx.so": library(),
  },
}));
fact("RPATHs of three ancestors are searched from the nearest to the program", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["lib1.so"], rpath: `${at}/0:${at}/far` }),
    "0/lib1.so": library({ needed: ["lib2.so"], rpath: `${at}/1` }),
    "1/lib2.so": library({ needed: ["lib3.so"], rpath: `${at}/2` }),
    "2/lib3.so": library({ needed: ["libx.so"], rpath: `${at}/3` }),
    "3/other": { text: "" },
    "far/libx.so": library(),
  },
}));
fact("of three ancestors' RPATHs the nearest that has the file wins", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["lib1.so"], rpath: `${at}/0` }),
    "0/lib1.so": library({ needed: ["lib2.so"], rpath: `${at}/1` }),
    "0/libx.so": library(),
    "1/lib2.so": library({ needed: ["libx.so"] }),
    "1/libx.so": library(),
  },
}));
fact("a RUNPATH in the middle drops only its own RPATH from the chain", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libmid.so"], rpath: `${at}/0` }),
    "0/libmid.so": library({ needed: ["libleaf.so"], rpath: `${at}/1`, runpath: `${at}/2` }),
    "0/libx.so": library(),
    "1/libx.so": library(),
    "2/libleaf.so": library({ needed: ["libx.so"] }),
    "2/libx.so": library(),
  },
}));
fact("the requester's RUNPATH switches off the program's RPATH", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libmid.so"], rpath: `${at}/0` }),
    "0/libmid.so": library({ needed: ["libx.so"], runpath: `${at}/empty` }),
    "0/libx.so": library(),
  },
}));
fact("an empty RUNPATH switches off RPATHs as well", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libmid.so"], rpath: `${at}/0` }),
    "0/libmid.so": library({ needed: ["libx.so"], runpath: "" }),
    "0/libx.so": library(),
  },
}));
fact("an empty RPATH is no list", ({ program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: "" }), "libx.so": library() },
}));
fact("the program's RUNPATH is not for its libraries", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libmid.so"], runpath: `${at}/0` }),
    "0/libmid.so": library({ needed: ["libx.so"] }),
    "0/libx.so": library(),
  },
}));
fact("a program with RPATH and RUNPATH has no RPATH, for its libraries either", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libmid.so"], rpath: `${at}/1`, runpath: `${at}/0` }),
    "0/libmid.so": library({ needed: ["libx.so"] }),
    "1/libmid.so": library({ needed: ["libx.so"] }),
    "1/libx.so": library(),
  },
}));
fact("RUNPATH beside RPATH lets LD_LIBRARY_PATH go first", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1`, runpath: `${at}/2` }),
    "1/libx.so": library(),
    "2/libx.so": library(),
    "3/libx.so": library(),
  },
  environment: { LD_LIBRARY_PATH: `${at}/3` },
}));
fact("a sibling's RPATH is nobody else's", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: `${at}/0` }),
    "0/liba.so": library({ rpath: `${at}/1` }),
    "0/libb.so": library({ needed: ["libx.so"] }),
    "1/libx.so": library(),
  },
}));
fact("the program's RPATH is searched once when the program itself asks", ({ at, program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: `${at}/0` }), "0/other": { text: "" } },
}));
fact("a library's RPATH is searched before the program's, both before LD_LIBRARY_PATH", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: `${at}/0` }),
    "0/liba.so": library({ needed: ["libabsent.so"], rpath: `${at}/1` }),
    "1/other": { text: "" },
    "2/other": { text: "" },
  },
  environment: { LD_LIBRARY_PATH: `${at}/2` },
}));
fact("the RPATH chain runs over the first requester, not over every one", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: `${at}/0` }),
    "0/liba.so": library({ needed: ["libc0.so"], rpath: `${at}/1` }),
    "0/libb.so": library({ needed: ["libc0.so"], rpath: `${at}/2` }),
    "1/libc0.so": library({ needed: ["libx.so"] }),
    "2/libx.so": library(),
  },
}));

// --- Order, and what counts as loaded already ---

fact("the program's second NEEDED beats a dependency of the first", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", `${at}/2/libx.so`], rpath: `${at}/0` }),
    "0/liba.so": library({ needed: ["libx.so"], rpath: `${at}/1` }),
    "1/libx.so": library({ soname: "libx.so" }),
    "2/libx.so": library({ soname: "libx.so" }),
  },
}));
fact("two copies of one DT_SONAME: whose requester comes first, breadth first", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: `${at}/0` }),
    "0/liba.so": library({ needed: ["libx.so"], runpath: `${at}/1` }),
    "0/libb.so": library({ needed: ["libx.so"], runpath: `${at}/2` }),
    "1/libx.so": library({ soname: "libx.so" }),
    "2/libx.so": library({ soname: "libx.so" }),
  },
}));
fact("the DT_SONAME of a file with another name answers", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: `${at}` }),
    "liba.so": library({ soname: "libreal.so" }),
    "libb.so": library({ needed: ["libreal.so"] }),
    "libreal.so": library(),
  },
}));
fact("a file name without DT_SONAME does not answer for its path", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: [`${at}/1/libx.so`, "libx.so"], rpath: `${at}/2` }),
    "1/libx.so": library(),
    "2/libx.so": library(),
  },
}));
fact("a library opened by path answers for its DT_SONAME", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: [`${at}/1/libx.so`, "libx.so"], rpath: `${at}/2` }),
    "1/libx.so": library({ soname: "libx.so" }),
    "2/libx.so": library({ soname: "libx.so" }),
  },
}));
fact("the unversioned name does not match a loaded versioned one", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so.9", "libx.so"], rpath: `${at}/1:${at}/2` }),
    "1/libx.so.9": library({ soname: "libx.so.9" }),
    "2/libx.so": library({ soname: "libx.so.9" }),
  },
}));
fact("two paths with different inodes are two copies", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: [`${at}/1/libx.so`, `${at}/2/libx.so`] }),
    "1/libx.so": library({ soname: "libx.so" }),
    "2/libx.so": library({ soname: "libx.so" }),
  },
}));
fact("a hard link is the same object", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: [`${at}/1/libx.so`, `${at}/2/liby.so`] }),
    "1/libx.so": library(),
    "2/liby.so": { same: "1/libx.so" },
  },
}));
fact("a symbolic link is the same object", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so", "liby.so"], rpath: at }), "libx.so": library(), "liby.so": { link: "libx.so" } },
}));
fact("a hard link brings no second origin", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so", "liby.so"], rpath: `${at}/1:${at}/2` }),
    "1/libx.so": library({ needed: ["libdep.so"], runpath: "$ORIGIN/dep" }),
    "2/liby.so": { same: "1/libx.so" },
    "2/dep/libdep.so": library(),
  },
}));
fact("one path written in two ways is one object by its inode", ({ at, program, library }) => ({
  files: { prog: program({ needed: [`${at}/libx.so`, `${at}//./libx.so`] }), "libx.so": library() },
}));
fact("a name that was given to an object by its inode answers next time", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so", "liby.so", "liba.so"], rpath: at }),
    "libx.so": library(),
    "liby.so": { link: "libx.so" },
    "liba.so": library({ needed: ["liby.so"], runpath: `${at}/2` }),
    "2/liby.so": library(),
  },
}));
fact("a circle of libraries ends", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at }),
    "liba.so": library({ needed: ["libb.so"] }),
    "libb.so": library({ needed: ["liba.so"] }),
  },
}));
fact("a library that needs itself", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["liba.so"], rpath: at }), "liba.so": library({ soname: "libself.so", needed: ["libself.so"] }) },
}));
fact("a library that is needed twice is loaded once", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["liba.so", "liba.so"], rpath: at }), "liba.so": library() },
}));
fact("a diamond", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: ["libd.so", "libe.so"] }),
    "libb.so": library({ needed: ["libe.so", "libd.so", "libf.so"] }),
    "libd.so": library({ needed: ["libf.so"] }),
    "libe.so": library(),
    "libf.so": library(),
  },
}));
fact("the program's own DT_SONAME answers", ({ at, program, library }) => ({
  files: {
    prog: program({ soname: "libself.so", needed: ["liba.so"], rpath: at }),
    "liba.so": library({ needed: ["libself.so"] }),
    "libself.so": library(),
  },
}));
fact("an empty NEEDED is the program itself", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["", "liba.so"], rpath: at }), "liba.so": library({ needed: [""] }) },
}));
fact("the loader is loaded already, by its name", ({ at, program, library, interpreter }) => ({
  files: {
    prog: program({ needed: [interpreter.slice(interpreter.lastIndexOf("/") + 1), "liba.so", "libc.so.6"], rpath: at }),
    "liba.so": library(),
    [interpreter.slice(interpreter.lastIndexOf("/") + 1)]: library(),
  },
}));
fact("the loader is loaded already, by its path", ({ at, program, library, interpreter }) => ({
  files: { prog: program({ needed: ["liba.so", interpreter, "libc.so.6"], rpath: at }), "liba.so": library() },
}));
fact("the loader is listed where a library first needs it", ({ at, program, library, interpreter }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: [interpreter] }),
    "libb.so": library({ needed: ["libc.so.6"] }),
  },
}));
fact("the kernel's object answers to its name", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["linux-vdso.so.1", "liba.so"], rpath: at }),
    "linux-vdso.so.1": library(),
    "liba.so": library(),
  },
}));
fact("libc itself, and the loader that it needs", ({ program }) => ({ files: { prog: program({ needed: ["libc.so.6"] }) } }));

// --- Paths in NEEDED ---

fact("an absolute NEEDED is opened as it is", ({ at, program, library }) => ({
  files: { prog: program({ needed: [`${at}/a/libx.so`] }), "a/libx.so": library() },
}));
fact("an absolute NEEDED that is absent is not searched for", ({ at, program, library }) => ({
  files: { prog: program({ needed: [`${at}/a/libx.so`], rpath: `${at}/b` }), "b/libx.so": library() },
}));
fact("a relative NEEDED with a slash starts from the current folder", ({ program, library }) => ({
  files: { prog: program({ needed: ["sub/libx.so"] }), "here/sub/libx.so": library(), "sub/libx.so": library() },
  cwd: "here",
}));
fact("a relative NEEDED gives an origin below the current folder", ({ program, library }) => ({
  files: {
    prog: program({ needed: ["sub/libx.so"] }),
    "here/sub/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN/more" }),
    "here/sub/more/liby.so": library(),
  },
  cwd: "here",
}));
fact("$ORIGIN in NEEDED is the requester's", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["$ORIGIN/a/libx.so"] }),
    "a/libx.so": library({ needed: ["${ORIGIN}/liby.so"] }),
    "a/liby.so": library(),
    "liby.so": library(),
  },
  environment: { LD_LIBRARY_PATH: at },
}));
fact("$LIB in NEEDED", ({ program, library, lib }) => ({
  files: { prog: program({ needed: ["$ORIGIN/$LIB/libx.so"] }), [`${lib}/libx.so`]: library() },
}));
fact("a token without a slash in NEEDED is a name to search for once replaced", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["lib${PLATFORM}x.so"], rpath: at }), "libhaswellx.so": library(), "libaarch64x.so": library() },
}));
fact("a token without a slash in NEEDED, whatever the processor is called", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["lib${PLATFORM}x.so"], rpath: at }),
    "libhaswellx.so": library(),
    "libxeon_phix.so": library(),
    "libx86_64x.so": library(),
    "libaarch64x.so": library(),
  },
}));
fact("an unknown token in NEEDED is plain text", ({ at, program, library }) => ({
  files: { prog: program({ needed: [`${at}/$FOO/libx.so`, "lib$x.so"], rpath: at }), "$FOO/libx.so": library(), "lib$x.so": library() },
}));
fact("NEEDED of a wrong-class file by path", ({ at, program }) => ({
  files: { prog: program({ needed: [`${at}/libx.so`] }), "libx.so": makeElf({ class: 32, machine: machines.i386 }) },
}));
fact("NEEDED of a wrong-machine file by path", ({ at, program, library, otherMachine }) => ({
  files: { prog: program({ needed: [`${at}/libx.so`] }), "libx.so": library({ machine: otherMachine }) },
}));
fact("NEEDED that leads through a link loop", ({ at, program }) => ({
  files: { prog: program({ needed: [`${at}/libx.so`] }), "libx.so": { link: "libx.so" } },
}));
fact("NEEDED that leads through a file", ({ at, program }) => ({
  files: { prog: program({ needed: [`${at}/file/libx.so`] }), file: { text: "" } },
}));
fact("NEEDED with a trailing slash", ({ at, program, library }) => ({
  files: { prog: program({ needed: [`${at}/libx.so/`] }), "libx.so": library() },
}));
fact("a name that is too long for the file system", ({ at, program }) => ({
  files: { prog: program({ needed: [`lib${"x".repeat(300)}.so`], rpath: at }) },
}));
fact("a NEEDED path that is too long for the kernel", ({ at, program }) => ({
  files: { prog: program({ needed: [`${at}/${"long/".repeat(900)}libx.so`] }) },
}));
fact("a name with a space and one that is not ASCII", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["lib x.so", "libé.so"], rpath: at }), "lib x.so": library(), "libé.so": library() },
}));

// --- How lists are written ---

fact("semicolons separate in LD_LIBRARY_PATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"] }), "a/other": { text: "" }, "b/libx.so": library() },
  environment: { LD_LIBRARY_PATH: `${at}/a;${at}/b` },
}));
fact("semicolons are plain text in RPATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/a;${at}/b` }), "b/libx.so": library() },
}));
fact("semicolons are plain text in RUNPATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], runpath: `${at}/a;b:${at}/c` }), "a;b/libx.so": library(), "c/libx.so": library() },
}));
for (const [where, text] of [
  ["first", (folder: string) => `:${folder}`],
  ["last", (folder: string) => `${folder}:`],
  ["in the middle", (folder: string) => `${folder}::${folder}2`],
  ["twice", (folder: string) => `${folder}:::`],
] as const) {
  for (const kind of ["rpath", "runpath"] as const) {
    fact(`an empty element ${where} of ${kind.toUpperCase()} is the current folder`, ({ at, program, library }) => ({
      files: { prog: program({ needed: ["libx.so"], [kind]: text(`${at}/a`) }), "a/other": { text: "" }, "here/libx.so": library() },
      cwd: "here",
    }));
  }
  fact(`an empty element ${where} of LD_LIBRARY_PATH is the current folder`, ({ at, program, library }) => ({
    files: { prog: program({ needed: ["libx.so"] }), "a/other": { text: "" }, "here/libx.so": library() },
    cwd: "here",
    environment: { LD_LIBRARY_PATH: text(`${at}/a`) },
  }));
}
fact("LD_LIBRARY_PATH of a colon alone is the current folder", ({ program, library }) => ({
  files: { prog: program({ needed: ["libx.so"] }), "libx.so": library() },
  environment: { LD_LIBRARY_PATH: ":" },
}));
fact("an RPATH of a colon alone is the current folder", ({ program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: ":" }), "libx.so": library() },
}));
fact("an empty LD_LIBRARY_PATH is no list", ({ program, library }) => ({
  files: { prog: program({ needed: ["libx.so"] }), "libx.so": library() },
  environment: { LD_LIBRARY_PATH: "" },
}));
fact("slashes at the end of an element become one", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/a///` }), "a/libx.so": library() },
}));
fact("slashes inside an element stay", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}//a/../a/./` }), "a/libx.so": library() },
}));
fact("the top folder as an element", ({ program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: "/:///" }) },
}));
fact("an element twice is searched once", ({ at, program }) => ({
  files: {
    prog: program({ needed: ["libabsent.so"], rpath: `${at}/a:${at}/b:${at}/a/:${at}/b` }),
    "a/x": { text: "" },
    "b/x": { text: "" },
  },
}));
fact("one folder in RPATH and in LD_LIBRARY_PATH is searched twice", ({ at, program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: `${at}/a` }), "a/x": { text: "" } },
  environment: { LD_LIBRARY_PATH: `${at}/a` },
}));
fact("a missing folder is tried only once in a process", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libabsent.so", "liba.so"], rpath: `${at}/missing:${at}` }),
    "liba.so": library({ needed: ["libabsent2.so"], rpath: `${at}/missing` }),
  },
  environment: { LD_LIBRARY_PATH: `${at}/missing:${at}/missing2` },
}));
fact("a missing relative folder is tried every time", ({ program }) => ({
  files: { prog: program({ needed: ["libabsent.so", "libabsent2.so"], rpath: "missing" }) },
}));
fact("a relative element starts from the current folder", ({ program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: "a" }), "a/libx.so": library(), "here/a/libx.so": library() },
  cwd: "here",
}));
fact("a relative element gives its library an absolute origin", ({ program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"] }),
    "here/a/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN/../b" }),
    "here/b/liby.so": library(),
  },
  cwd: "here",
  environment: { LD_LIBRARY_PATH: "./a" },
}));
fact("a library in the current folder has it as origin", ({ program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"] }),
    "here/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN/b" }),
    "here/b/liby.so": library(),
  },
  cwd: "here",
  environment: { LD_LIBRARY_PATH: ":" },
}));
fact("a folder with a space", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/a b` }), "a b/libx.so": library() },
}));

// --- Tokens ---

fact("$ORIGIN in RPATH", ({ program, library }) => ({
  files: { "bin/prog": program({ needed: ["libx.so"], rpath: "$ORIGIN/../lib" }), "lib/libx.so": library() },
  program: "bin/prog",
}));
fact("${ORIGIN} in RUNPATH", ({ program, library }) => ({
  files: { "bin/prog": program({ needed: ["libx.so"], runpath: "${ORIGIN}/../lib" }), "lib/libx.so": library() },
  program: "bin/prog",
}));
fact("${ORIGIN} ends where the brace ends", ({ program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], runpath: "${ORIGIN}x" }), "libx.so": library() },
}));
fact("$ORIGINX is no token", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/$ORIGINX:${at}/$ORIGIN_` }), "$ORIGIN_/libx.so": library() },
}));
fact("the beginning of a token's name", ({ at, program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: `${at}/$O/x:\${OR}/y:${at}/$LI:${at}/$X/z:${at}/\${}:${at}/$PLAT` }) },
}));
fact("an open brace is no token", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/\${ORIGIN` }), "${ORIGIN/libx.so": library() },
}));
fact("$ORIGIN before a dot or a dash is a token", ({ program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: "$ORIGIN.d:$ORIGIN-d" }) },
}));
fact("$ORIGIN in the middle of an element", ({ at, program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: `${at}/$ORIGIN:$ORIGIN$ORIGIN` }) },
}));
fact("a dollar before a token, and one alone", ({ at, program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: `$$ORIGIN:${at}/$:${at}/a$b$` }) },
}));
fact("$LIB and $PLATFORM", ({ at, program, library, lib }) => ({
  files: {
    prog: program({ needed: ["libx.so", "liby.so"], rpath: `${at}/$LIB:${at}/p/\${PLATFORM}` }),
    [`${lib}/libx.so`]: library(),
    "p/haswell/liby.so": library(),
    "p/aarch64/liby.so": library(),
    "p/x86_64/liby.so": library(),
    "p/xeon_phi/liby.so": library(),
  },
}));
fact("three tokens in one element", ({ program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], runpath: "$ORIGIN/${LIB}-$PLATFORM/$LIBX/$PLATFORMS/${LIB}s" }) },
}));
fact("tokens in LD_LIBRARY_PATH are the program's", ({ at, program, library }) => ({
  files: {
    "bin/prog": program({ needed: ["liba.so"] }),
    "lib/liba.so": library({ needed: ["libx.so"] }),
    "bin/libx.so": library(),
    "lib/libx.so": library(),
  },
  program: "bin/prog",
  environment: { LD_LIBRARY_PATH: `${at}/lib:$ORIGIN` },
}));
fact("$ORIGIN in LD_LIBRARY_PATH comes first where it stands first", ({ at, program, library }) => ({
  files: { "bin/prog": program({ needed: ["libx.so"] }), "bin/libx.so": library(), "lib/libx.so": library() },
  program: "bin/prog",
  environment: { LD_LIBRARY_PATH: `\${ORIGIN};${at}/lib` },
}));
fact("$ORIGIN of a library behind a link is the link's folder", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1` }),
    "1/libx.so": { link: "../2/libx.so" },
    "2/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN" }),
    "2/liby.so": library(),
  },
}));
fact("$ORIGIN of a library in a linked folder is the folder as it was written", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1/deep` }),
    "1": { link: "2" },
    "2/deep/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN/../dep" }),
    "2/dep/liby.so": library(),
  },
}));
fact("dots after $ORIGIN follow the link they come to", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1` }),
    "1": { link: "far/away/2" },
    "far/away/2/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN/../dep" }),
    "far/away/dep/liby.so": library(),
    "dep/liby.so": library(),
  },
}));
fact("$ORIGIN of a linked program is the folder of the file", ({ program, library }) => ({
  files: {
    "bin/prog": { link: "../opt/bin/prog" },
    "opt/bin/prog": program({ needed: ["libx.so"], rpath: "$ORIGIN/../lib" }),
    "opt/lib/libx.so": library(),
    "lib/libx.so": library(),
  },
  program: "bin/prog",
}));
fact("$ORIGIN of a program in a linked folder is the real folder", ({ program, library }) => ({
  files: {
    here: { link: "opt/bin" },
    "opt/bin/prog": program({ needed: ["libx.so"], runpath: "$ORIGIN/../lib" }),
    "opt/lib/libx.so": library(),
    "lib/libx.so": library(),
  },
  program: "here/prog",
}));
fact("a hard-linked program has the origin of the name it was started by", ({ program, library }) => ({
  files: {
    "opt/bin/prog": program({ needed: ["libx.so"], runpath: "$ORIGIN/../lib" }),
    "bin/prog": { same: "opt/bin/prog" },
    "opt/lib/libx.so": library(),
    "lib/libx.so": library(),
  },
  program: "bin/prog",
}));
fact("a program started by a relative path", ({ program, library }) => ({
  files: { "bin/prog": program({ needed: ["libx.so"], rpath: "$ORIGIN/../lib" }), "lib/libx.so": library(), "here/x": { text: "" } },
  cwd: "here",
  program: "../bin/prog",
}));
fact("a program started from its own folder, and what it lacks", ({ program }) => ({
  files: { prog: program({ needed: ["libabsent.so"], rpath: "$ORIGIN" }) },
  program: "./prog",
}));

// --- A file that is there but will not do ---

const short = new TextEncoder().encode("version https://git-lfs.github.com/spec/v1\n");
const script = new TextEncoder().encode(`/* GNU ld script */\nGROUP ( libx.so.1 AS_NEEDED ( libc_nonshared.a ) )\n${" ".repeat(64)}`);

/** What is found first, in `first/`; the good copy is in the next folder of the list. */
const candidates: [what: string, entry: (make: Make) => Entry, gap?: string][] = [
  ["a link to nothing", () => ({ link: "nowhere" })],
  ["a link to itself", () => ({ link: "libx.so" })],
  ["a link through a file", () => ({ link: "../prog/libx.so" })],
  ["a link to a folder", () => ({ link: "../second" })],
  ["a link to /dev/null", () => ({ link: "/dev/null" })],
  ["a folder", () => ({ folder: true })],
  ["an empty file", () => ({ text: "" })],
  ["a short text", () => short],
  ["a linker script", () => script],
  ["63 bytes of a library", ({ library }) => library().slice(0, 63)],
  ["64 bytes of a library", ({ library }) => library().slice(0, 64)],
  ["a library cut in its program headers", ({ library }) => library().slice(0, 100)],
  ["a library cut before its tables", ({ library }) => library({ pages: 4 }).slice(0, 5000)],
  [
    "a library cut in the last page, which the kernel fills with zeros",
    ({ library }) => library({ pages: 4 }).slice(0, -1),
    "the reader takes the missing byte of DT_NULL for a table beyond the end",
  ],
  ["a library of 32 bits", () => makeElf({ class: 32, machine: machines.i386 })],
  ["a library of 32 bits and wrong byte order", () => makeElf({ class: 32, order: "big", machine: machines.s390 })],
  ["an ELF class that there is not", ({ library }) => damaged(library(), 4, 7)],
  ["a library of another machine", ({ library, otherMachine }) => library({ machine: otherMachine })],
  ["a relocatable file of another machine", ({ library, otherMachine }) => damaged(library({ machine: otherMachine }), 16, 1)],
  ["a big-endian library", ({ library }) => library({ order: "big" })],
  ["a big-endian library of another machine", () => makeElf({ order: "big", machine: machines.s390 })],
  ["EI_DATA that there is not", ({ library }) => damaged(library(), 5, 9)],
  ["EI_VERSION 0", ({ library }) => damaged(library(), 6, 0)],
  ["EI_OSABI of GNU/Linux", ({ library }) => damaged(library(), 7, 3)],
  ["EI_OSABI of FreeBSD", ({ library }) => damaged(library(), 7, 9)],
  ["EI_ABIVERSION 1", ({ library }) => damaged(library(), 8, 1)],
  ["EI_OSABI of GNU/Linux, EI_ABIVERSION 1", ({ library }) => damaged(library(), 7, 3, 1)],
  ["EI_OSABI of GNU/Linux, EI_ABIVERSION 9", ({ library }) => damaged(library(), 7, 3, 9)],
  ["EI_OSABI of FreeBSD, EI_ABIVERSION 1", ({ library }) => damaged(library(), 7, 9, 1)],
  ["bytes after the ELF identification", ({ library }) => damaged(library(), 12, 1)],
  ["e_version 2", ({ library }) => damaged(library(), 20, 2)],
  ["e_version 2 of another machine", ({ library, otherMachine }) => damaged(library({ machine: otherMachine }), 20, 2)],
  ["a relocatable file", ({ library }) => damaged(library(), 16, 1)],
  ["a core file", ({ library }) => damaged(library(), 16, 4)],
  ["program headers of an odd size", ({ library }) => damaged(library(), 54, 57)],
  ["program headers beyond the end", ({ library }) => damaged(library(), 32, 0, 0, 16)],
  ["no program headers", ({ library }) => damaged(library(), 56, 0)],
  ["nothing to load", ({ library }) => library({ unloadable: true })],
  ["a segment off the page grid", ({ library }) => library({ misaligned: true })],
  ["an executable at a fixed address", ({ program }) => program({ fixed: true })],
  ["an executable at a fixed address without a dynamic section", ({ program }) => program({ fixed: true, dynamicSegment: "absent" })],
  ["a position-independent executable", ({ program }) => program()],
  ["a position-independent executable without the flag", ({ program }) => program({ flags1: 0 })],
  ["no dynamic section", ({ library }) => library({ dynamicSegment: "absent" })],
  ["an empty dynamic section, as in separate debug files", ({ library }) => library({ dynamicSegment: "empty" })],
  ["a library that must not be dlopened", ({ library }) => library({ flags1: flag1.noopen })],
  ["a library that wants an executable stack", ({ library }) => library({ stack: "executable" })],
  ["a library without PT_GNU_STACK", ({ library }) => library({ stack: "absent" })],
  ["a library for a kernel of the future", ({ library }) => library({ kernel: [99, 0, 0] })],
  ["a library for an old kernel", ({ library }) => library({ kernel: [3, 2, 0] })],
];
for (const [what, entry, gap] of candidates) {
  fact(
    `first in the list: ${what}`,
    (make) => ({
      files: { prog: make.program({ needed: ["libx.so"] }), "first/libx.so": entry(make), "second/libx.so": make.library() },
      environment: { LD_LIBRARY_PATH: `${make.at}/first:${make.at}/second` },
    }),
    gap,
  );
}
for (const what of [
  "a link to itself",
  "an empty file",
  "a library of 32 bits",
  "a link to nothing",
  "a position-independent executable",
]) {
  const entry = candidates.find(([name]) => name === what)![1];
  for (const kind of ["rpath", "runpath"] as const) {
    fact(`first in ${kind.toUpperCase()}: ${what}`, (make) => ({
      files: {
        prog: make.program({ needed: ["libx.so"], [kind]: `${make.at}/first:${make.at}/second` }),
        "first/libx.so": entry(make),
        "second/libx.so": make.library(),
        "third/libx.so": make.library(),
      },
      environment: { LD_LIBRARY_PATH: `${make.at}/third` },
    }));
  }
  fact(`by its path: ${what}`, (make) => ({
    files: { prog: make.program({ needed: [`${make.at}/libx.so`] }), "libx.so": entry(make) },
  }));
  fact(`needed by a library: ${what}`, (make) => ({
    files: {
      prog: make.program({ needed: ["liba.so"], rpath: make.at }),
      "liba.so": make.library({ needed: ["libx.so"] }),
      "libx.so": entry(make),
    },
  }));
}
fact("a library of 32 bits and nothing else says so", ({ at, program }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: at }), "libx.so": makeElf({ class: 32, machine: machines.i386 }) },
}));
fact("another machine's library with an odd header, and nothing else", ({ at, program }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: at }), "libx.so": damaged(makeElf({ order: "big", machine: machines.s390 }), 7, 9) },
}));
fact("32 bits in one list and another machine in the next", ({ at, program, library, otherMachine }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1` }),
    "1/libx.so": makeElf({ class: 32, machine: machines.i386 }),
    "2/libx.so": library({ machine: otherMachine }),
  },
  environment: { LD_LIBRARY_PATH: `${at}/2` },
}));
fact("a link loop ends one list, and the next goes on", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1:${at}/2` }),
    "1/libx.so": { link: "libx.so" },
    "2/libx.so": library(),
    "3/libx.so": library(),
  },
  environment: { LD_LIBRARY_PATH: `${at}/3` },
}));
fact("a folder that is a link loop is only a missing folder", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/loop:${at}/2` }), loop: { link: "loop" }, "2/libx.so": library() },
}));
fact("a relative folder that is a link loop ends the list", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `loop:${at}/2` }), loop: { link: "loop" }, "2/libx.so": library() },
}));
fact("a file in place of a folder", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/file:${at}/2` }), file: { text: "" }, "2/libx.so": library() },
}));
fact("a file in place of a relative folder", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `file:${at}/2` }), file: { text: "" }, "2/libx.so": library() },
}));
fact("a folder below a file", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/file/deep:${at}/2` }), file: { text: "" }, "2/libx.so": library() },
}));
fact("a folder name that is too long", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/${"x".repeat(300)}:${at}/2` }), "2/libx.so": library() },
}));
fact("a relative folder name that is too long ends the list", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${"x".repeat(300)}:${at}/2` }), "2/libx.so": library() },
}));
fact("a folder path that is too long for the kernel", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: `${at}/${"long/".repeat(900)}:${at}/2` }), "2/libx.so": library() },
}));
fact("forty links to a library are followed", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: at }), ...linkChain("libx.so", 40), end: library() },
}));
fact("forty-one links are too many", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: at }), ...linkChain("libx.so", 41), end: library() },
}));
fact("the program itself, by a hard link, as a library", ({ at, program }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: at }), "libx.so": { same: "prog" } },
}));
fact("the program itself without the flag of executables is loaded a second time", ({ at, program }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: at, flags1: 0 }), "libx.so": { same: "prog" } },
}));
fact("a library that cannot be read, and a user without rights", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1:${at}/2` }),
    "1/libx.so": { bytes: library(), mode: 0 },
    "2/libx.so": library(),
  },
  unprivileged: true,
}));
fact("a library that cannot be read and is nowhere else, and a user without rights", ({ at, program, library }) => ({
  files: { prog: program({ needed: [`${at}/1/libx.so`] }), "1/libx.so": { bytes: library(), mode: 0 } },
  unprivileged: true,
}));
fact("a folder that cannot be entered, and a user without rights", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1:${at}/2` }),
    "1": { folder: true, mode: 0 },
    "2/libx.so": library(),
  },
  unprivileged: true,
}));
fact("a folder below one that cannot be entered, and a user without rights", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/1/lib:${at}/2` }),
    "1": { folder: true, mode: 0 },
    "2/libx.so": library(),
  },
  unprivileged: true,
}));
function linkChain(name: string, length: number): Files {
  const files: Files = {};
  for (let index = 0; index < length; index += 1)
    files[index === 0 ? name : `link${index}`] = { link: index + 1 === length ? "end" : `link${index + 1}` };
  return files;
}

// --- Capability subfolders ---

const subfolders = [
  "glibc-hwcaps/x86-64-v4",
  "glibc-hwcaps/x86-64-v3",
  "glibc-hwcaps/x86-64-v2",
  "tls/haswell/avx512_1/x86_64",
  "tls/haswell",
  "tls/x86_64",
  "tls",
  "haswell/avx512_1",
  "haswell/x86_64",
  "haswell",
  "avx512_1",
  "x86_64",
  "aarch64",
  "tls/aarch64",
  "atomics",
  "aarch64/atomics",
];
const lists: [name: string, (folder: string) => { plan: Plan; environment: { [name: string]: string } }][] = [
  ["RPATH", (folder) => ({ plan: { rpath: folder }, environment: {} })],
  ["RUNPATH", (folder) => ({ plan: { runpath: folder }, environment: {} })],
  ["LD_LIBRARY_PATH", (folder) => ({ plan: {}, environment: { LD_LIBRARY_PATH: folder } })],
];
for (const [name, list] of lists) {
  fact(`every capability subfolder that a processor may have, under ${name}`, ({ at, program, library }) => {
    const { plan, environment } = list(`${at}/a`);
    const files: Files = { prog: program({ needed: ["libabsent.so", ...subfolders.map((_, index) => `lib${index}.so`)], ...plan }) };
    subfolders.forEach((folder, index) => (files[`a/${folder}/lib${index}.so`] = library()));
    return { files, environment };
  });
  fact(`the best copy of all subfolders, under ${name}`, ({ at, program, library }) => {
    const { plan, environment } = list(`${at}/a`);
    const files: Files = { prog: program({ needed: ["libx.so"], ...plan }), "a/libx.so": library() };
    for (const folder of subfolders) files[`a/${folder}/libx.so`] = library();
    return { files, environment };
  });
}
for (const folder of subfolders.slice(0, 12)) {
  fact(`a copy in ${folder} and one in the folder itself`, ({ at, program, library }) => ({
    files: { prog: program({ needed: ["libx.so"], rpath: `${at}/a` }), "a/libx.so": library(), [`a/${folder}/libx.so`]: library() },
  }));
}
for (const folder of ["tls/x86_64/x86_64", "x86_64/x86_64", "xeon_phi", "tls/xeon_phi/x86_64"]) {
  fact(`a copy in ${folder}, which few processors look into, and one in the folder itself`, ({ at, program, library }) => ({
    files: { prog: program({ needed: ["libx.so"], rpath: `${at}/a` }), "a/libx.so": library(), [`a/${folder}/libx.so`]: library() },
  }));
}
fact("the subfolders of the first folder come before the second folder", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/a:${at}/b` }),
    "a/libx.so": library(),
    "b/glibc-hwcaps/x86-64-v2/libx.so": library(),
  },
}));
fact("a broken file in a subfolder ends everything", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/a` }),
    "a/libx.so": library(),
    "a/glibc-hwcaps/x86-64-v2/libx.so": { text: "" },
    "a/haswell/libx.so": { text: "" },
    "a/tls/libx.so": { text: "" },
  },
}));
fact("a link loop in a subfolder is forgotten when the next subfolder is merely without the file", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/a:${at}/b` }),
    "a/x": { text: "" },
    "a/glibc-hwcaps/x86-64-v2/libx.so": { link: "libx.so" },
    "b/libx.so": library(),
  },
}));
fact("$ORIGIN of a library in a subfolder is the subfolder", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/a` }),
    "a/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN" }),
    "a/liby.so": library(),
    "a/glibc-hwcaps/x86-64-v2/libx.so": library({ needed: ["liby.so"], runpath: "$ORIGIN" }),
    "a/glibc-hwcaps/x86-64-v2/liby.so": library(),
  },
}));
fact("a subfolder is remembered as existing, the others as missing", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libabsent.so", "libx.so", "libabsent2.so"], rpath: `${at}/a` }),
    "a/glibc-hwcaps/x86-64-v2/libx.so": library(),
    "a/tls/other": { text: "" },
  },
}));
fact("a file in place of a subfolder", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: `${at}/a:${at}/b` }),
    "a/glibc-hwcaps": { text: "" },
    "a/tls": { text: "" },
    "b/libx.so": library(),
  },
}));
fact("subfolders of the current folder are tried every time", ({ program, library }) => ({
  files: { prog: program({ needed: ["libabsent.so", "libx.so"], rpath: ":" }), "glibc-hwcaps/x86-64-v2/libx.so": library() },
}));

// --- Preloading ---
// Trace mode says "statically linked" of a program that needs nothing, whatever is preloaded: so these need libc.

fact("LD_PRELOAD comes before everything that is needed", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at }),
    "liba.so": library({ needed: ["libdep.so"] }),
    "libpre.so": library({ needed: ["libpredep.so"] }),
    "libdep.so": library(),
    "libpredep.so": library(),
  },
  environment: { LD_PRELOAD: `${at}/libpre.so` },
}));
fact("LD_PRELOAD by path satisfies a NEEDED by DT_SONAME", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libx.so"], rpath: at }), "libx.so": library(), "other/libmine.so": library({ soname: "libx.so" }) },
  environment: { LD_PRELOAD: `${at}/other/libmine.so` },
}));
fact("LD_PRELOAD is split at spaces and colons", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), "liba.so": library(), "libb.so": library(), "libc0.so": library() },
  environment: { LD_PRELOAD: ` ${at}/libb.so:${at}/liba.so  ${at}/libc0.so:` },
}));
fact("LD_PRELOAD is not split at tabs and line ends", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), "liba.so": library(), "libb.so": library() },
  environment: { LD_PRELOAD: `${at}/libb.so\t${at}/liba.so` },
}));
fact("LD_PRELOAD by name uses LD_LIBRARY_PATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), "a/libpre.so": library() },
  environment: { LD_PRELOAD: "libpre.so", LD_LIBRARY_PATH: `${at}/a` },
}));
fact("LD_PRELOAD by name uses the program's RPATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"], rpath: `${at}/a` }), "a/libpre.so": library() },
  environment: { LD_PRELOAD: "libpre.so" },
}));
fact("LD_PRELOAD by name uses the program's RUNPATH", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"], runpath: `${at}/a` }), "a/libpre.so": library() },
  environment: { LD_PRELOAD: "libpre.so" },
}));
fact("a preload that is absent is only a warning", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), "liba.so": library() },
  environment: { LD_PRELOAD: `${at}/absent.so libabsent.so ${at}/liba.so` },
}));
for (const [what, entry] of candidates.filter(([what]) =>
  [
    "an empty file",
    "a linker script",
    "a folder",
    "a library of 32 bits",
    "a library of another machine",
    "a link to itself",
    "a position-independent executable",
    "an executable at a fixed address",
    "EI_OSABI of FreeBSD",
    "a library cut before its tables",
  ].includes(what),
)) {
  fact(`a preload that is ${what}`, (make) => ({
    files: { prog: make.program({ needed: ["liba.so"], rpath: make.at }), "liba.so": make.library(), "libx.so": entry(make) },
    environment: { LD_PRELOAD: `${make.at}/libx.so` },
  }));
}
fact("a preload that is 32 bits, by name", ({ at, program }) => ({
  files: { prog: program({ needed: ["libc.so.6"], rpath: at }), "libx.so": makeElf({ class: 32, machine: machines.i386 }) },
  environment: { LD_PRELOAD: "libx.so" },
}));
fact("a preload whose dependency is absent stops the program", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), "libx.so": library({ needed: ["libabsent.so"] }) },
  environment: { LD_PRELOAD: `${at}/libx.so` },
}));
fact("a relative preload starts from the current folder", ({ program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), "here/libx.so": library() },
  cwd: "here",
  environment: { LD_PRELOAD: "./libx.so" },
}));
fact("$ORIGIN in LD_PRELOAD is the program's", ({ program, library }) => ({
  files: { "bin/prog": program({ needed: ["libc.so.6"] }), "bin/libx.so": library() },
  program: "bin/prog",
  environment: { LD_PRELOAD: "$ORIGIN/libx.so" },
}));
fact("$LIB in LD_PRELOAD", ({ at, program, library, lib }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), [`${lib}/libx.so`]: library() },
  environment: { LD_PRELOAD: `${at}/$LIB/libx.so` },
}));
fact("one file preloaded twice is one object", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }), "libx.so": library(), "liby.so": { link: "libx.so" } },
  environment: { LD_PRELOAD: `${at}/libx.so ${at}/libx.so ${at}/liby.so` },
}));
fact("a preload that is also needed by its file", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["liba.so", "libx.so"], rpath: at }), "liba.so": library(), "libx.so": library() },
  environment: { LD_PRELOAD: `${at}/libx.so` },
}));
fact("an RPATH of a preload serves what it needs, with the program's after it", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libc.so.6"], rpath: `${at}/1` }),
    "1/libdep2.so": library(),
    "2/libdep1.so": library(),
    "libx.so": library({ needed: ["libdep1.so", "libdep2.so"], rpath: `${at}/2` }),
  },
  environment: { LD_PRELOAD: `${at}/libx.so` },
}));
fact("the loader as a preload changes nothing", ({ program, interpreter }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }) },
  environment: { LD_PRELOAD: interpreter },
}));
fact("an empty LD_PRELOAD", ({ program }) => ({ files: { prog: program({ needed: ["libc.so.6"] }) }, environment: { LD_PRELOAD: "" } }));
fact("a very long name in LD_PRELOAD", ({ program }) => ({
  files: { prog: program({ needed: ["libc.so.6"] }) },
  environment: { LD_PRELOAD: `lib${"x".repeat(300)}.so` },
}));

// --- Versions ---

fact("a version that is there", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: at, requires: [{ file: "libx.so", versions: ["V1"] }] }),
    "libx.so": library({ provides: ["libx.so", "V1"] }),
  },
}));
fact("a version that is missing", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: at, requires: [{ file: "libx.so", versions: ["V1", "V2"] }] }),
    "libx.so": library({ provides: ["libx.so", "V1"] }),
  },
}));
fact("a version that is missing only weakly", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: at, requires: [{ file: "libx.so", versions: [{ weak: "V2" }] }] }),
    "libx.so": library({ provides: ["libx.so", "V1"] }),
  },
}));
fact("every missing version is told, the program's first", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so", "liba.so"], rpath: at, requires: [{ file: "libx.so", versions: ["V2", "V3"] }] }),
    "liba.so": library({ needed: ["libx.so"], requires: [{ file: "libx.so", versions: ["V4", "V1"] }] }),
    "libx.so": library({ provides: ["libx.so", "V1"] }),
  },
}));
fact("a provider without versions is accepted", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: at, requires: [{ file: "libx.so", versions: ["V2"] }] }),
    "libx.so": library(),
  },
}));
fact("the base version counts as a version", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: at, requires: [{ file: "libx.so", versions: ["libx.so"] }] }),
    "libx.so": library({ provides: ["libx.so"] }),
  },
}));
fact("versions of two providers", ({ at, program, library }) => ({
  files: {
    prog: program({
      needed: ["libx.so", "liby.so"],
      rpath: at,
      requires: [
        { file: "libx.so", versions: ["V1"] },
        { file: "liby.so", versions: ["W1", "W2"] },
      ],
    }),
    "libx.so": library({ provides: ["libx.so", "V1"] }),
    "liby.so": library({ provides: ["liby.so", "W1"] }),
  },
}));
fact("a version required of a library that another one brings", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at, requires: [{ file: "libx.so", versions: ["V2"] }] }),
    "liba.so": library({ needed: ["libx.so"] }),
    "libx.so": library({ provides: ["libx.so", "V1"] }),
  },
}));
fact("a version required by DT_SONAME of a library that was asked for by another name", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so.1", "liba.so"], rpath: at, requires: [{ file: "libx.so.1", versions: ["V1"] }] }),
    "libx.so.1": library({ soname: "libx.so.1", provides: ["libx.so.1", "V1"] }),
    "liba.so": library({ needed: ["libx.so.1"], requires: [{ file: "libx.so.1", versions: ["V2"] }] }),
  },
}));
fact("a version required of the program's DT_SONAME", ({ at, program, library }) => ({
  files: {
    prog: program({ soname: "libself.so", needed: ["liba.so"], rpath: at, provides: ["libself.so"] }),
    "liba.so": library({ needed: ["libself.so"], requires: [{ file: "libself.so", versions: ["V2"] }] }),
  },
}));
fact("a version of libc that there will never be", ({ program }) => ({
  files: { prog: program({ needed: ["libc.so.6"], requires: [{ file: "libc.so.6", versions: ["GLIBC_9.99"] }] }) },
}));
fact("a version of the loader that there will never be", ({ program, interpreter }) => {
  const name = interpreter.slice(interpreter.lastIndexOf("/") + 1);
  return { files: { prog: program({ needed: [name, "libc.so.6"], requires: [{ file: name, versions: ["GLIBC_9.99"] }] }) } };
});
fact("relative relocations without the version that announces them", ({ program }) => ({
  files: {
    prog: program({
      needed: ["libc.so.6"],
      requires: [{ file: "libc.so.6", versions: [{ weak: "GLIBC_2.17" }] }],
      dynamic: [
        [dynamicTag.relr, 0],
        [dynamicTag.relrSize, 0],
        [dynamicTag.relrEntry, 8],
      ],
    }),
  },
}));
fact("relative relocations of a library that needs nothing of libc", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: at }),
    "libx.so": library({
      dynamic: [
        [dynamicTag.relr, 0],
        [dynamicTag.relrSize, 0],
        [dynamicTag.relrEntry, 8],
      ],
    }),
  },
}));
fact("a missing library and a missing version", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so", "libabsent.so"], rpath: at, requires: [{ file: "libx.so", versions: ["V2"] }] }),
    "libx.so": library({ provides: ["libx.so", "V1"] }),
  },
}));

fact("a version required of a DT_SONAME that nobody asks for stops the loader itself", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: [`${at}/libx.so`], requires: [{ file: "libx.so", versions: ["V1"] }] }),
    "libx.so": library({ soname: "libx.so", provides: ["libx.so", "V1"] }),
  },
}));
fact("a version required of a library that is not loaded stops the loader itself", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libx.so"], rpath: at, requires: [{ file: "libother.so", versions: ["V1"] }] }),
    "libx.so": library({ soname: "libx.so", provides: ["libx.so", "V1"] }),
  },
}));

// --- Flags, filters ---

fact("NODEFLIB leaves out the system folders and what the cache has in them", ({ program }) => ({
  files: { prog: program({ needed: ["libc.so.6"], flags1: flag1.nodeflib | flag1.pie }) },
  announcesMore: true,
}));
fact("NODEFLIB is for the object that has it", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at, flags1: flag1.nodeflib | flag1.pie }),
    "liba.so": library({ needed: ["libc.so.6"] }),
  },
}));
fact("NODEFLIB of a library", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["liba.so"], rpath: at }), "liba.so": library({ needed: ["libc.so.6"], flags1: flag1.nodeflib }) },
  announcesMore: true,
}));
fact("an auxiliary library stands before the one that names it", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libaux.so" }, "libdep.so"] }),
    "libaux.so": library({ needed: ["libauxdep.so"] }),
    "libauxdep.so": library(),
    "libdep.so": library(),
    "libb.so": library(),
  },
}));
fact("a filter stands before the one that names it", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: ["libdep.so", { filter: "libfilter.so" }, "libdep2.so"] }),
    "libfilter.so": library({ needed: ["libfilterdep.so"] }),
    "libfilterdep.so": library(),
    "libdep.so": library(),
    "libdep2.so": library(),
    "libb.so": library({ needed: ["libc0.so"] }),
    "libc0.so": library(),
  },
}));
fact("an auxiliary library that is absent", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libabsent.so" }] }),
    "libb.so": library(),
  },
}));
fact("an auxiliary library that is broken", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libx.so" }] }),
    "libx.so": { text: "" },
    "libb.so": library(),
  },
}));
fact("a filter that is absent", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: [{ filter: "libabsent.so" }] }),
    "libb.so": library(),
  },
}));
fact("an auxiliary library that is needed later moves before", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so", "libb.so", "libaux.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libaux.so" }] }),
    "libaux.so": library(),
    "libb.so": library(),
  },
}));
fact("an auxiliary library that was needed earlier stays", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["libaux.so", "liba.so", "libb.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libaux.so" }] }),
    "libaux.so": library(),
    "libb.so": library(),
  },
}));
fact("two auxiliary libraries keep their order", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libaux1.so" }, { auxiliary: "libaux2.so" }, "libdep.so"] }),
    "libaux1.so": library({ needed: ["libauxdep.so"] }),
    "libaux2.so": library(),
    "libauxdep.so": library(),
    "libdep.so": library(),
  },
}));
fact("an auxiliary library of an auxiliary library", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libaux1.so" }] }),
    "libaux1.so": library({ needed: [{ auxiliary: "libaux2.so" }, "libdep1.so"] }),
    "libaux2.so": library({ needed: ["libdep2.so"] }),
    "libdep1.so": library(),
    "libdep2.so": library(),
  },
}));
fact("an auxiliary library of two", ({ at, program, library }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: "libb.so" }] }),
    "libb.so": library({ needed: ["libdep.so"] }),
    "libdep.so": library({ needed: [{ auxiliary: "libb.so" }] }),
  },
}));
fact("an auxiliary library that is itself", ({ at, program, library }) => ({
  files: { prog: program({ needed: ["liba.so"], rpath: at }), "liba.so": library({ needed: [{ auxiliary: "liba.so" }] }) },
}));
fact("an auxiliary library that is the loader", ({ at, program, library, interpreter }) => ({
  files: {
    prog: program({ needed: ["liba.so"], rpath: at }),
    "liba.so": library({ needed: [{ auxiliary: interpreter }, "libc.so.6"] }),
  },
}));

// --- Programs ---

fact("a program that needs nothing", ({ program }) => ({ files: { prog: program() } }));
fact("a program at a fixed address", ({ at, program, library }) => ({
  files: { prog: program({ fixed: true, needed: ["libx.so"], rpath: at }), "libx.so": library() },
}));
fact("a program that asks for an executable stack", ({ at, program, library }) => ({
  files: { prog: program({ stack: "executable", needed: ["libx.so"], rpath: at }), "libx.so": library({ stack: "executable" }) },
}));
fact("a shared library with an interpreter is a program", ({ at, program, library }) => ({
  files: { prog: program({ flags1: 0, soname: "libprog.so", needed: ["libx.so"], rpath: at }), "libx.so": library() },
}));
