import step from "../../../packages/core/src/log/causes/driver-lacks-symbol.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-too-old > upstream-bug > library-wrong-version > kernel-module-mismatch",
    "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 500: named symbol not found",
  ],
]);
