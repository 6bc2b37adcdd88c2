import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeX86, readConstants } from "../../packages/core/src/elf/constants.ts";
import { openElf, readObject } from "../../packages/core/src/elf/elf.ts";
import { libraryOf, versionFunctions, versionOf } from "../../packages/core/src/knowledge/libraries.ts";
import { codeLibrary } from "./code-library.ts";
import { hasTool } from "./readelf.ts";
import { nothingAsked, readBytes, readFile } from "./reading.ts";
import { needs } from "../needs.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "constants-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

// Shapes of code from NVIDIA's packages. The instructions that carry the number are the package's own bytes; what surrounds them
// is shortened, and what calls lead to is written for the test. Those marked "made up" were seen in no package.
const shapes: [name: string, made: Parameters<typeof codeLibrary>[0], version: string | undefined][] = [
  [
    "one store after a test (nvidia-cuda-cupti-cu11 11.8.87: cuptiGetVersion)",
    {
      machine: 62,
      soname: "libcupti.so.11.8",
      symbols: [{ name: "cuptiGetVersion", code: "4885ff b801000000 7408 c70712000000 31c0 f3c3" }],
    },
    "API 18",
  ],
  [
    "a store of the newer numbers, after endbr64 (made up; the number is that of CUPTI 13.0.85)",
    {
      machine: 62,
      soname: "libcupti.so.13",
      symbols: [{ name: "cuptiGetVersion", code: "f30f1efa 4885ff 7409 c707d1fb0100 31c0 c3 b801000000 c3" }],
    },
    "API 130001",
  ],
  [
    "two stores (nvidia-cuda-nvrtc-cu12 12.9.86: nvrtcVersion)",
    {
      machine: 62,
      soname: "libnvrtc.so.12",
      symbols: [{ name: "nvrtcVersion", code: "4885ff 741b 4885f6 7416 c7070c000000 31c0 c70609000000 c3 0f1f8000000000 b803000000 c3" }],
    },
    "12.9",
  ],
  [
    "a second store of zero (nvidia-nvjitlink 13.0.88: nvJitLinkVersion)",
    {
      machine: 62,
      soname: "libnvJitLink.so.13",
      symbols: [
        { name: "nvJitLinkVersion", code: "4885ff 741b 4885f6 7416 c7070d000000 31c0 c70600000000 c3 0f1f8000000000 b80a000000 c3" },
      ],
    },
    "13.0",
  ],
  [
    "a store through r12 (nvidia-cusparse-cu11 11.7.5.86: cusparseGetVersion)",
    {
      machine: 62,
      soname: "libcusparse.so.11",
      symbols: [
        { name: "cusparseGetVersion", code: "55 4889e5 c745f800000000 4d85e4 0f8437000000 41c70424b92d0000 e85ac6faff 80782800 c9 c3" },
      ],
    },
    "11.7.5",
  ],
  [
    "a store through r13, and zeros on the stack before it (nvidia-cusparse-cu12 12.5.10.65)",
    {
      machine: 62,
      soname: "libcusparse.so.12",
      symbols: [
        {
          name: "cusparseGetVersion",
          code: "55 4889e5 48c745c800000000 4d85ed 0f8459000000 41c74500de300000 e8dc16f7ff 80782800 4889c3 c9 c3",
        },
      ],
    },
    "12.5.10",
  ],
  [
    "a store through rbp that is no frame pointer (nvidia-cusparselt-cu12 0.8.1: cusparseLtGetVersion)",
    {
      machine: 62,
      soname: "libcusparseLt.so.0",
      symbols: [
        { name: "cusparseLtGetVersion", code: "55 4889f5 48c744241800000000 4885ed 740c c7450021030000 31c0 5d c3 b803000000 5d c3" },
      ],
    },
    "0.8.1",
  ],
  [
    "a result after logging (nvidia-cudnn-cu11 8.5.0.96, libcudnn_ops_infer.so.8: cudnnGetVersion)",
    {
      machine: 62,
      soname: "libcudnn_ops_infer.so.8",
      symbols: [
        {
          name: "cudnnGetVersion",
          code: "4154 55 53 4881ec10400000 e871c10200 84c0 7408 c744240800000000 4889df e86cc80200 4881c410400000 b834210000 5b 5d 415c c3",
        },
      ],
    },
    "8.5.0",
  ],
  [
    "a result of five digits (nvidia-cudnn-cu12 9.27.0.42, libcudnn_graph.so.9)",
    {
      machine: 62,
      soname: "libcudnn_graph.so.9",
      symbols: [{ name: "cudnnGetVersion", code: "55 4889e5 53 4881ec20000100 e8a8570000 84c0 7400 4881c420000100 b81c6a0100 5b 5d c3" }],
    },
    "9.27.0",
  ],
  [
    "a variable of one byte a part (nvidia-cudnn-cu12 9.14.0.64, libcudnn_ops.so.9: cudnn_ops_infer_version)",
    { machine: 62, soname: "libcudnn_ops.so.9", symbols: [{ name: "cudnn_ops_infer_version", data: 0x090e00 }] },
    "9.14.0",
  ],
  [
    "a dispatcher that only looks up another library's function (nvidia-cudnn-cu12 9.27.0.42, libcudnn.so.9)",
    {
      machine: 62,
      soname: "libcudnn.so.9",
      symbols: [{ name: "cudnnGetVersion", code: "55 4889e5 0fb605baaf2100 84c0 740c 488b05b7af2100 5d ffe0 e854e5ffff 85c0 ebea" }],
    },
    undefined,
  ],
  [
    "a number that is also stored on the stack (nvidia-cublas-cu12 12.9.2.10: cublasLtGetVersion)",
    {
      machine: 62,
      soname: "libcublasLt.so.12",
      symbols: [
        {
          name: "cublasLtGetVersion",
          code: "55 4889e5 53 4883ec38 7416 488d3d54a86507 c745cc46d80100 e8f586fdff ba10000000 4883c438 b846d80100 5b 5d c3",
        },
      ],
    },
    "12.9.2",
  ],
  [
    "the second of two calls (nvidia-cuda-runtime-cu12 12.9.79: cudaRuntimeGetVersion)",
    {
      machine: 62,
      soname: "libcudart.so.12",
      symbols: [
        {
          name: "cudaRuntimeGetVersion",
          code: "55 4889e5 4154 4989fc 4881ecc8000000 c7853cffffff00000000 e8{0} 4885c0 7403 8b4070 4c89e7 e8{1} 4881c4c8000000 415c 5d c3",
        },
      ],
      // The first makes the library's state, with numbers of its own.
      parts: ["53 bf80000000 488918 c70001000000 c7400820000000 5b c3", "4885ff 740b c7073a2f0000 31c0 c3 6690 55 b801000000 5d c3"],
    },
    "12.9",
  ],
  [
    "two jumps to the function that knows (made up; the last function is that of nvidia-cuda-runtime 13.0.96)",
    {
      machine: 62,
      soname: "libcudart.so.13",
      symbols: [{ name: "cudaRuntimeGetVersion", code: "f30f1efa e9{0}" }],
      parts: ["e9{1}", "4885ff 740b c707c8320000 31c0 c3"],
    },
    "13.0",
  ],
  [
    "an aarch64 store (nvidia-nccl-cu12 2.32.3: ncclGetVersion)",
    {
      machine: 183,
      soname: "libnccl.so.2",
      symbols: [{ name: "ncclGetVersion", code: "e10300aa a00000b4 62548b52 00008052 220000b9 c0035fd6 80008052 c0035fd6" }],
    },
    "2.32.3",
  ],
  [
    "an aarch64 result in two halves (nvidia-cudnn-cu12 9.27.0.42, libcudnn_graph.so.9)",
    {
      machine: 183,
      soname: "libcudnn_graph.so.9",
      symbols: [{ name: "cudnnGetVersion", code: "fd7bbfa9 5b789a95 80438dd2 e81f40fd fd7b40a9 2000a0f2 f35341a9 ff430191 c0035fd6" }],
    },
    "9.27.0",
  ],
  [
    "an aarch64 store among others on the stack (nvidia-cusparse-cu12 12.5.10.65)",
    {
      machine: 183,
      soname: "libcusparse.so.12",
      symbols: [{ name: "cusparseGetVersion", code: "fd7bb8a9 020f8052 e25b00b9 570900b4 cc1b8652 ec0200b9 8532fe97 c0035fd6" }],
    },
    "12.5.10",
  ],
  [
    "an aarch64 call, and a jump from there (made up after nvidia-cuda-runtime-cu11 11.8.89: cudaRuntimeGetVersion)",
    {
      machine: 183,
      soname: "libcudart.so.11.0",
      symbols: [{ name: "cudaRuntimeGetVersion", code: "fd7bb3a9 f50300aa ff4700b9 {0}94 e00315aa {1}94 fd7bcda8 c0035fd6" }],
      parts: ["20008052 c0035fd6", "{2}14", "800000b4 01698552 010000b9 00008052 c0035fd6"],
    },
    "11.8",
  ],
];

