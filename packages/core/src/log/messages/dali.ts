import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** nvidia.dali.plugin.tf. */
export default [
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
