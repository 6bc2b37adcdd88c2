import step from "../../../packages/core/src/log/causes/no-driver.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "not-a-mismatch > kernel-module-missing > driver-not-exposed > kernel-module-mismatch",
    "sbatch job.sh\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
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
    "library-not-on-path > driver-not-exposed > library-missing",
    "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
  ],
  [
    "driver-not-exposed > library-not-on-path > library-missing > kernel-module-mismatch > driver-too-old",
    "jaxlib/cuda/versions_helpers.cc:98: operation cuInit(0) failed: CUDA_ERROR_OPERATING_SYSTEM",
  ],
  ["library-not-on-path > driver-not-exposed > library-missing", "/usr/bin/ld: cannot find -lcuda: No such file or directory"],
  [
    "kernel-module-missing",
    "ERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when this kernel module was built against the wrong or improperly configured kernel sources",
  ],
  [
    "kernel-module-missing > driver-not-exposed > kernel-module-mismatch > not-a-mismatch",
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ],
  [
    "library-not-on-path > driver-not-exposed > library-missing",
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\nWARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.",
  ],
]);
