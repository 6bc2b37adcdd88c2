import step from "../../../packages/core/src/log/causes/torch-sees-no-gpu.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "wrong-wheel-cpu-only > driver-not-exposed > driver-too-old > not-a-mismatch",
    "UserWarning: CUDA is not available, disabling CUDA profiling",
  ],
  ["wrong-wheel-cpu-only > wrong-wheel-platform > driver-not-exposed", "Cuda available: False, in jetson orin nx"],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRequested CUDA version:          11.8 Detected PyTorch CUDA version:   12.4",
  ],
  [
    "driver-not-exposed > driver-too-old > not-a-mismatch",
    "PyTorch 2.1.0 built with CUDA 12.1\nUserWarning: CUDA is not available, disabling CUDA profiling",
  ],
  [
    "arch-unsupported",
    "PyTorch 2.1.0 built with CUDA 12.1\nNVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
  ],
  [
    "arch-unsupported",
    "PyTorch 2.1.0 built with CUDA 12.1\nIgnoring visible gpu device (device: 0, name: GeForce GT 730, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
  ],
  [
    "arch-unsupported",
    "GPU 0: NVIDIA GeForce RTX 5090\nERROR: Could not find a version that satisfies the requirement torch==1.7.1+cu110 (from versions: 1.13.0, 1.13.1, 2.0.0)",
  ],
  [
    "driver-not-exposed > not-a-mismatch",
    'I get `False` when I run torch.cuda.is_available()\nRUN python -c "import torch; print(torch.cuda.is_available())"',
  ],
  [
    "wrong-wheel-cpu-only > driver-too-old > driver-not-exposed > not-a-mismatch",
    "docker run -it --gpus all train\nnvidia-smi returns the GPU table\nbut `torch.cuda.available()` returns False",
  ],
  ["driver-too-old > wrong-wheel-cpu-only > not-a-mismatch", "my driver is 450.51 and torch.cuda.is_available() is False"],
  [
    "not-a-mismatch > wrong-wheel-cpu-only > driver-too-old",
    "In an sbatch job torch.cuda.is_available() is always False. My script: #SBATCH --partition=gpu",
  ],
  ["driver-too-old", "Our cluster still runs driver 418.67, and pytorch 1.13 from pip cannot use the V100s"],
  [
    "driver-not-exposed > wrong-wheel-cpu-only > driver-too-old > not-a-mismatch",
    "torch.cuda.is_available() returns False. I start it with docker run -it pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime bash",
  ],
  [
    "arch-unsupported > wrong-wheel-cpu-only > driver-not-exposed > driver-too-old > not-a-mismatch",
    "My RTX 5090 does not work with pytorch, how do I fix it?",
  ],
  ["wrong-wheel-cpu-only > driver-not-exposed > driver-too-old > not-a-mismatch > arch-unsupported", "pytorch does not detect my RTX 5080"],
]);
