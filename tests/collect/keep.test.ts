import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { interestIn } from "../../packages/core/src/collect/interest.ts";
import { keeping } from "../../packages/core/src/collect/keep.ts";
import { openElf, readObject } from "../../packages/core/src/elf/elf.ts";
import { readArchitectures } from "../../packages/core/src/elf/fat-binary.ts";
import type { Reading } from "../../packages/core/src/elf/image.ts";
import { findSymbol, readSymbols } from "../../packages/core/src/elf/symbols.ts";
import type { ElfView } from "../../packages/core/src/elf/view.ts";
import type { Piece } from "../../packages/core/src/model/target.ts";
import { writeFatLibrary } from "../elf/fat-library.ts";
import { readFile } from "../elf/reading.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "keep-"));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

/** Lets a file go by under another name, in pieces of a size; answers with what was kept. */
function passBy(file: string, name: string, pieceSize: number): { pieces: Piece[]; object?: object } {
  const { size } = fs.statSync(file);
  const handle = fs.openSync(file, "r");
  const keeper = keeping()(name, size, true);
  for (let at = 0; at < size && keeper.wants; at += pieceSize) {
    const piece = Buffer.alloc(Math.min(pieceSize, size - at));
    fs.readSync(handle, piece, 0, piece.length, at);
    keeper.push(piece);
  }
  fs.closeSync(handle);
  return keeper.end();
}

/** Runs a reading over what was kept alone. */
function readKept<T>(pieces: Piece[], reading: Reading<T>): T {
  let step = reading.next();
  while (!step.done)
    step = reading.next(
      step.value.map(({ offset, length }) => {
        const piece = pieces.find((each) => each.offset <= offset && offset + length <= each.offset + each.bytes.length);
        if (!piece) throw new Error(`${length} bytes at ${offset} were not kept`);
        return piece.bytes.subarray(offset - piece.offset, offset - piece.offset + length);
      }),
    );
  return step.value;
}

const kept = ({ pieces }: { pieces: Piece[] }) => pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);

function* opened<T>(size: number, next: (view: ElfView) => Reading<T>): Reading<T | undefined> {
  const view = yield* openElf(size);
  return "kind" in view ? undefined : yield* next(view);
}

describe("of an executable of many megabytes, gone by once", () => {
  // The one that runs this: real, large, and not made to fit.
  const file = process.execPath;
  const { size } = fs.statSync(file);

  test.each([
    ["/usr/bin/node", 1 << 20],
    ["/usr/bin/node", 65_537],
    ["/usr/lib/libcudart.so.12", 1 << 18],
  ])("all that is asked of %s is kept, from pieces of %i bytes", (name, pieceSize) => {
    const result = passBy(file, name, pieceSize);
    expect(readKept(result.pieces, readObject(size, interestIn(name)))).toEqual(readFile(file, (all) => readObject(all, interestIn(name))));
    expect(readKept(result.pieces, opened(size, readArchitectures))).toEqual(readFile(file, (all) => opened(all, readArchitectures)));
    expect(kept(result)).toBeLessThan(size / 4);
    const absent = (number: number) => opened(size, (view) => findSymbol(view, `cudaNothing${number}`));
    if (!name.includes("cudart")) {
      // What is not there is known not to be there, without the symbols.
      for (let number = 0; number < 200; number += 1) expect(readKept(result.pieces, absent(number))).toBeUndefined();
      return;
    }
    // Of a copy all exports are asked for.
    const exports = (run: (reading: (all: number) => Reading<unknown>) => unknown) =>
      run((all) =>
        opened(all, function* (view) {
          yield* readSymbols(view, { exports: true });
          return view.fact.exports;
        }),
      );
    expect(exports((reading) => readKept(result.pieces, reading(size)))).toEqual(exports((reading) => readFile(file, reading)));
  });
});

