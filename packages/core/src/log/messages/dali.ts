import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** nvidia.dali.plugin.tf. */
export default [
  {
    // nvjpeg.h: NVJPEG_STATUS_ARCH_MISMATCH
    literals: ["nvjpeg error", "nvjpeg_status_arch_mismatch"],
    pattern: /nvJPEG error \(6\)|nvJPEG error[^\n]{0,30}GPU architecture|NVJPEG_STATUS_ARCH_MISMATCH/i,
    examples: ["nvJPEG error (6): The GPU architecture is not supported"],
    facts: () => ({ kind: "gpu-unsupported", by: "said" }),
  },
  {
    ...notice(
      "dali-plugin",
      "no matching dali plugin",
      /No matching DALI plugin found for installed TensorFlow version/,
      "Exception: No matching DALI plugin found for installed TensorFlow version",
    ),
    means: {
      weight: weights.refused,
      name: "nvidia-dali-tf-plugin",
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          required: "the DALI plugin of the TensorFlow that is installed",
          message: "DALI's plugin for TensorFlow is not installed, or was built for other releases of TensorFlow",
          next: ["pip list | grep -i 'dali\\|tensorflow'"],
          fixes: [fix("install the plugin after TensorFlow, in the same release as DALI")],
        },
        { cause: "library-missing", message: "or it is not installed" },
      ],
    },
  },
] satisfies Signature[];
