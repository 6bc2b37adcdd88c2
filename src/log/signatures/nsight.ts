import { notice, type Signature } from "../signature.ts";

/** Nsight Compute (ncu), Nsight Systems (nsys) and nvprof; closed, their words as users see them. */
export default [
  notice(
    "nvgpuctrperm",
    "err_nvgpuctrperm",
    /ERR_NVGPUCTRPERM/,
    "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.",
  ),
  notice(
    "nvgpuctrperm",
    "permission to access nvidia gpu performance counters",
    /does not have permission to access NVIDIA GPU Performance Counters/i,
    "The user running does not have permission to access NVIDIA GPU Performance Counters on the target device",
  ),
  notice(
    "nvpa-privilege",
    "nvpa_status_insufficient_privilege",
    /NVPA_STATUS_INSUFFICIENT_PRIVILEGE/,
    "nvpaStatus = NVPA_STATUS_INSUFFICIENT_PRIVILEGE",
  ),
] satisfies Signature[];