const versionFrom = (soname: string, name: string, number: number) =>
  versionOf(libraryOf(soname)!, {
    kind: "elf",
    class: 64,
    order: "little",
    machine: 62,
    type: 3,
    needed: [],
    soname,
    constants: { [name]: [number] },
  });

describe("the version of a library comes out as its vendor writes it", () => {
  test.each(shapes)("from %s", (_name, made, version) => {
    const bytes = codeLibrary(made);
    const asked = nothingAsked();
    const fact = readBytes(bytes, readObject(bytes.length, { constants: (object) => versionFunctions(made.soname, object) }), asked);
    expect(fact.kind === "elf" && versionOf(libraryOf(made.soname)!, fact)).toBe(version);
    expect(asked.bytes).toBeLessThan(64 << 10);
  });

  test("cuDNN 7, NCCL 2.7 and libraries with thousands read as such", () => {
    expect(versionFrom("libcudnn.so.7", "cudnnGetVersion", 7605)).toBe("7.6.5");
    expect(versionFrom("libnccl.so.2", "ncclGetVersion", 2708)).toBe("2.7.8");
    expect(versionFrom("libnccl.so.2", "ncclGetVersion", 22809)).toBe("2.28.9");
    expect(versionFrom("libcufft.so.11", "cufftGetVersion", 11401)).toBe("11.4.1");
    expect(versionFrom("libcurand.so.10", "curandGetVersion", 10310)).toBe("10.3.10");
    expect(versionFrom("libcusolver.so.12", "cusolverGetVersion", 12004)).toBe("12.0.4");
  });

  test("a number that cannot be the version of an object of that name is not taken for it", () => {
    const bytes = codeLibrary({
      machine: 62,
      soname: "libcudart.so.12",
      symbols: [{ name: "cudaRuntimeGetVersion", code: "c70701000000 b8e7030000 c3" }],
    });
    const fact = readBytes(bytes, readObject(bytes.length, { constants: (object) => versionFunctions("libcudart.so.12", object) }));
    expect(fact.kind === "elf" && fact.constants).toBeUndefined();
  });
});

