import { expect, test } from "vitest";
import { readConstants } from "../../packages/core/src/elf/constants.ts";
import { openElf, readObject } from "../../packages/core/src/elf/elf.ts";
import { readArchitectures } from "../../packages/core/src/elf/fat-binary.ts";
import type { Range, Reading } from "../../packages/core/src/elf/image.ts";
import { findSymbol } from "../../packages/core/src/elf/symbols.ts";
import { versionFunctions } from "../../packages/core/src/knowledge/libraries.ts";
import { codeLibrary } from "../elf/code-library.ts";
import { machines, makeElf, type Plan } from "../loader/make-elf.ts";
import { fuzz, mutate, type Dice } from "./fuzz.ts";

const plans: Plan[] = [
  {
    program: true,
    needed: ["libc.so.6", "libm.so.6"],
    runpath: "$ORIGIN/lib",
    requires: [{ file: "libc.so.6", versions: ["GLIBC_2.34", "GLIBC_2.2.5"] }],
  },
  { soname: "libcudart.so.12", needed: ["libc.so.6"], rpath: "/opt", provides: ["libcudart.so.12", "V1", "V2"], kernel: [3, 2, 0] },
  {
    class: 32,
    machine: machines.i386,
    soname: "libold.so",
    needed: ["libc.so.6"],
    requires: [{ file: "libc.so.6", versions: ["GLIBC_2.0"] }],
  },
  {
    order: "big",
    machine: machines.s390,
    soname: "libbig.so",
    needed: ["libc.so.6", { filter: "libf.so" }, { auxiliary: "liba.so" }],
    provides: ["B"],
  },
  { class: 32, order: "big", machine: 20, soname: "libppc.so", needed: ["libc.so.6"] },
];
const corpus = [
  ...plans.map(makeElf).map((file) => (file.length < 20_000 ? file : file.slice(0, 20_000))),
  codeLibrary({
    machine: 62,
    soname: "libcudart.so.12",
    symbols: [
      { name: "cudaRuntimeGetVersion", code: "55 4889e5 e8{0} 4885c0 7403 e8{1} 5d c3" },
      { name: "cuptiGetVersion", code: "4885ff 7408 c707d1fb0100 31c0 c3" },
      { name: "cudnn_ops_infer_version", data: 0x090e00 },
    ],
    parts: ["c70001000000 c3", "4885ff 740b c7073a2f0000 31c0 c3"],
  }),
  codeLibrary({
    machine: 183,
    soname: "libnccl.so.2",
    symbols: [{ name: "ncclGetVersion", code: "a00000b4 62548b52 {0}94 220000b9 c0035fd6" }],
    parts: ["c0035fd6"],
  }),
  fatImage(512),
  fatImage(2 ** 40),
];

/** One section of two containers, in a file that is nothing else; a large one goes on for ever after them. */
function fatImage(sectionSize: number): Uint8Array {
  const bytes = new Uint8Array(1024);
  const view = new DataView(bytes.buffer);
  const u64 = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 3, true);
  view.setUint16(18, 62, true);
  u64(40, 768);
  view.setUint16(58, 64, true);
  view.setUint16(60, 3, true);
  view.setUint16(62, 1, true);
  bytes.set(new TextEncoder().encode("\0.shstrtab\0.nv_fatbin\0"), 64);
  for (const [index, name, offset, size] of [
    [1, 1, 64, 22],
    [2, 11, 128, sectionSize],
  ] as const) {
    view.setUint32(768 + index * 64, name, true);
    u64(768 + index * 64 + 24, offset);
    u64(768 + index * 64 + 32, size);
  }
  for (const [at, architecture] of [
    [128, 90],
    [320, 75],
  ] as const) {
    view.setUint32(at, 0xba55ed50, true);
    view.setUint16(at + 6, 16, true);
    u64(at + 8, 128);
    view.setUint16(at + 16, 2, true);
    view.setUint32(at + 20, 64, true);
    u64(at + 24, 64);
    view.setUint32(at + 44, architecture, true);
  }
  return bytes;
}

function* everything(size: number): Reading<void> {
  yield* readObject(size, {
    symbols: () => ({ exports: true, undefined: () => "libx.so", file: () => true }),
    constants: (object) => versionFunctions(object.soname ?? "libcudart.so.12", object),
  });
  const view = yield* openElf(size);
  if ("kind" in view) return;
  for (const name of ["cudaRuntimeGetVersion", "ncclGetVersion", "cudnn_ops_infer_version", "nothing"]) {
    yield* findSymbol(view, name);
    yield* readConstants(view, name);
  }
  yield* readArchitectures(view);
}

const zeros = new Uint8Array(64 << 20);

function read(bytes: Uint8Array, size: number, mostBytes: number, dice?: Dice): void {
  const reading = everything(size);
  let asked = 0;
  let pieces = 0;
  const give = ({ offset, length }: Range) => {
    pieces += 1;
    asked += length;
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length <= 0 || size < offset + length)
      throw new Error(`asked for ${length} bytes at ${offset} of ${size}`);
    if (mostBytes < asked || 250_000 < pieces) throw new Error(`asked for ${asked} bytes in ${pieces} pieces of a file of ${size}`);
    // A file that shrinks while it is read gives fewer bytes than it promised.
    if (dice?.chance(100)) return bytes.subarray(offset, offset + dice.below(length));
    if (bytes.length <= offset) return zeros.subarray(0, length);
    if (offset + length <= bytes.length) return bytes.subarray(offset, offset + length);
    const mixed = new Uint8Array(length);
    mixed.set(bytes.subarray(offset));
    return mixed;
  };
  for (let step = reading.next(); !step.done; step = reading.next(step.value.map(give)));
}

test("no damage to an ELF file makes the reader throw, hang or ask for what is not there", async () => {
  await fuzz("ELF files", 40_000, (dice) => {
    const bytes = mutate(corpus, dice);
    read(bytes, bytes.length, 64 * bytes.length + (4 << 20), dice);
  });
});

test("nor does a file that claims to be of many gigabytes cost more than a bounded part of it", async () => {
  await fuzz("huge ELF files", 1500, (dice: Dice) => {
    const bytes = mutate(corpus, dice);
    read(bytes, dice.pick([100 << 20, 5e9, 2 ** 45]), 600 << 20);
  });
});

test("the corpus is sound: unchanged, each file gives facts", () => {
  for (const bytes of corpus) {
    const reading = readObject(bytes.length);
    let step = reading.next();
    while (!step.done) step = reading.next(step.value.map(({ offset, length }) => bytes.subarray(offset, offset + length)));
    expect(step.value.kind).toBe("elf");
  }
});
