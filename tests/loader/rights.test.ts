// Programs that run with another user's rights. They cannot be traced, so a broken copy lies wherever one must not be looked for:
// the loader's message then tells which copy it opened.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../packages/machine/src/target/index.ts";
import { cannotBecome, glibcLoader, liveAnswer, ourAnswer } from "./answers.ts";
import { nobody } from "./fixtures.ts";
import { flag1, makeElf, type Plan } from "./make-elf.ts";
import { addLoader, ldconfig, runLdconfig, thisComputer } from "./roots.ts";
import { build, temporary, type Files } from "./tree.ts";
import { needs } from "../needs.ts";

interface RightsFixture {
  fact: string;
  plan: Plan;
  files: Files;
  environment?: { [name: string]: string };
  /** Where the program lies; `/f/prog` unless said. */
  at?: string;
  bits?: number;
  conf?: string;
}

const library = makeElf();
const trap = { text: "" };
const setuid = { bytes: library, mode: 0o4755 };
const lib = process.arch === "arm64" ? "/lib/aarch64-linux-gnu" : "/lib/x86_64-linux-gnu";

const fixtures: RightsFixture[] = [
  {
    fact: "LD_LIBRARY_PATH is ignored",
    plan: { needed: ["libx.so"] },
    files: { "a/libx.so": trap, "usr/lib/libx.so": library },
    environment: { LD_LIBRARY_PATH: "/a" },
  },
  {
    fact: "LD_LIBRARY_PATH is ignored, and nothing else is there",
    plan: { needed: ["libx.so"] },
    files: { "a/libx.so": library },
    environment: { LD_LIBRARY_PATH: "/a" },
  },
  { fact: "an absolute RPATH is searched", plan: { needed: ["libx.so"], rpath: "/a" }, files: { "a/libx.so": library } },
  { fact: "an absolute RUNPATH is searched", plan: { needed: ["libx.so"], runpath: "/a" }, files: { "a/libx.so": library } },
  {
    fact: "$ORIGIN outside the system folders is dropped",
    plan: { needed: ["libx.so"], rpath: "$ORIGIN" },
    files: { "f/libx.so": library },
  },
  {
    fact: "$ORIGIN inside a system folder counts",
    plan: { needed: ["libx.so"], rpath: "$ORIGIN/more" },
    files: { "usr/lib/app/more/libx.so": library },
    at: "usr/lib/app/prog",
  },
  {
    fact: "$ORIGIN that leaves a system folder is dropped",
    plan: { needed: ["libx.so"], rpath: "$ORIGIN/../../../a" },
    files: { "a/libx.so": library },
    at: "usr/lib/app/prog",
  },
  {
    fact: "$ORIGIN in the middle is dropped",
    plan: { needed: ["libx.so"], rpath: "/usr/lib/$ORIGIN" },
    files: { "usr/lib/usr/lib/app/libx.so": library },
    at: "usr/lib/app/prog",
  },
  {
    fact: "$ORIGIN of a library counts anywhere",
    plan: { needed: ["liba.so"], rpath: "/a" },
    files: { "a/liba.so": makeElf({ needed: ["libx.so"], runpath: "$ORIGIN/more" }), "a/more/libx.so": library },
  },
  { fact: "$LIB counts", plan: { needed: ["libx.so"], rpath: "/a/$LIB" }, files: { [`a${lib}/libx.so`]: library } },
  {
    fact: "a token in NEEDED is refused",
    plan: { needed: ["$ORIGIN/libx.so"] },
    files: { "usr/lib/app/libx.so": library },
    at: "usr/lib/app/prog",
  },
  {
    fact: "a preload with a slash is ignored",
    plan: { needed: ["libx.so"] },
    files: { "a/libp.so": trap, "usr/lib/libx.so": library },
    environment: { LD_PRELOAD: "/a/libp.so" },
  },
  {
    fact: "a preload by name must be set-user-ID",
    plan: { needed: ["libx.so"] },
    files: { "usr/lib/libp.so": library, "usr/lib/libx.so": library },
    environment: { LD_PRELOAD: "libp.so" },
  },
  {
    fact: "a preload by name that is set-user-ID",
    plan: { needed: ["libx.so"] },
    files: { "usr/lib/libp.so": setuid, "usr/lib/libx.so": library },
    environment: { LD_PRELOAD: "libp.so" },
  },
  {
    fact: "a broken preload in a system folder",
    plan: { needed: ["libx.so"] },
    files: { "usr/lib/libp.so": trap, "usr/lib/libx.so": library },
    environment: { LD_PRELOAD: "libp.so" },
  },
  {
    fact: "a preload is not looked for in the cache",
    plan: { needed: ["libx.so"] },
    files: { "a/libp.so": setuid, "usr/lib/libx.so": library },
    environment: { LD_PRELOAD: "libp.so" },
    conf: "/a\n",
  },
  { fact: "what is needed is looked for in the cache", plan: { needed: ["libx.so"] }, files: { "a/libx.so": library }, conf: "/a\n" },
  {
    fact: "/etc/ld.so.preload may have paths",
    plan: { needed: ["libx.so"] },
    files: { "etc/ld.so.preload": { text: "/a/libp.so" }, "a/libp.so": trap, "usr/lib/libx.so": library },
  },
  {
    fact: "/etc/ld.so.preload by name must be set-user-ID",
    plan: { needed: ["libx.so"] },
    files: { "etc/ld.so.preload": { text: "libp.so" }, "usr/lib/libp.so": library, "usr/lib/libx.so": library },
  },
  {
    fact: "a set-group-ID program is treated the same",
    plan: { needed: ["libx.so"] },
    files: { "a/libx.so": trap, "usr/lib/libx.so": library },
    environment: { LD_LIBRARY_PATH: "/a" },
    bits: 0o2755,
  },
  {
    fact: "a program without the bits is not",
    plan: { needed: ["libx.so"] },
    files: { "a/libx.so": trap, "usr/lib/libx.so": library },
    environment: { LD_LIBRARY_PATH: "/a" },
    bits: 0o755,
  },
  {
    fact: "NODEFLIB with foreign rights",
    plan: { needed: ["libx.so"], flags1: flag1.nodeflib | flag1.pie },
    files: { "a/libx.so": library },
    conf: "/a\n",
  },
];

