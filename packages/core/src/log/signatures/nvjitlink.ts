import { notice, type Signature } from "../signature.ts";

/** nvJitLink. */
export default [
  notice(
    "nvjitlink-failed",
    "nvjitlink_error_ptx_compile",
    /NVJITLINK_ERROR_PTX_COMPILE/,
    "pynvjitlink.api.NvJitLinkError: NVJITLINK_ERROR_PTX_COMPILE error when calling nvJitLinkAddData",
  ),
] satisfies Signature[];
