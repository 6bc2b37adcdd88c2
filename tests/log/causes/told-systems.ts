/** Rows of what drives GPUs and gives them to containers, nodes and jobs. */
export const ofSystems: [causes: string, text: string][] = [
  ["driver-not-exposed > not-a-mismatch", "nvidia-container-cli: permission error: capability change failed: operation not permitted"],
  [
    "driver-not-exposed > library-missing > kernel-module-mismatch",
    "nvidia-container-cli: mount error: stat failed: /usr/lib/libnvidia-ml.so.535.54: no such file or directory: unknown",
  ],
  [
    "driver-not-exposed > not-a-mismatch",
    "nvidia-container-cli: mount error: mount operation failed: /x/merged/proc/driver/nvidia: operation not permitted: unknown",
  ],
  [
    "driver-not-exposed > library-wrong-version > not-a-mismatch",
    "nvidia-container-cli: container error: cgroup subsystem devices not found: unknown.",
  ],
  ["driver-not-exposed > not-a-mismatch", "nvidia-container-cli: ldcache error: process /sbin/ldconfig.real failed with error code: 1"],
  [
    "kernel-module-mismatch > library-wrong-version > kernel-module-missing > driver-not-exposed",
    "nvidia-container-cli: initialization error: cuda error: unknown error",
  ],
  [
    "driver-not-exposed > wrong-vendor > not-a-mismatch",
    "nvidia-container-cli: initialization error: WSL environment detected but no adapters were found: unknown",
  ],
  ["driver-not-exposed > not-a-mismatch", "nvidia-container-cli: initialization error: change root failed: no such file or directory"],
  [
    "driver-not-exposed > not-a-mismatch",
    "invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) is not supported.",
  ],
  ["driver-not-exposed > library-not-on-path", "failed to determine driver version: failed to locate libcuda.so: pattern not found"],
  [
    "driver-not-exposed > kernel-module-missing > not-a-mismatch",
    "Error: error validating driver installation: driver is not ready: not found",
  ],
  ["not-a-mismatch > driver-not-exposed", "error building device map: device 0 has an invalid MIG configuration"],
  [
    "kernel-module-missing > driver-not-exposed > not-a-mismatch",
    "slurmd: fatal: can't stat gres.conf file /dev/nvidia0: No such file or directory",
  ],
  [
    "wrong-wheel-cpu-only > library-missing",
    "fatal: We were configured to autodetect nvml functionality, but we weren't able to find that lib when Slurm was configured.",
  ],
  [
    "driver-not-exposed > wrong-wheel-cpu-only > not-a-mismatch > kernel-module-missing",
    "Reason=gres/gpu count reported lower than configured (0 < 4)",
  ],
  ["not-a-mismatch", "srun: error: Unable to allocate resources: Invalid generic resource (gres) specification"],
  ["driver-not-exposed > library-not-on-path", "INFO:    Could not find any nv files on this host!"],
  ["not-a-mismatch", "FATAL: While setting GPU configuration: nvidia-container-cli not allowed in setuid mode"],
  ["not-a-mismatch > kernel-module-mismatch > upstream-bug", "NVRM: GPU 0000:0a:00.0: RmInitAdapter failed! (0x24:0x72:1568)"],
  [
    "library-missing > kernel-module-mismatch",
    "nvidia 0000:01:00.0: Direct firmware load for nvidia/535.129.03/gsp_ga10x.bin failed with error -2",
  ],
  ["not-a-mismatch", "NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:"],
  ["arch-unsupported", "NVRM: Open nvidia.ko is only ready for use on Data Center GPUs."],
  [
    "not-a-mismatch > arch-unsupported > driver-not-exposed",
    "[h264_nvenc @ 0x5581] OpenEncodeSessionEx failed: unsupported device (2): (no details)",
  ],
  ["not-a-mismatch", "[h264_nvenc @ 0x5581] OpenEncodeSessionEx failed: out of memory (10): (no details)"],
  ["driver-too-old", "Current Driver Version does not support this NvEncodeAPI version, please upgrade driver"],
  [
    "driver-not-exposed > stub-library > driver-too-old > library-missing",
    "LoadNvEncApi : NvEncodeAPIGetMaxSupportedVersion(&version) returned error -315456918 at NvEncoder.cpp:86",
  ],
  ["driver-not-exposed > driver-too-old > library-missing", "rt_check(): OptiX API error = 7804 (OPTIX_ERROR_LIBRARY_NOT_FOUND)"],
  [
    "driver-too-old > ptx-newer-than-driver > not-a-mismatch > upstream-bug",
    "rt_check(): OptiX API error = 7999 (Unknown error) in ../src/librender/scene_optix.inl:66.",
  ],
  [
    "driver-too-old > driver-not-exposed > kernel-module-mismatch > not-a-mismatch",
    "error: (-217:Gpu API call) unknown error in function 'cv::cuda::getCudaEnabledDeviceCount'",
  ],
  ["wrong-wheel-cpu-only", "cv2.cuda.getCudaEnabledDeviceCount() returns 0\n    NVIDIA CUDA:                   NO"],
  ["arch-unsupported > toolkit-too-old > upstream-bug", "Unknown CUDA Architecture Name 12.1(2.0) in CUDA_SELECT_NVCC_ARCH_FLAGS"],
  ["not-a-mismatch", "CMAKE_CUDA_ARCHITECTURES must be non-empty if set."],
  ["wrong-wheel-platform > not-a-mismatch", "exec /opt/nvidia/nvidia_entrypoint.sh: exec format error"],
  [
    "upstream-bug > driver-not-exposed > not-a-mismatch",
    "docker: [h264_nvenc @ 0x5581] Failed locking bitstream buffer: invalid param (8):",
  ],
  [
    "kernel-module-missing > driver-not-exposed",
    'Error response from daemon: error gathering device information while adding custom device "/dev/nvidia-uvm": no such file or directory',
  ],
];
