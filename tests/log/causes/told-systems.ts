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
];