test("GPU code beyond what is remembered is found again, though the file says only at its end where it was", () => {
  const entries = [75, 80, 90].map((architecture) => ({ kind: 2 as const, architecture, payload: 5 << 20 }));
  const file = writeFatLibrary(
    path.join(scratch, "huge.so"),
    [...Array.from({ length: 4 }, () => ({ entries, gap: 4096 })), { entries: [{ kind: 1 as const, architecture: 100 }], gap: 0 }],
    ".nv_fatbin",
    40 << 20,
  );
  const { size } = fs.statSync(file);
  expect(size).toBeGreaterThan(100e6);
  const result = passBy(file, "/opt/huge.so", 1 << 20);
  expect(readKept(result.pieces, opened(size, readArchitectures))).toEqual(["sm_75", "sm_80", "sm_90", "compute_100"]);
  expect(kept(result)).toBeLessThan(128 << 10);
});

test("the names that a library needs are kept, where they lie behind all of its many symbols and long before what says so", () => {
  const [strings, dynamic, size] = [90 << 20, 110 << 20, 120 << 20];
  const file = path.join(scratch, "wide.so");
  const handle = fs.openSync(file, "w");
  const write = (at: number, words: (number | bigint)[]) => {
    const bytes = Buffer.alloc(words.length * 8);
    words.forEach((word, index) => bytes.writeBigUInt64LE(BigInt(word), index * 8));
    fs.writeSync(handle, bytes, 0, bytes.length, at);
  };
  // Header, one segment that is all of the file, and the dynamic section.
  write(0, [0x00010102464c457fn, 0, 0x00000001003e0003n, 0, 64, 0, 0x0038004000000000n, 2]);
  write(64, [0x700000001n, 0, 0, 0, size, size, 4096, 0x600000002n, dynamic, dynamic, dynamic, 6 * 16, 6 * 16, 8]);
  const text = "\0libwide.so.2\0libm.so.6\0libstdc++.so.6\0libc.so.6\0";
  write(dynamic, [5, 4096, 10, strings + text.length - 4096, 14, strings + 1 - 4096, 1, strings + text.indexOf("libc") - 4096, 0, 0]);
  fs.writeSync(handle, text, strings);
  fs.ftruncateSync(handle, size);
  fs.closeSync(handle);
  const { pieces } = passBy(file, "/opt/libwide.so.2", 1 << 16);
  const object = readKept(pieces, readObject(size, interestIn("/opt/libwide.so.2")));
  expect(object).toEqual(readFile(file, (all) => readObject(all, interestIn("/opt/libwide.so.2"))));
  expect(object).toMatchObject({ soname: "libwide.so.2", needed: ["libc.so.6"] });
  expect(kept({ pieces })).toBeLessThan(64 << 10);
});

test("texts are kept whole where they are read, loaders always, and of the rest only what they begin with", () => {
  const keep = (name: string, content: string) => {
    const keeper = keeping()(name, content.length, true);
    keeper.push(Buffer.from(content));
    const { pieces, object } = keeper.end();
    return object ?? pieces.map(({ bytes }) => Buffer.from(bytes).toString()).join();
  };
  for (const name of [
    "/etc/ld.so.conf.d/cuda.conf",
    "/opt/venv/lib/python3.11/site-packages/torch-2.4.1.dist-info/RECORD",
    "/opt/venv/lib/python3.11/site-packages/torch/version.py",
    "/opt/venv/pyvenv.cfg",
    "/usr/local/cuda-12.4/version.json",
    "/opt/conda/conda-meta/cudnn-9.1.0-0.json",
    "/opt/conda/etc/conda/activate.d/cuda.sh",
    "/var/lib/dpkg/status",
    "/var/lib/dpkg/info/libcudnn9-cuda-12.list",
    "/root/.bashrc",
  ])
    expect(keep(name, "text"), name).toBe("text");
  expect(keep("/opt/venv/lib/python3.11/site-packages/torch/nn/functional.py", "import torch\n")).toEqual({
    kind: "not-elf",
    starts: "import torch·",
  });
  expect(keep("/empty", "")).toEqual({ kind: "not-elf", starts: "" });
  const loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((each) => fs.existsSync(each));
  if (loader) expect(kept(passBy(loader, "/opt/x/ld-linux-x86-64.so.2", 4096))).toBe(fs.statSync(loader).size);
});
