import type { Signature } from "../signature.ts";
import { notice } from "../signature.ts";

/** nvidia-smi, NVML, the kernel module (NVRM, Xid), and who asks them. */
export default [
  notice(
    "nvml-unknown",
    ["failed to initialize nvml", "gpu access blocked"],
    /Failed to initialize NVML: (?:Unknown Error|GPU access blocked)|GPU access blocked by the operating system/i,
    "Failed to initialize NVML: Unknown Error",
  ),
  notice(
    "smi-no-cuda",
    "cuda version: n/a",
    /CUDA Version: N\/A/,
    "| NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: N/A      |",
  ),
  notice(
    "driver-init-failed",
    "cuda driver initialization failed",
    /CUDA driver initialization failed, you might not have a CUDA gpu/,
    "UserWarning: CUDA initialization: CUDA driver initialization failed, you might not have a CUDA gpu.",
  ),
  notice(
    "nvml-mismatch",
    "driver/library version mismatch",
    /Driver\/library version mismatch/i,
    "Failed to initialize NVML: Driver/library version mismatch",
  ),
  notice(
    "nvml-mismatch",
    "nvml_error_lib_rm_version_mismatch",
    /NVML_ERROR_LIB_RM_VERSION_MISMATCH/,
    "pynvml.NVMLError_LibRmVersionMismatch: NVML_ERROR_LIB_RM_VERSION_MISMATCH",
  ),
  {
    literals: ["nvml library version"],
    pattern: /NVML library version: (?<version>\d{3}\.[\d.]{1,10})/,
    examples: ["NVML library version: 570.124"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "nvml" }),
  },
  notice(
    "api-mismatch",
    "api mismatch",
    /API mismatch: the (?:client|NVIDIA kernel module)[^\n]{0,60}? has the version (?<found>\d{3}\.[\d.]{1,10}\d)[^\n]{0,40}?this (?:kernel module|NVIDIA driver component) has {1,4}(?:NVRM: )?the version (?<required>\d{3}\.[\d.]{1,10}\d)/,
    "NVRM: API mismatch: the client has the version 470.57.02, but NVRM: this kernel module has the version 460.80.  Please",
    "NVRM: API mismatch: the client 'Xorg' (pid 1005) NVRM: has the version 595.84, but this kernel module has NVRM: the version 595.80.",
  ),
  notice(
    "kernel-dso-mismatch",
    "kernel and user space don't match",
    /NVIDIA driver's kernel and user space don't match/,
    "Error: the proprietary NVIDIA driver's kernel and user space don't match",
  ),
  notice(
    "smi-failed",
    "nvidia-smi has failed",
    /NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver/,
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ),
  notice(
    "smi-no-nvml",
    "couldn't find libnvidia-ml",
    /NVIDIA-SMI couldn't find libnvidia-ml\.so/,
    "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.",
  ),
  notice(
    "nvml-not-loaded",
    "failed to initialize nvml",
    /Failed to initialize NVML: Driver Not Loaded/i,
    "Failed to initialize NVML: Driver Not Loaded",
  ),
  notice(
    "nvml-mismatch",
    "failed to initialize nvml",
    /Failed to initialize NVML: Function Not Found/i,
    "Failed to initialize NVML: Function Not Found",
  ),
  notice("no-devices", "no devices were found", /^No devices were found/, "No devices were found"),
  notice(
    "smi-missing",
    "nvidia-smi",
    /nvidia-smi: (?:command )?not found|'nvidia-smi' is not recognized/,
    "bash: nvidia-smi: command not found",
  ),
  {
    literals: ["nvrm version"],
    pattern: /NVRM version: NVIDIA UNIX (?:Open )?\w{2,8} Kernel Module(?: for \w{2,8})? {1,4}(?<version>\d{3}\.\d{1,3}(?:\.\d{1,3})?)/,
    examples: ["NVRM version: NVIDIA UNIX x86_64 Kernel Module  460.80  Fri May  7 06:55:54 UTC 2021"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "kernel" }),
  },
  notice(
    "module-missing",
    "module nvidia",
    /modprobe: FATAL: Module nvidia(?:-\w{2,10})? not found|Module nvidia(?:\/\d{3}[\d.]{1,12})? not found|could not insert 'nvidia\w{0,8}'/i,
    "modprobe: FATAL: Module nvidia not found in directory /lib/modules/5.15.0-91-generic",
  ),
  notice(
    "module-missing",
    "could not insert 'nvidia",
    /could not insert 'nvidia\w{0,8}': (?<found>[^\n]{3,60})/,
    "modprobe: ERROR: could not insert 'nvidia': No such device",
  ),
  notice(
    "module-missing",
    "unable to insert",
    /NVIDIA kernel module '?nvidia[\w.-]{0,12}'?[^\n]{0,20}(?:not|unable)|loading NVIDIA kernel module|unable to insert nvidia/i,
    "ERROR: Unable to load the 'nvidia-drm' kernel module: unable to insert nvidia",
  ),
  notice(
    "gpu-unsupported-by-driver",
    "nvrm",
    /NVRM: The NVIDIA (?:[\w ]{0,40}GPU|GPU)[^\n]{0,120}(?:is supported through|not supported by)/,
    "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1180) NVRM: installed in this system is not supported by the NVIDIA 570.86 driver release.",
  ),
  notice(
    "xid",
    "nvrm: xid",
    /NVRM: Xid \([^)]{3,60}\): (?<subject>\d{1,3})/,
    "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.",
  ),
  notice(
    "no-libcuda-numba",
    "cuda driver library cannot be found",
    /CUDA driver library cannot be found|Possible CUDA driver libraries are found but error occurred during load/,
    "numba.cuda.cudadrv.error.CudaSupportError: Error at driver init: CUDA driver library cannot be found.",
  ),
  {
    literals: ["driver ", "drivers ", "driver:", "driver version"],
    pattern:
      /(?:nvidia|gpu|display|graphics)?[ -]?drivers?(?: version)?[ :=]{1,3}(?:is |was )?v?(?<version>[3-9]\d{2}\.\d{1,3}(?:\.\d{1,3})?)\b/i,
    examples: ["driver 470.103.01, nvidia-docker2, docker 20.10.12", "NVIDIA driver version: 535.104.05"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "any" }),
  },
  {
    literals: ["nvidia driver 5", "nvidia driver 4", "nvidia driver 3"],
    pattern: /nvidia driver (?<version>[3-6]\d\d)\b(?!\.\d)/i,
    examples: ["Nvidia driver 535 version"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "any" }),
  },
  {
    literals: ["nvidia-linux-x86_64-"],
    pattern: /NVIDIA-Linux-x86_64-(?<version>\d{3}\.[\d.]{1,10}\d)(?:-\w{1,20})?\.run/,
    examples: ["bash ./NVIDIA-Linux-x86_64-570.124.04.run --no-kernel-modules"],
    facts: ({ version }) => ({ kind: "notice", id: "driver-runfile", found: version! }),
  },
] satisfies Signature[];
