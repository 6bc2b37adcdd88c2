import type { Signature } from "../signature.ts";

/** cudarc, through which Rust programs (candle, burn, mistral.rs) open CUDA's libraries; src/lib.rs, panic_no_lib_found. */
export default [
  {
    literals: ["unable to dynamically load the", "lib under the names"],
    pattern:
      /Unable to (?:dynamically load the "(?<library>[\w]{3,20})" shared library(?: - searched for library names: (?<list>\[[^\]\n]{3,1500}\]?))?|find (?<old>[\w]{3,20}) lib under the names (?<names>\[[^\]\n]{3,1500}\]?))/,
    examples: [
      'Unable to dynamically load the "cublas" shared library - searched for library names: ["libcublas.so", "libcublas64.so", "libcublas64_12.so", "libcublas.so.12"]. Ensure that `LD_LIBRARY_PATH` has the correct path to the installed library.',
      'Unable to dynamically load the "cuda" shared library - searched for library names: ["cuda", "nvcuda"].',
      'Unable to find cublas lib under the names ["cublas", "cublas64", "cublas64_12"]. Please open GitHub issue.',
    ],
    facts: ({ library: named, list: searched, old, names }) => {
      const library = (named ?? old)!;
      const list = searched ?? names ?? "";
      if (library === "cuda") return { kind: "not-found", name: /\.dll/.test(list) ? "nvcuda.dll" : "libcuda.so.1", by: "cudarc" };
      // Its first name with a release is that of the CUDA it was built for.
      const dll = new RegExp(`"(${library}64_\\d{2,4}(?:_\\d)?\\.dll)"`, "i").exec(list)?.[1];
      return { kind: "not-found", name: dll ?? `lib${library === "cublaslt" ? "cublasLt" : library}.so`, by: "cudarc" };
    },
  },
  {
    // Its table of functions is that of the CUDA for which it was built; libloading finds one of them missing.
    literals: ["expected symbol in library", "expected function, got"],
    pattern:
      /Expected (?:symbol in library: |function, got )(?:Err\()?(?:DlSym|GetProcAddress)\b(?:[^\n]{0,200}undefined symbol: (?<symbol>\w{3,60}))?/,
    examples: ['Expected symbol in library: DlSym { source: "/usr/lib/libcuda.so: undefined symbol: cuCtxCreate_v4" }'],
    facts: ({ symbol }) => ({ kind: "undefined-symbol", file: "cudarc", symbol: symbol ?? "cuGetProcAddress_v2" }),
  },
  {
    // Its build script, where no toolkit is named (build.rs).
    literals: ["unable to find `include/cuda.h`", "include/cuda.h"],
    pattern: /Unable to find `include\/cuda\.h` under any of/,
    examples: [
      'Unable to find `include/cuda.h` under any of: ["/usr", "/usr/local/cuda", "/opt/cuda"]. Set the `CUDA_ROOT` environment variable',
    ],
    facts: () => ({ kind: "notice", id: "cuda-home-unset" }),
  },
] satisfies Signature[];
