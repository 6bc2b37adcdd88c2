import { notice, type Signature } from "../signature.ts";

/** NVML, in the words of nvidia-smi, pynvml and others. */
export default [
  notice(
    "nvml-unknown",
    ["failed to initialize nvml", "gpu access blocked"],
    /Failed to initialize NVML: (?:Unknown Error|GPU access blocked)|GPU access blocked by the operating system/i,
    "Failed to initialize NVML: Unknown Error",
  ),
  notice(
    "nvml-mismatch",
    "driver/library version mismatch",
    /Driver\/library version mismatch/i,
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
  notice(
    // The stub's own words, from the toolkit's folder of stubs.
    "nvml-stub",
    "libnvidia-ml.so in gdk package is a stub library",
    /You should always run with libnvidia-ml\.so that is installed with your NVIDIA Display Driver|libnvidia-ml\.so in GDK package is a stub library/,
    "libnvidia-ml.so in GDK package is a stub library that is attached only for build purposes",
  ),
] satisfies Signature[];
