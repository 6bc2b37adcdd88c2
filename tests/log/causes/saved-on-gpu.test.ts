import step from "../../../packages/core/src/log/causes/saved-on-gpu.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "not-a-mismatch > wrong-wheel-cpu-only > driver-not-exposed",
    "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.",
  ],
  [
    "wrong-wheel-cpu-only > driver-not-exposed > not-a-mismatch",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.",
  ],
]);
