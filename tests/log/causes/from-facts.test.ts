import step from "../../../packages/core/src/log/causes/from-facts.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "cuda-home-wrong",
    "I have 2 versions of nvcc on the image\nCuda compilation tools, release 12.0, V12.0.140\nCuda compilation tools, release 12.8, V12.8.93",
  ],
  ["toolkit-too-old > arch-unsupported", "I cannot build the extension on my RTX 5070 Ti with CUDA 11.8: why an architecture mismatch?"],
  ["arch-unsupported > toolkit-too-old", "why does my RTX 5070 Ti not work, I have CUDA 11.8"],
  ["forward-compat-misuse", "NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 12.1"],
  ["driver-too-old", "Driver Version: 418.87.01\nCUDA 10.2 image"],
  ["toolkit-too-old", "CUDA 11.5 from ubuntu and gcc 12: nvcc fails with errors in std_function.h"],
  [
    "ptx-newer-than-driver",
    "We compile our kernels with CUDA 12.6 to PTX on a machine with driver 525, and it does not work there. Our PTX is loaded by cuModuleLoad",
  ],
  ["cuda-home-wrong", "nvcc --version says 10.1 although I installed CUDA 12.1 last week; the build complains about an old nvcc"],
]);
