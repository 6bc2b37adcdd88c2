import { notice, type Signature } from "../signature.ts";

/** nvJitLink. */
export default [
  notice(
    "nvjitlink-failed",
    "nvjitlink_error_ptx_compile",
    /NVJITLINK_ERROR_PTX_COMPILE/,
    "pynvjitlink.api.NvJitLinkError: NVJITLINK_ERROR_PTX_COMPILE error when calling nvJitLinkAddData",
  ),
  notice(
    "nvjitlink-older",
    "may need newer version of nvjitlink",
    /ERROR \d{1,3} in \w{4,60}, may need newer version of nvJitLink library/,
    "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library",
  ),
] satisfies Signature[];
