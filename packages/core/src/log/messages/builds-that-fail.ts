import { notice, type Signature } from "../signature.ts";

/** Compilers and CMake where an extension or a framework is built, and nothing better is said. */
export default [
  notice(
    "nvcc-failed",
    ["nvcc' failed with exit", "error building extension", "nvcc compilation fails", "nvcc.exe' failed with exit"],
    /error: command '[^'\n]{0,200}nvcc(?:\.exe)?' failed with exit (?:status|code)|RuntimeError: Error building extension|nvcc compilation fails/,
    "error: command '/usr/local/cuda/bin/nvcc' failed with exit status 1",
    "RuntimeError: Error building extension 'lltm_cuda'",
  ),
  notice(
    "host-compiler-refused",
    "unsupported nvhpc compiler",
    /nvcc fatal {1,4}: Unsupported NVHPC compiler found/,
    "nvcc fatal   : Unsupported NVHPC compiler found. nvc++ is the only NVHPC compiler that is supported.",
  ),
  notice(
    "cupti-not-found-at-build",
    ["cupti_library_path-notfound", "could not find cupti library"],
    /CUPTI_LIBRARY_PATH-NOTFOUND|Could not find CUPTI library/,
    "-- Could not find CUPTI library, using CPU-only Kineto build",
  ),
] satisfies Signature[];
