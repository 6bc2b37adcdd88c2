import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../packages/machine/src/target/index.ts";
import { cannotBecome, glibcLoader, liveAnswer, ourAnswer } from "./answers.ts";
import { damaged, flag1, machines, makeElf } from "./make-elf.ts";
import { addLoader, ldconfig, runLdconfig, thisComputer } from "./roots.ts";
import { build, temporary, type Files } from "./tree.ts";
import { needs } from "../needs.ts";

/** A root with its own cache. `late` happens after ldconfig has run. */
interface CacheFixture {
  fact: string;
  files: Files;
  conf?: string;
  options?: string[];
  late?: (root: string) => void;
  environment?: { [name: string]: string };
}

const library = makeElf();
const program = makeElf({ program: true, needed: ["libx.so.1"] });
const remove =
  (...files: string[]) =>
  (at: string) => {
    for (const file of files) fs.rmSync(path.join(at, file));
  };
const replace = (file: string, bytes: Uint8Array) => (at: string) => fs.writeFileSync(path.join(at, file), bytes);
const named = makeElf({ soname: "libx.so.1" });
const both = { "a/libx.so.1": named, "b/libx.so.1": named };
const inOrder = "/a\n/b\n";

const fixtures: CacheFixture[] = [
  { fact: "a library that only the cache knows", files: { "a/libx.so.1": named }, conf: "/a\n" },
  { fact: "a stale entry is not there", files: { "a/libx.so.1": named }, conf: "/a\n", late: remove("a/libx.so.1") },
  { fact: "the order of folders decides", files: both, conf: inOrder },
  { fact: "the order of folders decides, whatever their names are", files: both, conf: "/b\n/a\n" },
  { fact: "the second entry is not tried when the first file is gone", files: both, conf: inOrder, late: remove("a/libx.so.1") },
  {
    fact: "the system folders are tried when the first file is gone",
    files: { ...both, "usr/lib/libx.so.1": named },
    conf: inOrder,
    late: remove("a/libx.so.1"),
  },
  { fact: "a folder of the configuration beats a system folder", files: { ...both, "usr/lib/libx.so.1": named }, conf: inOrder },
  { fact: "version 1.10 beats 1.9 in one folder", files: { "a/libx.so.1.9": named, "a/libx.so.1.10": named }, conf: "/a\n" },
  {
    fact: "a library that came after ldconfig is only found in system folders",
    files: { "a/other": { text: "" } },
    conf: "/a\n",
    late: (at) => build(at, { "a/libx.so.1": named, "usr/lib/libx.so.1": named }),
  },
  {
    fact: "a library that came after ldconfig is not found elsewhere",
    files: { "a/other": { text: "" } },
    conf: "/a\n",
    late: replace("a/libx.so.1", named),
  },
  {
    fact: "a glibc-hwcaps entry beats the plain one",
    files: { "a/libx.so.1": named, "a/glibc-hwcaps/x86-64-v2/libx.so.1": named },
    conf: "/a\n",
  },
  {
    fact: "the best glibc-hwcaps entry that the processor has",
    files: {
      "a/libx.so.1": named,
      "a/glibc-hwcaps/x86-64-v2/libx.so.1": named,
      "a/glibc-hwcaps/x86-64-v3/libx.so.1": named,
      "a/glibc-hwcaps/x86-64-v4/libx.so.1": named,
    },
    conf: "/a\n",
  },
  {
    fact: "a glibc-hwcaps entry of a second folder beats a plain one of the first",
    files: { "a/libx.so.1": named, "b/glibc-hwcaps/x86-64-v3/libx.so.1": named },
    conf: inOrder,
  },
  {
    fact: "a glibc-hwcaps name that no processor has is passed over",
    files: { "a/libx.so.1": named, "a/glibc-hwcaps/future-v9/libx.so.1": named },
    conf: "/a\n",
  },
  {
    fact: "the plain entry is not tried when the glibc-hwcaps file is gone",
    files: { "a/libx.so.1": named, "a/glibc-hwcaps/x86-64-v2/libx.so.1": named },
    conf: "/a\n",
    late: remove("a/glibc-hwcaps/x86-64-v2/libx.so.1"),
  },
  {
    fact: "a glibc-hwcaps entry alone",
    files: { "a/glibc-hwcaps/x86-64-v2/libx.so.1": named },
    conf: "/a\n",
  },
  {
    fact: "entries of older capability folders",
    files: { "usr/lib/libx.so.1": named, "usr/lib/haswell/libx.so.1": named, "usr/lib/tls/libx.so.1": named },
  },
  {
    fact: "a 32-bit library has entries of its own",
    files: { "a/libx.so.1": makeElf({ class: 32, machine: machines.i386, soname: "libx.so.1" }), "b/libx.so.1": named },
    conf: inOrder,
  },
  { fact: "the old format alone", files: both, conf: inOrder, options: ["-c", "old"] },
  { fact: "the old and the new format in one file", files: both, conf: inOrder, options: ["-c", "compat"] },
  {
    fact: "the old and the new format, with glibc-hwcaps",
    files: { ...both, "b/glibc-hwcaps/x86-64-v2/libx.so.1": named },
    conf: inOrder,
    options: ["-c", "compat"],
  },
  { fact: "the new format alone", files: both, conf: inOrder, options: ["-c", "new"] },
  { fact: "no cache", files: { "a/libx.so.1": named }, conf: "/a\n", late: remove("etc/ld.so.cache") },
  { fact: "an empty cache", files: { "a/libx.so.1": named }, conf: "/a\n", late: replace("etc/ld.so.cache", new Uint8Array()) },
  {
    fact: "a cache that is text",
    files: { "a/libx.so.1": named },
    conf: "/a\n",
    late: replace("etc/ld.so.cache", Buffer.from("libx.so.1 /a/libx.so.1\n".repeat(9))),
  },
  {
    fact: "a cache that is a folder",
    files: { "a/libx.so.1": named },
    conf: "/a\n",
    late: (at) => {
      remove("etc/ld.so.cache")(at);
      fs.mkdirSync(path.join(at, "etc/ld.so.cache"));
    },
  },
  {
    fact: "a cache behind a link",
    files: { "a/libx.so.1": named },
    conf: "/a\n",
    late: (at) => {
      fs.renameSync(path.join(at, "etc/ld.so.cache"), path.join(at, "etc/real.cache"));
      fs.symlinkSync("/etc/real.cache", path.join(at, "etc/ld.so.cache"));
    },
  },
  {
    fact: "an entry whose file is of another machine now",
    files: { "a/libx.so.1": named, "usr/lib/libx.so.1": named },
    conf: "/a\n",
    late: replace("a/libx.so.1", makeElf({ machine: machines.ppc64 })),
  },
  {
    fact: "an entry whose file is broken now",
    files: { "a/libx.so.1": named, "usr/lib/libx.so.1": named },
    conf: "/a\n",
    late: replace("a/libx.so.1", new Uint8Array()),
  },
  { fact: "LD_LIBRARY_PATH comes before the cache", files: both, conf: inOrder, environment: { LD_LIBRARY_PATH: "/b" } },
  {
    fact: "RUNPATH comes before the cache",
    files: { ...both, "f/prog": makeElf({ program: true, needed: ["libx.so.1"], runpath: "/b" }) },
    conf: inOrder,
  },
  {
    fact: "NODEFLIB takes cache entries outside the system folders",
    files: { ...both, "f/prog": makeElf({ program: true, needed: ["libx.so.1"], flags1: flag1.nodeflib | flag1.pie }) },
    conf: inOrder,
  },
  {
    fact: "leading zeros do not count in names",
    files: { "a/libx.so.1": named, "f/prog": makeElf({ program: true, needed: ["libx.so.01", "libx.so.1"] }) },
    conf: "/a\n",
  },
  {
    fact: "the cache gives $ORIGIN the folder of its path",
    files: {
      "a/libx.so.1": makeElf({ soname: "libx.so.1", needed: ["liby.so"], runpath: "$ORIGIN/more" }),
      "a/more/liby.so": library,
    },
    conf: "/a\n",
  },
  {
    fact: "a folder of the configuration that is a link keeps its name",
    files: { "real/libx.so.1": named, a: { link: "/real" } },
    conf: "/a\n",
  },

  {
    fact: "/etc/ld.so.preload comes before what is needed",
    files: { "etc/ld.so.preload": { text: "/p/libp.so\n" }, "p/libp.so": library },
  },
  {
    fact: "/etc/ld.so.preload is split at spaces, tabs, colons and line ends",
    files: {
      "etc/ld.so.preload": { text: "/p/lib1.so\t/p/lib2.so:/p/lib3.so\n/p/lib4.so" },
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`p/lib${n}.so`, makeElf({ soname: `lib${n}.so` })])),
    },
  },
  {
    fact: "comments in /etc/ld.so.preload",
    files: {
      "etc/ld.so.preload": { text: "# /p/lib1.so\n/p/lib2.so # /p/lib3.so\n#\n" },
      ...Object.fromEntries([1, 2, 3].map((n) => [`p/lib${n}.so`, library])),
    },
  },
  {
    fact: "/etc/ld.so.preload comes after LD_PRELOAD",
    files: { "etc/ld.so.preload": { text: "/p/lib1.so" }, "p/lib1.so": library, "p/lib2.so": library },
    environment: { LD_PRELOAD: "/p/lib2.so" },
  },
  { fact: "/etc/ld.so.preload with a library that is absent", files: { "etc/ld.so.preload": { text: "/p/libabsent.so libabsent.so\n" } } },
  {
    fact: "/etc/ld.so.preload by name uses the cache",
    files: { "etc/ld.so.preload": { text: "libp.so" }, "a/libp.so": library },
    conf: "/a\n",
  },
  { fact: "an empty /etc/ld.so.preload", files: { "etc/ld.so.preload": { text: "" } } },
  { fact: "an /etc/ld.so.preload of a comment alone", files: { "etc/ld.so.preload": { text: "# nothing" } } },
  { fact: "an /etc/ld.so.preload that is a folder", files: { "etc/ld.so.preload/x": { text: "" } } },
  { fact: "an /etc/ld.so.preload with carriage returns", files: { "etc/ld.so.preload": { text: "/p/libp.so\r\n" }, "p/libp.so": library } },
];

