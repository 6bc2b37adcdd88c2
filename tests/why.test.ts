import fs from "node:fs";
import { afterAll, expect, test } from "vitest";
import { openTarget, whyOfProgram, whyReport } from "../packages/core/src/index.ts";
import { root } from "../packages/machine/src/target/index.ts";
import { makeElf } from "./loader/make-elf.ts";
import { build, temporary } from "./loader/tree.ts";
import { needs } from "./needs.ts";

const { folder: scratch, remove } = temporary();
afterAll(remove);

const interpreter = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((file) => fs.existsSync(file));
const copy = makeElf({ soname: "libcudnn.so.9" });
build(scratch, {
  ...(interpreter ? { [interpreter.slice(1)]: fs.readFileSync(interpreter) } : {}),
  "app/rpath": makeElf({ program: true, needed: ["libcudnn.so.9"], rpath: "$ORIGIN/lib" }),
  "app/runpath": makeElf({ program: true, needed: ["libmiddle.so"], rpath: "$ORIGIN/lib" }),
  "app/plain": makeElf({ program: true }),
  "app/lib/libcudnn.so.9": copy,
  "app/lib/libmiddle.so": makeElf({ soname: "libmiddle.so", needed: ["libcudnn.so.9"], runpath: "/opt/new" }),
  "opt/old/libcudnn.so.9": { link: "libcudnn.so.9.1.0" },
  "opt/old/libcudnn.so.9.1.0": copy,
  "opt/new/libcudnn.so.9": makeElf({ soname: "libcudnn.so.9", provides: ["libcudnn.so.9"] }),
});

async function why(library: string, program: string | undefined, environment: { [name: string]: string } = {}): Promise<string> {
  const answer = await whyOfProgram(await openTarget(root(scratch), { environment, cpu: { level: 1 } }), library, program);
  return "problem" in answer ? answer.problem : whyReport(answer);
}

// Capability subfolders differ with the loader's version; what is left is the same everywhere.
const steady = (text: string) => text.replace(/ \(nor in \d+ subfolders for processor features\)/g, "");

test("an RPATH wins over LD_LIBRARY_PATH, and why says that the variable is no lever", needs({ glibc: interpreter }), async () => {
  expect(steady(await why("libcudnn", "/app/rpath", { LD_LIBRARY_PATH: "/opt/old" }))).toBe(`✓ libcudnn.so.9 is /app/lib/libcudnn.so.9
  asked for by /app/rpath

  RPATH of /app/rpath
    ✓ /app/lib/libcudnn.so.9

Another copy, and why it loses
  /opt/old/libcudnn.so.9.1.0 (cuDNN 9.1.0)
    the RPATH of rpath is searched before LD_LIBRARY_PATH

What would change the winner
  if \`/app/lib/libcudnn.so.9\` were not there: /opt/old/libcudnn.so.9.1.0 (cuDNN 9.1.0)  (the search goes on)
  another copy in a folder of LD_LIBRARY_PATH: would not win  (the RPATH is searched before LD_LIBRARY_PATH)
`);
});

test("a RUNPATH switches the RPATHs off, lets LD_LIBRARY_PATH in, and why says so", needs({ glibc: interpreter }), async () => {
  expect(steady(await why("libcudnn.so.9", "/app/runpath", { LD_LIBRARY_PATH: "/nowhere:/opt/old" })))
    .toBe(`✓ libcudnn.so.9 is /opt/old/libcudnn.so.9.1.0 (cuDNN 9.1.0)
  asked for by /app/lib/libmiddle.so
  note  the RPATH of /app/runpath is not searched, because /app/lib/libmiddle.so has a RUNPATH

  LD_LIBRARY_PATH
    ✗ /nowhere/libcudnn.so.9  no such file
    ✓ /opt/old/libcudnn.so.9
      → /opt/old/libcudnn.so.9.1.0

Another copy, and why it loses
  /opt/new/libcudnn.so.9
    LD_LIBRARY_PATH is searched before the RUNPATH of libmiddle.so

What would change the winner
  without LD_LIBRARY_PATH: /opt/new/libcudnn.so.9  (the rules after it decide)
  without \`/opt/old\` in LD_LIBRARY_PATH: /opt/new/libcudnn.so.9  (the next element decides)
  if \`/opt/old/libcudnn.so.9.1.0\` were not there: /opt/new/libcudnn.so.9  (the search goes on)
`);
});

test("what a program does not ask for is answered as a dlopen", needs({ glibc: interpreter }), async () => {
  const text = await why("libcudnn.so.9", "/app/plain", { LD_LIBRARY_PATH: "/opt/new" });
  expect(text).toContain(
    "✓ libcudnn.so.9 is /opt/new/libcudnn.so.9\n  /app/plain does not ask for it at start; this is what a dlopen in it would find",
  );
});

test("without a program, what is not there is told with every place that was searched", needs({ glibc: interpreter }), async () => {
  const text = steady(await why("libcudnn.so.9", undefined));
  expect(text).toContain("✗ libcudnn.so.9 is not found\n  as a program without search paths of its own would find it");
  expect(text).toMatch(/system folders\n(    ✗ \/\S+libcudnn\.so\.9 {2}no such file\n)+/);
  expect(text).toContain("libcudnn.so.9: cannot open shared object file: No such file or directory");
  expect(text).toContain("another copy in a folder of LD_LIBRARY_PATH: would win");
});

test("a preloaded copy answers the later request by its soname", needs({ glibc: interpreter }), async () => {
  const text = await why("libcudnn.so.9", "/app/rpath", { LD_PRELOAD: "/opt/new/libcudnn.so.9" });
  expect(text).toContain("✓ libcudnn.so.9 is /opt/new/libcudnn.so.9");
  expect(text).toContain("One later request gets the same object, without a search");
  expect(text).toContain("without LD_PRELOAD: /app/lib/libcudnn.so.9");
});
