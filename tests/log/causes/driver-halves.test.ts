import step from "../../../packages/core/src/log/causes/driver-halves.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-wrong-version > kernel-module-mismatch", "Mismatch in versions between nvidia-smi and NVML."],
  ["kernel-module-mismatch", "Failed to initialize NVML: Driver/library version mismatch"],
]);
