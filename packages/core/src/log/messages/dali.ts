import { notice, type Signature } from "../signature.ts";

/** nvidia.dali.plugin.tf. */
export default [
  notice(
    "dali-plugin",
    "no matching dali plugin",
    /No matching DALI plugin found for installed TensorFlow version/,
    "Exception: No matching DALI plugin found for installed TensorFlow version",
  ),
] satisfies Signature[];
