import step from "../../../packages/core/src/log/causes/cpu-alone.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "package-conflict > wrong-wheel-cpu-only",
    ">>> onnxruntime.get_available_providers()\n['AzureExecutionProvider', 'CPUExecutionProvider']\n$ pip list\nonnxruntime            1.17.0\nonnxruntime-gpu        1.17.0",
  ],
  [
    "wrong-wheel-cpu-only",
    "| NVIDIA-SMI 535.104.05    Driver Version: 535.104.05    CUDA Version: 12.2     |\n>>> onnxruntime.get_available_providers()\n['AzureExecutionProvider', 'CPUExecutionProvider']",
  ],
  [
    "wrong-wheel-cpu-only",
    "| NVIDIA-SMI 535.104.05    Driver Version: 535.104.05    CUDA Version: 12.2     |\n>>> jax.devices()\n[CpuDevice(id=0)]",
  ],
]);
