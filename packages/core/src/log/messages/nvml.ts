import { linuxDriverIn } from "../causes/wsl.ts";
import { rightsFixes } from "../rights.ts";
import type { May } from "../meaning.ts";
import { fix } from "../fixes.ts";
import { libcuda } from "../meaning.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

// https://github.com/NVIDIA/nvidia-container-toolkit/issues/48
const lostDevices: May["fixes"] = (facts, { containers }) => {
  if (!facts.on("container"))
    return [
      fix("in a container: start it anew; on the machine itself: see whether the driver still answers", "sudo dmesg | grep -i nvrm"),
      fix("restart the machine where it does not", "sudo reboot"),
    ];
  if (containers === "kubernetes")
    return [
      fix("delete the pod, so that it is started anew with its devices; it must ask for them with `nvidia.com/gpu: 1` among its limits"),
      fix("for good: a GPU operator of 22.9.2 or newer, or links to the device files on every node:", charLinks),
    ];
  return [
    fix("start the container anew: it gets its devices again (`docker restart`)"),
    fix("for good: links to the device files, which systemd needs, at every start of the host (a udev rule):", charLinks),
    // Where Docker keeps them already, it is the toolkit's own setting that keeps the devices out.
    facts.all("variable").some(({ name, value }) => name === "Cgroup Driver" && value === "cgroupfs")
      ? fix(
          "or, as Docker keeps the cgroups itself here: see that `no-cgroups = false` stands in /etc/nvidia-container-runtime/config.toml",
        )
      : fix('or let Docker keep the cgroups itself: `"exec-opts": ["native.cgroupdriver=cgroupfs"]` in /etc/docker/daemon.json'),
  ];
};
const charLinks = "sudo nvidia-ctk system create-dev-char-symlinks --create-all";

