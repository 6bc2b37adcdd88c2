import step from "../../../packages/core/src/log/causes/no-device.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-not-exposed > not-a-mismatch",
    "docker run -it tensorflow/tensorflow:latest-gpu-jupyter\nE tensorflow/stream_executor/cuda/cuda_driver.cc:313] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\nI tensorflow/stream_executor/cuda/cuda_diagnostics.cc:163] no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
  ],
  ["not-a-mismatch > driver-not-exposed > kernel-module-missing", "CUDA error: no CUDA-capable device is detected"],
  ["not-a-mismatch", "CUDA_VISIBLE_DEVICES is set to -1 - this hides all GPUs from CUDA"],
  [
    "not-a-mismatch > driver-not-exposed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA error: no CUDA-capable device is detected",
  ],
]);
