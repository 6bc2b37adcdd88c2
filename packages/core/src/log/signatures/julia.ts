import { notice, type Signature } from "../signature.ts";

/** CUDA.jl (src/initialization.jl). */
export default [
  notice(
    "julia-other-runtime",
    "but cuda.jl was precompiled for",
    /You are using (?:a local )?CUDA (?<found>\d{1,2}\.\d{1,2})(?:\.\d{1,3})?(?: toolkit)?, but CUDA\.jl was precompiled for CUDA (?<required>\d{1,2}\.\d{1,2})/,
    "Error: You are using a local CUDA 12.4.0 toolkit, but CUDA.jl was precompiled for CUDA 12.6.0. This is unsupported.",
    "Error: You are using CUDA 12.4.0, but CUDA.jl was precompiled for CUDA 12.6.0.",
  ),
  notice(
    "julia-system-library",
    "was loaded from a system path",
    /CUDA runtime library `(?<subject>[\w.+-]{3,60})` was loaded from a system path, [`'](?<found>[^`'\n]{3,200})[`']/,
    "Warning: CUDA runtime library `libcublasLt.so.12` was loaded from a system path, `/usr/local/cuda/lib64/libcublasLt.so.12`.",
  ),
  {
    literals: ["this version of cuda.jl only supports nvidia drivers for cuda"],
    pattern:
      /This version of CUDA\.jl only supports NVIDIA drivers for CUDA (?<required>\d{1,2})(?:\.[\dx]{1,2})?[^\n]{0,40}\(yours is for CUDA (?<found>\d{1,2}\.\d{1,2})/,
    examples: ["Error: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)"],
    // It also refuses drivers that are newer than itself.
    facts: ({ required, found }) =>
      Number(found!.split(".")[0]) < Number(required) ? { kind: "notice", id: "driver-too-old", found: found! } : undefined,
  },
  notice(
    "julia-no-runtime",
    "cuda.jl could not find an appropriate cuda runtime",
    /CUDA\.jl could not find an appropriate CUDA runtime to use|No CUDA Runtime library found/,
    "Error: CUDA.jl could not find an appropriate CUDA runtime to use.",
  ),
  {
    literals: ["cuda driver not found", "cuda driver not functional"],
    pattern: /(?:ERROR: |error: )?CUDA driver not (?:found|functional)$/,
    examples: ["ERROR: CUDA driver not found"],
    facts: () => ({ kind: "notice", id: "no-driver" }),
  },
] satisfies Signature[];