/** NVML, in the words of nvidia-smi, pynvml and others. */
export default [
  {
    ...notice(
      "nvml-unknown",
      "failed to initialize nvml",
      /Failed to initialize NVML: Unknown Error/i,
      "Failed to initialize NVML: Unknown Error",
    ),
    means: {
      weight: weights.refused,
      ...libcuda,
      found: "none",
      next: ["nvidia-smi -L", "ls -l /dev/nvidia*"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message:
            "NVML may not open the GPU's device files; in a container that ran before, systemd was reloaded and took them out of its cgroup",
          fixes: lostDevices,
        },
        { cause: "kernel-module-mismatch", message: "or the driver was updated and the machine not restarted" },
      ],
    },
  },
  {
    ...notice(
      "nvml-blocked",
      "gpu access blocked",
      /GPU access blocked by the operating system/i,
      "Failed to initialize NVML: GPU access blocked by the operating system",
    ),
    means: {
      weight: weights.refused,
      ...libcuda,
      found: "none",
      next: ["nvidia-smi"],
      may: [
        {
          cause: "library-shadowed",
          certainty: "likely",
          required: "nvidia-smi and the libraries that Windows' driver brings, in /usr/lib/wsl/lib",
          found: "those of a Linux driver, installed inside WSL",
          message: "packages of a Linux driver were installed inside WSL: their nvidia-smi and libraries answer first, and reach no GPU",
          when: (facts) => linuxDriverIn(facts) !== undefined,
          fixes: [
            fix(
              "remove the driver's packages inside WSL, and call the one that Windows brings",
              "sudo apt-get purge 'nvidia-utils-*' 'libnvidia-compute-*' 'nvidia-driver-*'",
              "/usr/lib/wsl/lib/nvidia-smi",
            ),
          ],
        },
        {
          cause: "kernel-module-missing",
          name: "dxgkrnl",
          certainty: "likely",
          required: "a kernel with Microsoft's dxgkrnl",
          found: "a kernel that was built without it",
          message: "WSL's kernel was built by somebody, and lacks the module dxgkrnl by which Windows hands the GPU on",
          when: (facts) => 0 < facts.notices("own-kernel-told").length,
          fixes: [
            fix(
              "build the kernel from Microsoft's own sources and configuration (CONFIG_DXGKRNL), or go back to the one that `wsl --update` brings",
            ),
          ],
        },
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "Windows does not give the GPU to WSL",
          fixes: [
            fix(
              "bring WSL and the driver of Windows up to date, then start WSL anew; in Linux install no driver",
              "wsl.exe --update",
              "wsl.exe --shutdown",
            ),
            fix("where nvidia-smi works in WSL itself and fails in a container: bring the container toolkit and Docker up to date, too"),
          ],
        },
        {
          cause: "library-shadowed",
          message: "or the image brings driver libraries of its own, which hide those of Windows",
          when: (facts) => facts.on("container"),
        },
      ],
    },
  },
  notice(
    "nvml-mismatch",
    ["driver/library version mismatch", "nvml version mismatch", "nvml: version mismatch", "driver and library version mismatch"],
    /Driver(?:\/| and )library version mismatch|\bNVML(?: library)?:? version mismatch/i,
    "Failed to initialize NVML: Driver/library version mismatch",
  ),
  notice(
    // By name in pynvml and go-nvml, and in the words of pynvml where libnvidia-ml could not be asked for its own.
    "nvml-mismatch",
    ["error_lib_rm_version_mismatch", "nvmlerror_librmversionmismatch", "nvml/rm version mismatch"],
    /ERROR_LIB_RM_VERSION_MISMATCH|NVMLError_LibRmVersionMismatch|RM has detected an NVML\/RM version mismatch/,
    "pynvml.NVMLError_LibRmVersionMismatch: NVML_ERROR_LIB_RM_VERSION_MISMATCH",
    "NVMLError_LibRmVersionMismatch: RM has detected an NVML/RM version mismatch.",
    "nvml init failed: ERROR_LIB_RM_VERSION_MISMATCH",
  ),
  {
    literals: ["nvml library version"],
    pattern: /NVML library version: (?<version>\d{3}\.[\d.]{1,10})/,
    examples: ["NVML library version: 570.124"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "nvml" }),
  },
  notice(
    "nvml-not-loaded",
    ["failed to initialize nvml", "nvmlerror_drivernotloaded", "error_driver_not_loaded"],
    /Failed to initialize NVML: Driver Not Loaded|NVMLError_DriverNotLoaded|(?:NVML|nvml)[^\n]{0,60}ERROR_DRIVER_NOT_LOADED/i,
    "Failed to initialize NVML: Driver Not Loaded",
    "pynvml.NVMLError_DriverNotLoaded: Driver Not Loaded",
    "nvml init failed: ERROR_DRIVER_NOT_LOADED",
  ),
  notice(
    "nvml-mismatch",
    "failed to initialize nvml",
    /Failed to initialize NVML: Function Not Found/i,
    "Failed to initialize NVML: Function Not Found",
  ),
  {
    // NVIDIA's device plugin for Kubernetes, DCGM's exporter and pynvml, where libnvidia-ml cannot be opened at all.
    literals: ["could not load nvml library", "nvml shared library not found", "error_library_not_found"],
    pattern:
      /Failed to initialize NVML: could not load NVML library|NVML Shared Library Not Found|(?:NVML|nvml)[^\n]{0,60}ERROR_LIBRARY_NOT_FOUND/,
    examples: [
      "Failed to initialize NVML: could not load NVML library.",
      "pynvml.NVMLError_LibraryNotFound: NVML Shared Library Not Found",
      "Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND",
    ],
    facts: () => ({ kind: "notice", id: "smi-no-nvml" }),
  },
  {
    ...notice(
      // NVML tells of a whole GPU that is divided only to root; pynvml's name, and that of its C.
      "nvml-no-permission",
      ["nvmlerror_nopermission", "nvml_error_no_permission", "insufficient permissions"],
      /NVMLError_NoPermission|NVML_ERROR_NO_PERMISSION|(?:NVML|nvml)[^\n]{0,80}Insufficient Permissions/,
      "pynvml.nvml.NVMLError_NoPermission: Insufficient Permissions",
      "Failed to initialize NVML: Insufficient Permissions",
    ),
    means: {
      name: "libnvidia-ml.so.1",
      library: "nvml",
      next: ["nvidia-smi -L"],
      symptom: "NVML refuses to tell this user",
      may: [
        {
          cause: "profiler-platform-unsupported",
          message: "the GPU is divided (MIG): of the whole NVML tells only root, and of a part only to who asks for that part",
          fixes: [
            fix(
              "ask for the part (`nvmlDeviceGetMigDeviceHandleByIndex`), with a release of the tool that knows MIG; or ask as root on the host",
            ),
          ],
        },
        {
          cause: "profiler-permission",
          message: "or this user may not read or set it: some counters and all settings are for administrators",
          when: (facts) => !facts.everything().some(({ at }) => /\bMIG\b/.test(at.text)),
          fixes: (facts, context, evidence) => rightsFixes(evidence, facts, context),
        },
      ],
    },
  },
  notice(
    // The stub's own words, from the toolkit's folder of stubs.
    "nvml-stub",
    "libnvidia-ml.so in gdk package is a stub library",
    /You should always run with libnvidia-ml\.so that is installed with your NVIDIA Display Driver|libnvidia-ml\.so in GDK package is a stub library/,
    "libnvidia-ml.so in GDK package is a stub library that is attached only for build purposes",
  ),
] satisfies Signature[];
