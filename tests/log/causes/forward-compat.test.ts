import step from "../../../packages/core/src/log/causes/forward-compat.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "kernel-module-mismatch > forward-compat-misuse > driver-too-old",
    "Error 803: system has unsupported display driver / cuda driver combination",
  ],
]);
