import step from "../../../packages/core/src/log/causes/refused-architecture.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["arch-unsupported > cuda-home-wrong", "nvcc fatal   : Unsupported gpu architecture 'compute_20'"],
  ["toolkit-too-old > cuda-home-wrong", "nvcc fatal   : Unsupported gpu architecture 'compute_86'"],
  ["arch-unsupported > toolkit-too-old", "RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"],
  ["toolkit-too-old > cuda-home-wrong", "ptxas fatal   : Value 'sm_120a' is not defined for option 'gpu-name'"],
  [
    "arch-unsupported > toolkit-too-old",
    "PyTorch 2.1.0 built with CUDA 12.1\nRuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)",
  ],
  ["arch-unsupported > toolkit-too-old", "torch 2.4.1+cpu\nRuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"],
  [
    "arch-unsupported > toolkit-too-old",
    "GPU 0: NVIDIA GeForce RTX 5090\nRuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)",
  ],
  [
    "toolkit-too-old > cuda-home-wrong",
    "Cuda compilation tools, release 11.3, V11.3.109\nnvcc fatal   : Unsupported gpu architecture 'compute_86'",
  ],
  [
    "arch-unsupported > toolkit-too-old",
    "Cuda compilation tools, release 11.3, V11.3.109\nRuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)",
  ],
  [
    "toolkit-too-old > cuda-home-wrong",
    "Cuda compilation tools, release 11.3, V11.3.109\nptxas fatal   : Value 'sm_120a' is not defined for option 'gpu-name'",
  ],
  [
    "cuda-home-wrong > toolkit-too-old",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nnvcc fatal   : Unsupported gpu architecture 'compute_86'",
  ],
  [
    "arch-unsupported > upstream-bug > cuda-home-wrong",
    "nvcc fatal   : Unsupported gpu architecture 'compute_35'\nCuda compilation tools, release 12.2, V12.2.140",
  ],
  [
    "arch-unsupported > upstream-bug > cuda-home-wrong",
    "nvcc fatal   : Unsupported gpu architecture 'compute_30'\nrelease 11.0, V11.0.194",
  ],
  [
    "arch-unsupported > upstream-bug > cuda-home-wrong",
    "nvrtc: error: invalid value for --gpu-architecture (-arch)\nGeForce GTX 680\nCUDA 12.2",
  ],
]);
