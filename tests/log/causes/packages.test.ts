import step from "../../../packages/core/src/log/causes/packages.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict", " nvidia-driver-525 : Depends: nvidia-kernel-common-525 (>= 525.60.13) but 525.53-0ubuntu1 is to be installed"],
  [
    "package-conflict",
    "trying to overwrite '/usr/lib/x86_64-linux-gnu/libnvidia-cfg.so', which is also in package nvidia-340 340.108-0ubuntu2",
  ],
  [
    "package-conflict > library-missing",
    "PackagesNotFoundError: The following packages are not available from current channels:   - cudatoolkit=11.1",
  ],
  ["package-conflict > driver-too-old", "Your installed CUDA driver is: 11.0"],
  [
    "package-conflict",
    "UserWarning: CuPy may not function correctly because multiple CuPy packages are installed in your environment: cupy-cuda11x, cupy-cuda12x",
  ],
  [
    "wrong-wheel-cuda-version > library-missing > library-not-on-path",
    "ImportError: CuPy is not correctly installed. If you are using wheel distribution (cupy-cudaXX), make sure that the version of CuPy you installed matches with the version of CUDA on your host.",
  ],
  ["library-wrong-version > wrong-wheel-cuda-version", "AssertionError: *** The requested function could not be found in the library."],
  ["package-conflict > library-missing", "Exception: No matching DALI plugin found for installed TensorFlow version"],
  [
    "package-conflict",
    " Problem 1: package cuda-drivers-550.54.15-1.x86_64 requires nvidia-driver >= 3:550.54.15, but none of the providers can be installed",
  ],
  ["package-conflict > library-wrong-version", "jax.errors.JaxRuntimeError: ALREADY_EXISTS: PJRT_Api already exists for device type cuda"],
  ["package-conflict > library-wrong-version", "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library"],
  [
    "package-conflict",
    'torch 2.2.1+cu121 requires nvidia-cublas-cu12==12.1.3.1; platform_system == "Linux" and platform_machine == "x86_64", which is not installed.',
  ],
  ["package-conflict", "torchaudio 2.0.2+cu118 requires torch==2.0.1, but you have torch 1.13.1+cu117 which is incompatible."],
  ["package-conflict", "ERROR: torchvision 0.9.1 has requirement torch==1.8.1, but you'll have torch 1.11.0 which is incompatible."],
  [
    "package-conflict > wrong-wheel-platform",
    "ERROR: Could not find a version that satisfies the requirement torch==1.7.1+cu110 (from versions: 1.13.0, 1.13.1, 2.0.0)",
  ],
  [
    "package-conflict > wrong-wheel-cuda-version > wrong-wheel-cpu-only",
    "RuntimeError: Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision versions are incompatible",
  ],
  ["package-conflict > wrong-wheel-cuda-version", "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.3.0+cu121)"],
  ["wrong-wheel-cpu-only > package-conflict", "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)"],
  [
    "package-conflict > driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nYour installed CUDA driver is: 11.0",
  ],
  ["package-conflict > library-not-on-path", "ImportError: libtorch_cuda_cu.so: cannot open shared object file: No such file or directory"],
  ["package-conflict", "torch==2.4.0\nnvidia-cudnn-cu12==8.9.2.26"],
]);
