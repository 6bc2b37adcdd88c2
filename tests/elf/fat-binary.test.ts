import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openElf } from "../../packages/core/src/elf/elf.ts";
import { readArchitectures } from "../../packages/core/src/elf/fat-binary.ts";
import { writeFatLibrary, type FatEntry } from "./fat-library.ts";
import { nothingAsked, readFile, type Asked } from "./reading.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "fat-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const fatLibrary = (name: string, ...rest: Rest) => writeFatLibrary(path.join(scratch, name), ...rest);
type Rest = Parameters<typeof writeFatLibrary> extends [string, ...infer T] ? T : never;

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
    const entries: FatEntry[] = [75, 80, 90].map((architecture) => ({ kind: 2, architecture, payload: 1 << 21 }));
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