test("code that loops, or ends nowhere, is left after a bounded number of bytes", () => {
  for (const code of ["eb fe", "e9 fb ff ff ff", "74 fe eb fc", "ff", "0f", "c7", "e8{0} e8{0} eb f4"]) {
    const bytes = codeLibrary({ machine: 62, soname: "libcudart.so.12", symbols: [{ name: "f", code }], parts: ["e8{0} eb f9"] });
    const asked = nothingAsked();
    readBytes(
      bytes,
      (function* () {
        const view = yield* openElf(bytes.length);
        return "kind" in view ? undefined : yield* readConstants(view, "f");
      })(),
      asked,
    );
    expect(asked.bytes).toBeLessThan(64 << 10);
  }
});

// The same functions from real compilers.
const source = `
#include <stddef.h>
int one(int *p) { if (!p) return 1; *p = 130001; return 0; }
size_t result(void) { return 91900; }
int two(int *major, int *minor) { if (!major || !minor) return 3; *major = 12; *minor = 0; return 0; }
static __attribute__((noinline)) int inner(int *p) { if (!p) return 1; *p = 12090; return 0; }
int called(int *p) { int status = inner(p); return status + 7; }
int jumped(int *p) { return inner(p); }
`;
const expected = { one: [130001], result: [91900], two: [12, 0], called: [12090], jumped: [12090] };
const choices: { [name: string]: (number: number) => boolean } = {
  called: (number) => number === 12090,
  jumped: (number) => number === 12090,
};

