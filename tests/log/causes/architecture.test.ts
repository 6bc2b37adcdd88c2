import step from "../../../packages/core/src/log/causes/architecture.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["arch-unsupported", "[FT][ERROR] CUDA runtime error: CUBLAS_STATUS_ARCH_MISMATCH open_attention.h:100"],
  ["arch-unsupported > wrong-wheel-cuda-version", "CUDA error: no kernel image is available for execution on the device"],
  ["arch-unsupported > wrong-wheel-cuda-version > driver-too-old", "RuntimeError: CUDA error: device kernel image is invalid"],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "LLVM ERROR: PTX version 8.5 does not support target 'sm_120a'. Minimum required PTX version is 8.7",
  ],
  ["arch-unsupported", "NvvmSupportError: GPU compute capability 3.0 is not supported(requires >=3.5)"],
  ["arch-unsupported", "CudaSupportError: <CUDA device 0 'b'GeForce GT 430''> has compute capability < (3, 5)"],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "ERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 520. ggml-cuda.cu was compiled for: 610,700,750",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
  ],
  ["arch-unsupported", "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."],
  ["arch-unsupported", "Found GPU0 GeForce 820M which is of cuda capability 2.1."],
  ["arch-unsupported > wrong-wheel-cuda-version", "Found GPU0 NVIDIA GeForce GTX 1080 which is of compute capability (CC) 6.1."],
  ["arch-unsupported", "PyTorch no longer supports this GPU because it is too old."],
  [
    "arch-unsupported",
    "cuDNN version 91100 is not compatible with devices with SM < 7.5. Please install a version of PyTorch with a compatible cuDNN version.",
  ],
  [
    "arch-unsupported",
    "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5.",
  ],
  ["arch-unsupported > wrong-wheel-cuda-version", "ValueError: Unknown CUDA arch (8.9) or GPU not supported"],
  ["arch-unsupported", "UserWarning: A GPU with NVIDIA Volta™ (Compute Capability 7.0) or newer architecture is required."],
  [
    "arch-unsupported",
    "Ignoring visible gpu device (device: 0, name: GeForce GT 730, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
  ],
  ["arch-unsupported", "../rtSafe/cuda/caskUtils.cpp (80) - Assertion Error in trtSmToCask: 0 (Unsupported SM.)"],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\nCUDA error: no kernel image is available for execution on the device",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version > driver-too-old",
    "PyTorch 2.1.0 built with CUDA 12.1\nRuntimeError: CUDA error: device kernel image is invalid",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\nLLVM ERROR: PTX version 8.5 does not support target 'sm_120a'. Minimum required PTX version is 8.7",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\nERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 520. ggml-cuda.cu was compiled for: 610,700,750",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\nNVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
  ],
  ["arch-unsupported", "PyTorch 2.1.0 built with CUDA 12.1\nFound GPU0 GeForce 820M which is of cuda capability 2.1."],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\nFound GPU0 NVIDIA GeForce GTX 1080 which is of compute capability (CC) 6.1.",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\nValueError: Unknown CUDA arch (8.9) or GPU not supported",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\nTensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "PyTorch 2.1.0 built with CUDA 12.1\n    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)",
  ],
  ["arch-unsupported", "GPU 0: NVIDIA GeForce RTX 5090\n[FT][ERROR] CUDA runtime error: CUBLAS_STATUS_ARCH_MISMATCH open_attention.h:100"],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "GPU 0: NVIDIA GeForce RTX 5090\nCUDA error: no kernel image is available for execution on the device",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version > driver-too-old",
    "GPU 0: NVIDIA GeForce RTX 5090\nRuntimeError: CUDA error: device kernel image is invalid",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "GPU 0: NVIDIA GeForce RTX 5090\nLLVM ERROR: PTX version 8.5 does not support target 'sm_120a'. Minimum required PTX version is 8.7",
  ],
  ["arch-unsupported", "GPU 0: NVIDIA GeForce RTX 5090\nNvvmSupportError: GPU compute capability 3.0 is not supported(requires >=3.5)"],
  [
    "arch-unsupported",
    "GPU 0: NVIDIA GeForce RTX 5090\nCudaSupportError: <CUDA device 0 'b'GeForce GT 430''> has compute capability < (3, 5)",
  ],
  ["arch-unsupported", "GPU 0: NVIDIA GeForce RTX 5090\nPyTorch no longer supports this GPU because it is too old."],
  [
    "arch-unsupported",
    "GPU 0: NVIDIA GeForce RTX 5090\ncuDNN version 91100 is not compatible with devices with SM < 7.5. Please install a version of PyTorch with a compatible cuDNN version.",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "GPU 0: NVIDIA GeForce RTX 5090\nValueError: Unknown CUDA arch (8.9) or GPU not supported",
  ],
  [
    "arch-unsupported",
    "GPU 0: NVIDIA GeForce RTX 5090\nUserWarning: A GPU with NVIDIA Volta™ (Compute Capability 7.0) or newer architecture is required.",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "GPU 0: NVIDIA GeForce RTX 5090\nTensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "GPU 0: NVIDIA GeForce RTX 5090\n../rtSafe/cuda/caskUtils.cpp (80) - Assertion Error in trtSmToCask: 0 (Unsupported SM.)",
  ],
  [
    "arch-unsupported > wrong-wheel-cuda-version",
    "GPU 0: NVIDIA GeForce RTX 5090\n    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)",
  ],
  ["arch-unsupported > wrong-wheel-cuda-version", "ValueError: Unknown CUDA arch (8.6) or GPU not supported\nGeForce RTX 3090\nCUDA 10.2"],
  [
    "arch-unsupported",
    "RuntimeError: Found Tesla P100-PCIE-16GB which is too old to be supported by the triton GPU compiler, which is used as the backend. Triton only supports devices of CUDA Capability >= 7.0, but your device is of CUDA capability 6.0",
  ],
  ["arch-unsupported", "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')"],
  ["arch-unsupported", "    assert is_fa_version_supported(self.fa_version)\nTesla V100-SXM2-32GB"],
  [
    "benign-warning > arch-unsupported",
    "UserWarning:\n    Found GPU0 Vega 10 XL/XT [Radeon RX Vega 56/64] which is of cuda capability 3.0.\n    PyTorch no longer supports this GPU because it is too old.",
  ],
]);
