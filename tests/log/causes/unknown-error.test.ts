import step from "../../../packages/core/src/log/causes/unknown-error.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["not-a-mismatch > kernel-module-mismatch > driver-not-exposed", "Error 802: system not yet initialized"],
  [
    "not-a-mismatch > kernel-module-missing > kernel-module-mismatch > driver-not-exposed",
    "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error",
  ],
  [
    "kernel-module-missing > driver-not-exposed > kernel-module-mismatch > not-a-mismatch",
    "$ docker run --gpus all image python run.py\nfailed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error",
  ],
]);
