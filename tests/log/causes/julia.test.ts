import step from "../../../packages/core/src/log/causes/julia.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-wrong-version > library-shadowed > toolkit-vs-framework-at-build",
    "Error: You are using a local CUDA 12.4.0 toolkit, but CUDA.jl was precompiled for CUDA 12.6.0. This is unsupported.",
  ],
  [
    "library-shadowed",
    "Warning: CUDA runtime library `libcublasLt.so.12` was loaded from a system path, `/usr/local/cuda/lib64/libcublasLt.so.12`.",
  ],
  [
    "driver-too-old > benign-warning",
    "Warning: The NVIDIA driver on this system only supports up to CUDA 11.0.0. For performance reasons, it is recommended to upgrade to a driver that supports CUDA 11.2 or higher.",
  ],
  [
    "library-damaged > library-missing > upstream-bug",
    "ERROR: Could not find cublasLt (cublasLt64_115.dll, cublasLt64_11.dll) in C:\\Users\\u\\.julia\\artifacts\\8c7ad41f\\bin",
  ],
  ["package-conflict", "CUDA.jl does not yet support CUDA with nvdisasm 11.2.135"],
  ["library-missing > driver-not-exposed", "Error: CUDA.jl could not find an appropriate CUDA runtime to use."],
]);
