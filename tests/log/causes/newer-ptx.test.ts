import step from "../../../packages/core/src/log/causes/newer-ptx.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["ptx-newer-than-driver > arch-unsupported", "CUDA error: a PTX JIT compilation failed"],
  ["ptx-newer-than-driver", "CUDA error: the provided PTX was compiled with an unsupported toolchain."],
  [
    "ptx-newer-than-driver > toolkit-too-old",
    "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'",
  ],
  [
    "ptx-newer-than-driver > arch-unsupported",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA error: a PTX JIT compilation failed",
  ],
  [
    "ptx-newer-than-driver",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA error: the provided PTX was compiled with an unsupported toolchain.",
  ],
  [
    "ptx-newer-than-driver > toolkit-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'",
  ],
  [
    "toolkit-too-old > library-wrong-version > ptx-newer-than-driver",
    "NVJITLINK_ERROR_PTX_COMPILE: nvJitLink failed\nptxas application ptx input, line 9; fatal   : Unsupported .version 8.4; current version is '8.3'\nCUDA error 222",
  ],
]);
