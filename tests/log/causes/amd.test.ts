import step from "../../../packages/core/src/log/causes/amd.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["arch-unsupported > upstream-bug", "RuntimeError: HIP error: invalid device function"],
  [
    "arch-unsupported > upstream-bug",
    "rocBLAS error: Cannot read /v/torch/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1100",
  ],
  [
    "wrong-vendor",
    "AMD Radeon RX 6800\nCUDA_SETUP: WARNING! libcudart.so not found in any environmental path. Searching in backup paths...",
  ],
  ["arch-unsupported > upstream-bug", "AMD Radeon RX 6800\nRuntimeError: HIP error: invalid device function"],
  ["wrong-vendor", "AMD 3800 / 32GB / RX 6800\nRuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS"],
  [
    "wrong-vendor",
    "I installed PyTorch via `pip install torch --index-url https://download.pytorch.org/whl/rocm6.0`\nFound no NVIDIA driver on your system. Please check that you have an NVIDIA GPU",
  ],
  [
    "wrong-vendor",
    "The image with torch 2.9.1+rocm7.2.3 worked on this Radeon 890M. The new one raises `RuntimeError: Found no NVIDIA driver on your system`, on an AMD box",
  ],
  ["arch-unsupported", "Radeon RX 6700 XT (gfx1031), torch 2.3.0+rocm6.0: the first matmul fails with invalid device function"],
  ["wrong-vendor", "After following the instructions for AMD cards: Torch is not able to use GPU"],
  ["arch-unsupported", "Does ROCm 6 still support my RX 580? rocminfo only shows the CPU agent."],
  ["wrong-vendor", "using amd on linux, was working minutes ago\nRuntimeError: Found no NVIDIA driver on your system."],
]);
