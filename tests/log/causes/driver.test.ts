import step from "../../../packages/core/src/log/causes/driver.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-too-old > package-conflict",
    "  - package cudatoolkit-11.0.3-h15472ef_6 has constraint __cuda >=11.0 conflicting with __cuda-10.2-0",
  ],
  ["driver-not-exposed > driver-too-old > package-conflict", "  - nothing provides __cuda needed by pytorch-gpu-2.1.0-cuda118py310_0"],
  [
    "driver-too-old",
    "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container",
  ],
  [
    "driver-not-exposed",
    "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory",
  ],
  ["kernel-module-missing > driver-not-exposed", "nvidia-container-cli: initialization error: nvml error: driver not loaded"],
  [
    "driver-not-exposed > library-not-on-path > library-missing",
    "WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.",
  ],
  [
    "driver-too-old > forward-compat-misuse",
    "ERROR: This container was built for NVIDIA Driver Release 450.51 or later, but version 440.33.01 was detected and compatibility mode is UNAVAILABLE.",
  ],
  [
    "library-shadowed > driver-not-exposed > two-copies",
    "nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/0a1b/merged/usr/lib/x86_64-linux-gnu/libcuda.so.1: file exists",
  ],
  ["driver-too-old > driver-not-exposed", "CUDA driver version is insufficient for CUDA runtime version"],
  ["stub-library", "CUDA API Error: CUDA driver is a stub library"],
  ["ptx-newer-than-driver > arch-unsupported", "CUDA error: a PTX JIT compilation failed"],
  ["ptx-newer-than-driver", "CUDA error: the provided PTX was compiled with an unsupported toolchain."],
  [
    "kernel-module-mismatch > forward-compat-misuse > driver-too-old",
    "Error 803: system has unsupported display driver / cuda driver combination",
  ],
  ["driver-not-exposed > library-missing > kernel-module-mismatch", "CUDA error: PTX JIT compiler library not found"],
  [
    "library-not-on-path > driver-not-exposed > library-missing",
    "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
  ],
  [
    "kernel-module-mismatch > package-conflict",
    "fabric manager NVIDIA GPU driver interface version 535.104.05 don't match with driver version 535.129.03. Please update with matching NVIDIA driver package.",
  ],
  ["driver-too-old", "[h264_nvenc @ 0x5581] Driver does not support the required nvenc API version. Required: 13.0 Found: 12.1"],
  [
    "driver-not-exposed > library-not-on-path > library-missing > kernel-module-mismatch > driver-too-old",
    "jaxlib/cuda/versions_helpers.cc:98: operation cuInit(0) failed: CUDA_ERROR_OPERATING_SYSTEM",
  ],
  ["driver-too-old", "Error: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)"],
  ["library-not-on-path > driver-not-exposed > library-missing", "/usr/bin/ld: cannot find -lcuda: No such file or directory"],
  [
    "driver-too-old > library-wrong-version > stub-library",
    "numba.cuda.cudadrv.error.CudaDriverError: Driver missing function: cuDevicePrimaryCtxRelease",
  ],
  [
    "kernel-module-missing",
    "ERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when this kernel module was built against the wrong or improperly configured kernel sources",
  ],
  [
    "kernel-module-missing > driver-not-exposed > kernel-module-mismatch",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  ["library-wrong-version > kernel-module-mismatch", "Mismatch in versions between nvidia-smi and NVML."],
  ["kernel-module-mismatch", "Failed to initialize NVML: Driver/library version mismatch"],
  [
    "arch-unsupported > driver-too-old",
    "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1180) NVRM: installed in this system is not supported by the NVIDIA 570.86 driver release.",
  ],
  ["arch-unsupported", "NVRM: installed in this system requires use of the NVIDIA open kernel modules."],
  ["not-a-mismatch", "NVRM: No NVIDIA graphics adapter found!"],
  [
    "ptx-newer-than-driver > toolkit-too-old",
    "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'",
  ],
  ["driver-too-old", "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver"],
  [
    "driver-too-old > ptx-newer-than-driver",
    "UserWarning: Using CUDA toolkit version (12, 3) with CUDA driver version (12, 2) requires minor version compatibility, which is not yet supported for CUDA driver versions 12.0 and above.",
  ],
  [
    "driver-not-exposed > library-not-on-path > stub-library",
    "E tensorflow/stream_executor/cuda/cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
  ],
  [
    "library-not-on-path > driver-not-exposed > library-shadowed",
    "kernel 6.6.87.2-microsoft-standard-WSL2\nCUDA error: no CUDA-capable device is detected",
  ],
  ["driver-not-exposed > driver-too-old", "docker run --gpus all image\nCUDA driver version is insufficient for CUDA runtime version"],
  [
    "not-a-mismatch > driver-too-old > driver-not-exposed",
    "OS: macOS 14.1 (arm64)\nCUDA driver version is insufficient for CUDA runtime version",
  ],
  [
    "not-a-mismatch > driver-too-old > driver-not-exposed",
    "OS: macOS 14.1 (arm64)\nError: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)",
  ],
  [
    "driver-too-old > driver-not-exposed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA driver version is insufficient for CUDA runtime version",
  ],
  [
    "ptx-newer-than-driver > arch-unsupported",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA error: a PTX JIT compilation failed",
  ],
  [
    "ptx-newer-than-driver",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA error: the provided PTX was compiled with an unsupported toolchain.",
  ],
  [
    "driver-too-old > library-shadowed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nError: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)",
  ],
  [
    "ptx-newer-than-driver > toolkit-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'",
  ],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nRuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver",
  ],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nWarp CUDA error: Warp requires CUDA driver 12.0 or higher, but the current driver only supports CUDA 11.4",
  ],
  [
    "driver-too-old > driver-not-exposed",
    "PyTorch 2.1.0 built with CUDA 12.1\nCUDA driver version is insufficient for CUDA runtime version",
  ],
  [
    "stub-library > driver-not-exposed > library-not-on-path",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nE tensorflow/stream_executor/cuda/cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
  ],
  [
    "library-not-on-path > driver-not-exposed > library-missing",
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\nWARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.",
  ],
  [
    "driver-not-exposed > library-missing > library-not-on-path",
    "ImportError: libnvcuvid.so.1: cannot open shared object file: No such file or directory",
  ],
  [
    "toolkit-too-old > library-wrong-version > ptx-newer-than-driver",
    "NVJITLINK_ERROR_PTX_COMPILE: nvJitLink failed\nptxas application ptx input, line 9; fatal   : Unsupported .version 8.4; current version is '8.3'\nCUDA error 222",
  ],
]);
