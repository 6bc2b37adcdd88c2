import step from "../../../packages/core/src/log/causes/error-code.ts";
import { holds } from "./holds.ts";

// What the headers say of each: driver_types.h, cusparse.h, nvml.h (9: driver not loaded), cusolver_common.h, nvrtc.h.
holds(step, [
  ["not-a-mismatch", "CUDA call failed with code 46 (cudaErrorDevicesUnavailable)"],
  ["not-a-mismatch > library-wrong-version > driver-too-old", "backend: cusparseCreate failed: CUSPARSE_STATUS_NOT_INITIALIZED"],
  ["kernel-module-missing > driver-not-exposed", "nvmlInit failed with status 9"],
  ["arch-unsupported", "solver: cusolverDnCreate returned CUSOLVER_STATUS_ARCH_MISMATCH"],
  ["library-missing > library-not-on-path", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: nvrtc failed"],
]);