const skip = cannotBecome() ?? (ldconfig === undefined ? "needs ldconfig" : glibcLoader === undefined ? "needs glibc" : undefined);
const { folder, remove: removeAll } = temporary();
afterAll(removeAll);

const computer = thisComputer();
let count = 0;
function prepare({ files, conf = "", options = [], late }: Omit<CacheFixture, "fact">): string {
  const at = path.join(folder, String((count += 1)));
  addLoader(at);
  build(at, { "f/prog": program, "usr/lib/libx.so.0": library, "etc/ld.so.conf": { text: conf }, ...files });
  runLdconfig(at, ...options);
  late?.(at);
  return at;
}

async function compare(at: string, environment: { [name: string]: string } = {}): Promise<void> {
  const start = { program: "/f/prog", cwd: "/", environment, ...(await computer) };
  const live = liveAnswer({ ...start, root: at });
  const { whole: _whole, ...ours } = await ourAnswer(root(at), start);
  expect(ours).toEqual(live);
}

describe("the replay reads caches as this machine's glibc does", needs(skip), () => {
  test.each(fixtures)("$fact", async ({ environment, ...fixture }) => {
    await compare(prepare(fixture), environment);
  });

  // Every byte of the headers, wrong: the loader checks some and believes the rest.
  for (const format of ["new", "compat"]) {
    test(`a damaged cache of the ${format} format`, async () => {
      const at = prepare({ files: both, conf: inOrder, options: ["-c", format] });
      const cache = path.join(at, "etc/ld.so.cache");
      const good = new Uint8Array(fs.readFileSync(cache));
      const base = Buffer.from(good).indexOf("glibc-ld.so.cache1.1");
      const places = [...Array.from({ length: 16 }, (_, index) => index), ...Array.from({ length: 48 }, (_, index) => base + index)];
      for (const place of new Set(places)) {
        // Behind an old header the loader believes a wrong count and reads on past the entries; we call that cache invalid.
        if (0 < base && base + 20 <= place && place < base + 24) continue;
        fs.writeFileSync(cache, damaged(good, place, good[place]! ^ 0xff));
        await compare(at).catch((error: unknown) => {
          throw new Error(`byte ${place} (${place - base} of the new header): ${String(error)}`, { cause: error });
        });
      }
    });
  }
  test("a cache that ends too early", async () => {
    const at = prepare({ files: both, conf: inOrder });
    const cache = path.join(at, "etc/ld.so.cache");
    const good = new Uint8Array(fs.readFileSync(cache));
    for (const length of [1, 16, 19, 20, 47, 48, 49, 71, 72, 96, 120, 144, good.length - 1]) {
      fs.writeFileSync(cache, good.slice(0, length));
      await compare(at).catch((error: unknown) => {
        throw new Error(`${length} of ${good.length} bytes: ${String(error)}`, { cause: error });
      });
    }
  });
});