describe.each([
  ["gcc", "x86-64"],
  ["aarch64-linux-gnu-gcc", "aarch64"],
])("what %s makes of such functions is read back", (compiler, machine) => {
  const works =
    hasTool(compiler) && spawnSync(compiler, ["-dumpmachine"], { encoding: "utf8" }).stdout.startsWith(machine.replace("-", "_"));
  test.each([
    ["-O0"],
    ["-O1"],
    ["-O2"],
    ["-O3"],
    ["-Os"],
    ["-O2 -fomit-frame-pointer -fcf-protection=none"],
    ["-O2 -mbranch-protection=standard"],
  ])("with %s", needs({ [compiler]: works }), (options) => {
    const file = path.join(scratch, `${machine}${options.replaceAll(/\W/g, "")}.so`);
    const input = path.join(scratch, "versions.c");
    fs.writeFileSync(input, source);
    const made = spawnSync(compiler, ["-shared", "-fPIC", ...options.split(" "), "-o", file, input]);
    if (made.status !== 0) return; // An option of the other machine.
    for (const [name, numbers] of Object.entries(expected)) {
      const wanted = choices[name];
      const found = readFile(file, function* (size) {
        const view = yield* openElf(size);
        if ("kind" in view) return undefined;
        return yield* readConstants(view, name, ({ stores, results }) => {
          const all = 0 < stores.length ? stores : results.filter((number) => 3 < number);
          return wanted ? (all.some(wanted) ? all.filter(wanted) : undefined) : 0 < all.length ? all : undefined;
        });
      });
      expect(found, `${name} ${options}`).toEqual(numbers);
    }
  });
});

describe("x86 instructions are as long as objdump says", needs({ objdump: hasTool("objdump"), "x86-64": process.arch === "x64" }), () => {
  const folder = "/usr/lib/x86_64-linux-gnu";
  test.each(["libm.so.6", "libc.so.6", "libstdc++.so.6"].map((name) => `${folder}/${name}`).filter((file) => fs.existsSync(file)))(
    "in %s",
    (file) => {
      const text = execFileSync("sh", ["-c", `objdump -dw -j .text "${file}" | head -n 250000`], {
        encoding: "utf8",
        maxBuffer: 1 << 28,
      });
      let known = 0;
      let unknown = 0;
      const wrong: string[] = [];
      for (const [line, hex] of text.matchAll(/^ +[0-9a-f]+:\t((?:[0-9a-f]{2} )+)[^(\n]*$/gm)) {
        if (hex!.startsWith("9b ")) continue; // objdump prints a wait and what follows as one.
        const bytes = Uint8Array.from(hex!.trim().split(" "), (byte) => Number.parseInt(byte, 16));
        const padded = new Uint8Array(15);
        padded.set(bytes);
        const length = decodeX86(padded)?.length;
        if (length === undefined) unknown += 1;
        else if (length !== bytes.length) wrong.push(line);
        else known += 1;
      }
      expect(wrong.slice(0, 10)).toEqual([]);
      expect(unknown / (known + unknown)).toBeLessThan(0.001);
      expect(known).toBeGreaterThan(10_000);
    },
  );
});
