import step from "../../../packages/core/src/log/causes/needs-has.ts";
import { holds } from "./holds.ts";

// Found is below what is required in each: the words say so themselves.
holds(step, [
  ["driver-too-old", "this build needs driver 535 or later, and driver 470.57 was found"],
  ["driver-too-old", "profiler requires driver 510 or newer but found 470.57.02"],
  ["toolkit-too-old > wrong-wheel-cuda-version", "myprog: requires CUDA 12.1 or newer, but CUDA 11.8 was found"],
  ["arch-unsupported", "kernel needs compute capability 7.0 or higher, your GPU has 6.1"],
  ["library-wrong-version", "requires glibc 2.31, found 2.27"],
  ["package-conflict", "package foo requires torch>=2.1, but torch 1.13 was detected"],
  ["ptx-newer-than-driver > toolkit-too-old", "loader: PTX 8.4 is required, the driver supports PTX 7.8: unsupported"],
  ["driver-too-old", "needs a driver that supports CUDA 12.4 or newer, driver supports CUDA 11.4"],
  ["profiler-platform-unsupported > arch-unsupported", "GPU profiling is not supported on a device of compute capability 7.5 or higher"],
  [
    "library-wrong-version > library-missing > library-shadowed",
    "Profiler Error: incompatible libcupti version\nthe framework was compiled against CUDA 11.0, the system has CUDA 12.0",
  ],
  // The GPU is one of those that the line asks for (RTX 4090: 8.9), or is not (RTX 3090: 8.6), or is not told.
  ["arch-unsupported", "SM89 kernel is not available. Make sure you GPUs with compute capability 8.9.\nGPU 0: NVIDIA GeForce RTX 4090"],
  ["arch-unsupported", "ValueError: this backend is only supported on Hopper GPUs (SM90)\nGPU 0: NVIDIA GeForce RTX 3090"],
  ["arch-unsupported", "RuntimeError: FooServe only supports sm75 and above."],
  ["toolkit-too-old > wrong-wheel-cuda-version", "RuntimeError: CUDA 12.8 or higher is required for compute capability 12.0."],
  ["package-conflict", "ImportError: Numba needs NumPy 1.24 or less\nit seems the numpy version installed is 1.24.4"],
  ["wrong-wheel-cuda-version > library-wrong-version", "JAX was still complaining about the version of cuda being 11.7 and not 11.8"],
]);
