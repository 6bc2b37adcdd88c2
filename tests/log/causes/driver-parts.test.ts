import step from "../../../packages/core/src/log/causes/driver-parts.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["driver-not-exposed > library-missing > kernel-module-mismatch", "CUDA error: PTX JIT compiler library not found"],
  [
    "driver-not-exposed > library-missing > library-not-on-path",
    "ImportError: libnvcuvid.so.1: cannot open shared object file: No such file or directory",
  ],
]);
