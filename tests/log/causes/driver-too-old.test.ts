import { expect, test } from "vitest";
import { explainLog } from "../../../packages/core/src/culprit.ts";
import step from "../../../packages/core/src/log/causes/driver-too-old.ts";
import { holds } from "./holds.ts";

holds(step, [
  // The driver answers and is new enough: something older stands before it.
  [
    "cupti-too-old-for-driver > forward-compat-misuse > driver-too-old",
    "When using iprof to trace the program:\ncudaErrorCallRequiresNewerDriver: API call is not supported in the installed CUDA driver\nDefault cuda is 11.8.  Driver version is 525.85.12\nnsys profiler: CUDA kernels are not recorded",
  ],
  ["driver-too-old > driver-not-exposed", "CUDA driver version is insufficient for CUDA runtime version"],
  ["driver-too-old", "Error: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)"],
  ["driver-too-old", "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver"],
  ["driver-not-exposed > driver-too-old", "docker run --gpus all image\nCUDA driver version is insufficient for CUDA runtime version"],
  [
    "not-a-mismatch > driver-too-old > driver-not-exposed",
    "OS: macOS 14.1 (arm64)\nCUDA driver version is insufficient for CUDA runtime version",
  ],
  [
    "not-a-mismatch > driver-too-old > driver-not-exposed",
    "OS: macOS 14.1 (arm64)\nError: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)",
  ],
  [
    "driver-too-old > driver-not-exposed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA driver version is insufficient for CUDA runtime version",
  ],
  [
    "driver-too-old > library-shadowed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nError: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)",
  ],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver",
  ],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nWarp CUDA error: Warp requires CUDA driver 12.0 or higher, but the current driver only supports CUDA 11.4",
  ],
  [
    "driver-too-old > driver-not-exposed",
    "PyTorch 2.1.0 built with CUDA 12.1\nCUDA driver version is insufficient for CUDA runtime version",
  ],
]);

test("a driver is never older than what it runs by the message's own words", async () => {
  const text = "I use torch 1.6.0+cu101. The NVIDIA driver on your system is too old (found version 10010).";
  const [first] = (await explainLog([new TextEncoder().encode(text)])).diagnoses;
  expect(first).toMatchObject({ cause: "driver-too-old", found: "CUDA 10.1" });
  expect(first!.required).not.toContain("10.1");
});
