import type { Signature } from "../signature.ts";

/** NVIDIA OptiX, whose library comes with the driver (optix_types.h). */
export default [
  {
    literals: ["optix_error_unsupported_abi_version", "error code 7801"],
    pattern: /OPTIX_ERROR_UNSUPPORTED_ABI_VERSION|OptiX[^\n]{0,60}error code 7801\b/i,
    examples: ["OptiX initialization failed with error code 7801 (OPTIX_ERROR_UNSUPPORTED_ABI_VERSION)"],
    facts: () => ({ kind: "notice", id: "driver-too-old" }),
  },
] satisfies Signature[];
