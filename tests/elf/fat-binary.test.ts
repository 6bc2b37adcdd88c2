import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openElf } from "../../src/elf/elf.ts";
import { readArchitectures } from "../../src/elf/fat-binary.ts";
import { nothingAsked, readFile, type Asked } from "./reading.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "fat-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

interface Entry {
  kind: 1 | 2;
  architecture: number;
  flags?: number;
  /** 64, 72, 80, 96 and 112 occur. */
  header?: number;
  payload?: number;
}

/** A file with one section of containers; payloads and gaps are holes, so size costs no disk. */
function fatLibrary(name: string, containers: { entries: Entry[]; gap?: number; magic?: number }[], section = ".nv_fatbin"): string {
  const file = path.join(scratch, name);
  const handle = fs.openSync(file, "w");
  const put = (bytes: Buffer, at: number) => fs.writeSync(handle, bytes, 0, bytes.length, at);
  const start = 4096;
  let at = start;
  for (const { entries, gap = 0, magic = 0xba55ed50 } of containers) {
    const body = entries.reduce((total, { header = 64, payload = 256 }) => total + header + payload, 0);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(magic, 0);
    head.writeUInt16LE(1, 4);
    head.writeUInt16LE(16, 6);
    head.writeBigUInt64LE(BigInt(body), 8);
    put(head, at);
    at += 16;
    for (const { kind, architecture, flags = 0x11, header = 64, payload = 256 } of entries) {
      const fields = Buffer.alloc(64);
      fields.writeUInt16LE(kind, 0);
      fields.writeUInt16LE(0x101, 2);
      fields.writeUInt32LE(header, 4);
      fields.writeBigUInt64LE(BigInt(payload), 8);
      fields.writeUInt32LE(architecture, 28);
      fields.writeUInt32LE(flags, 40);
      put(fields, at);
      at += header + payload;
    }
    at = Math.ceil(at / 8) * 8 + gap;
  }
  const names = Buffer.from(`\0.shstrtab\0${section}\0`);
  const header = Buffer.alloc(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(62, 18);
  header.writeBigUInt64LE(BigInt(at + names.length), 40);
  header.writeUInt16LE(64, 58);
  header.writeUInt16LE(3, 60);
  header.writeUInt16LE(1, 62);
  put(header, 0);
  put(names, at);
  const sections = Buffer.alloc(3 * 64);
  for (const [index, nameAt, offset, size] of [
    [1, 1, at, names.length],
    [2, 11, start, at - start],
  ] as const) {
    sections.writeUInt32LE(nameAt, index * 64);
    sections.writeBigUInt64LE(BigInt(offset), index * 64 + 24);
    sections.writeBigUInt64LE(BigInt(size), index * 64 + 32);
  }
  put(sections, at + names.length);
  fs.closeSync(handle);
  return file;
}

function architectures(file: string, asked?: Asked): string[] | undefined {
  return readFile(
    file,
    function* (size) {
      const view = yield* openElf(size);
      return "kind" in view ? undefined : yield* readArchitectures(view);
    },
    asked,
  );
}

describe("GPU architectures of a fat binary", () => {
  // Kinds, flags and header sizes as in libcutensorMp.so.2 (cutensor-cu12 2.8.1), which `cuobjdump -all` 13.4 lists as
  // elf sm_75, sm_80, sm_90a, sm_100f, sm_120f and ptx sm_100.
  test("come with the letters of architecture- and family-specific code", () => {
    const file = fatLibrary(
      "mp.so",
      [
        {
          entries: [
            { kind: 2, architecture: 75, flags: 0x2011, payload: 288 },
            { kind: 1, architecture: 100, flags: 0x2011, header: 96, payload: 64 },
            { kind: 2, architecture: 80, flags: 0x2011, payload: 288 },
            { kind: 2, architecture: 90, flags: 0x102011, payload: 432 },
            { kind: 2, architecture: 100, flags: 0x1202011, header: 96, payload: 784 },
            { kind: 2, architecture: 120, flags: 0x1202011, header: 96, payload: 784 },
          ],
        },
      ],
      "__nv_relfatbin",
    );
    expect(architectures(file)).toEqual(["sm_75", "sm_80", "sm_90a", "compute_100", "sm_100f", "sm_120f"]);
  });

  test("are collected over containers with padding between them", () => {
    const file = fatLibrary("padded.so", [
      { entries: [{ kind: 2, architecture: 50 }], gap: 24 },
      { entries: [{ kind: 2, architecture: 90, header: 112 }], gap: 4096 },
      { entries: [{ kind: 1, architecture: 90, flags: 0x8011, header: 72 }] },
    ]);
    expect(architectures(file)).toEqual(["sm_50", "compute_90", "sm_90"]);
  });

  test("are none in a library without device code, and none that is known in one of another layout", () => {
    expect(architectures(fatLibrary("plain.so", [], ".rodata"))).toBeUndefined();
    expect(architectures(fatLibrary("other.so", [{ entries: [{ kind: 2, architecture: 90 }], magic: 0x466243b1 }]))).toEqual([]);
  });

  test("of 700 MB cost kilobytes", () => {
    const entries: Entry[] = [75, 80, 90].map((architecture) => ({ kind: 2, architecture, payload: 1 << 21 }));
    const file = fatLibrary(
      "huge.so",
      Array.from({ length: 120 }, () => ({ entries })),
    );
    expect(fs.statSync(file).size).toBeGreaterThan(700e6);
    const asked = nothingAsked();
    expect(architectures(file, asked)).toEqual(["sm_75", "sm_80", "sm_90"]);
    expect(asked.bytes).toBeLessThan(100 << 10);
  });

  test("of a container whose sizes lie end with the section, not never", () => {
    const file = fatLibrary("lies.so", [{ entries: [{ kind: 2, architecture: 90, header: 64, payload: 0 }] }]);
    const handle = fs.openSync(file, "r+");
    fs.writeSync(handle, Buffer.alloc(8, 0xff), 0, 8, 4096 + 8);
    fs.writeSync(handle, Buffer.alloc(8, 0xff), 0, 8, 4096 + 16 + 8);
    fs.closeSync(handle);
    expect(architectures(file)).toEqual(["sm_90"]);
  });
});
