import step from "../../../packages/core/src/log/causes/driver-lacks-symbol.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-too-old > upstream-bug > library-wrong-version > kernel-module-mismatch",
    "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 500: named symbol not found",
  ],
  [
    "upstream-bug > driver-too-old > upstream-bug > library-wrong-version > kernel-module-mismatch",
    "Windows 11, Docker Desktop: docker run --gpus all\n| NVIDIA-SMI 555.52.01  Driver Version: 555.85  CUDA Version: 12.5 |\nUnexpected error from cudaGetDeviceCount(). Error 500: named symbol not found (Triggered internally at x.cpp:108.)",
  ],
]);