const skip = cannotBecome() ?? (ldconfig === undefined ? "needs ldconfig" : glibcLoader === undefined ? "needs glibc" : undefined);
const { folder, remove } = temporary();
afterAll(remove);

describe("programs with foreign rights", needs(skip), () => {
  fixtures.forEach(({ fact, plan, files, environment = {}, at = "f/prog", bits = 0o4755, conf = "" }, index) => {
    test(fact, async (context) => {
      const place = path.join(folder, String(index));
      const proc = path.join(place, "proc");
      fs.mkdirSync(proc, { recursive: true });
      // Without /proc the loader does not know where its program lies.
      const mounted = spawnSync("mount", ["--bind", "/proc", proc]).status === 0;
      context.onTestFinished(() => void (mounted && spawnSync("umount", [proc])));
      if (!mounted && fact.includes("$ORIGIN")) context.skip("needs the right to mount /proc");
      addLoader(place);
      build(place, { [at]: { bytes: makeElf({ program: true, ...plan }), mode: bits }, "etc/ld.so.conf": { text: conf }, ...files });
      runLdconfig(place);
      const start = { program: `/${at}`, cwd: "/", environment, user: nobody, ...(await thisComputer()) };
      const live = liveAnswer({ ...start, root: place });
      const ours = await ourAnswer(root(place), start);
      expect({ says: ours.says, ends: ours.ends }).toEqual({ says: live.says, ends: live.ends });
    });
  });
});
