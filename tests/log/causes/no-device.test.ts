import step from "../../../packages/core/src/log/causes/no-device.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["not-a-mismatch > driver-not-exposed > kernel-module-missing", "CUDA error: no CUDA-capable device is detected"],
  ["not-a-mismatch", "CUDA_VISIBLE_DEVICES is set to -1 - this hides all GPUs from CUDA"],
  [
    "not-a-mismatch > driver-not-exposed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA error: no CUDA-capable device is detected",
  ],
]);
