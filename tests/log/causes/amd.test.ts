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
]);
