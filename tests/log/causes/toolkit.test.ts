import step from "../../../packages/core/src/log/causes/toolkit.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-missing > cuda-home-wrong", "CMake Error: No CMAKE_CUDA_COMPILER could be found."],
  [
    "toolkit-vs-framework-at-build > cuda-home-wrong",
    "Exception: >- DeepSpeed Op Builder: Installed CUDA version 12.4 does not match the version torch was compiled with 11.8, unable to compile cuda/cpp extensions without a matching cuda version.",
  ],
  ["toolkit-too-old > library-wrong-version", "Outdated NVIDIA CUDA Toolkit version '9000' detected!"],
  ["library-missing > cuda-home-wrong", "fatal error: cuda_runtime.h: No such file or directory"],
  ["toolkit-too-old > arch-unsupported", "'sm_120' is not a recognized processor for this target (ignoring processor)"],
  [
    "library-missing > library-not-on-path > cuda-home-wrong > library-wrong-version",
    "numba.cuda.cudadrv.error.NvvmSupportError: No supported GPU compute capabilities found. Please check your cudatoolkit version matches your CUDA version.",
  ],
  ["toolkit-too-old", "UserWarning: CUDA Toolkit 10.2 is unsupported by Numba - 11.2 is the minimum required version."],
  [
    "library-not-on-path > library-missing > cuda-home-wrong",
    "RuntimeError: Missing libdevice file. Please ensure you have a CUDA Toolkit 11.2 or higher.",
  ],
  ["toolkit-too-old > cuda-home-wrong", "nvcc fatal   : Unsupported gpu architecture 'compute_86'"],
  ["toolkit-too-old", "#error -- unsupported GNU version! gcc versions later than 11 are not supported!"],
  ["toolkit-too-old > cuda-home-wrong", "nvcc fatal   : Value 'c++17' is not defined for option 'std'"],
  ["arch-unsupported > toolkit-too-old", "RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"],
  [
    "library-not-on-path > library-missing > library-wrong-version",
    "nvrtc: error: failed to open libnvrtc-builtins.so.12.1. Make sure that libnvrtc-builtins.so.12.1 is installed correctly.",
  ],
  ["toolkit-too-old > library-wrong-version > not-a-mismatch", "nvrtcCompileProgram failed: NVRTC_ERROR_INVALID_OPTION"],
  ["toolkit-too-old > cuda-home-wrong", "ptxas fatal   : Value 'sm_120a' is not defined for option 'gpu-name'"],
  [
    "toolkit-too-old",
    "subprocess.CalledProcessError: Command '['/opt/venv/triton/backends/nvidia/bin/ptxas', '-lineinfo', '-v', '--gpu-name=sm_120', '/tmp/a.ptx', '-o', '/tmp/a.ptx.o']' returned non-zero exit status 255.",
  ],
  ["toolkit-too-old", "ptxas add_kernel.ptx, line 5; fatal   : Unsupported .version 8.4; current version is '7.8'"],
  [
    "toolkit-vs-framework-at-build",
    "RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 12.1.",
  ],
  [
    "wrong-wheel-cuda-version > package-conflict",
    "RuntimeError: Detected that PyTorch and torch_scatter were compiled with different CUDA versions. PyTorch has CUDA version 11.1 and torch_scatter has CUDA version 10.2. Please reinstall the torch_scatter that matches your PyTorch install.",
  ],
  [
    "wrong-wheel-cuda-version > package-conflict",
    "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.1 and torchvision has CUDA Version=11.8.",
  ],
  ["toolkit-too-old", "RuntimeError: Triton only support CUDA 10.0 or higher, but got CUDA version: 9.2"],
  [
    "toolkit-too-old",
    "*** WARNING *** You are using ptxas 9.2.148, which is older than 11.1. ptxas before 11.1 is known to miscompile XLA code",
  ],
  [
    "toolkit-too-old",
    "W tensorflow/stream_executor/gpu/redzone_allocator.cc:312] UNIMPLEMENTED: ptxas ptxas too old. Falling back to the driver to compile.",
  ],
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
  ["benign-warning", "ptxas warning: You are using ptxas 10.0.145, which is older than 9.2.88"],
  [
    "toolkit-vs-framework-at-build > cuda-home-wrong",
    "RuntimeError: The detected CUDA version (12.1) mismatches the version that was used to compile PyTorch (11.8). Please make sure to use the same CUDA versions.",
  ],
  [
    "arch-unsupported > upstream-bug > cuda-home-wrong",
    "nvrtc: error: invalid value for --gpu-architecture (-arch)\nGeForce GTX 680\nCUDA 12.2",
  ],
  [
    "toolkit-vs-framework-at-build > cuda-home-wrong",
    "RuntimeError: Error compiling objects for extension\nnvcc: Cuda compilation tools, release 12.1, V12.1.105\ntorch 1.13.1+cu117",
  ],
]);
