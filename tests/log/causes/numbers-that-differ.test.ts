import step from "../../../packages/core/src/log/causes/numbers-that-differ.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["not-a-mismatch", "TensorFlow 2.4 (CUDA 11.0), nvidia-smi says 12.0"],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\n-- The CUDA compiler identification is NVIDIA 12.4.131",
  ],
  ["not-a-mismatch", "PyTorch 2.1.0 built with CUDA 12.1\n-- CUDA detected: 10.2"],
  ["not-a-mismatch", "TensorFlow 2.4 (CUDA 11.0)\n-- CUDA detected: 10.2"],
  [
    "not-a-mismatch",
    "NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2\nnvcc: Cuda compilation tools, release 11.6, V11.6.124\nWhy do they differ?",
  ],
  [
    "not-a-mismatch",
    "NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2\ntorch 2.0.1+cu118\n>>> torch.cuda.is_available()\nTrue",
  ],
  [
    "wrong-wheel-cuda-version > library-missing",
    "W0818 device_context.cc:404] Please NOTE: device: 0, GPU Compute Capability: 7.5, Driver API Version: 11.3, Runtime API Version: 10.2\nBuild cuda_11.2.r11.2/compiler.29373293_0",
  ],
]);
