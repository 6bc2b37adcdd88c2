import step from "../../../packages/core/src/log/causes/compiler-age.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["toolkit-too-old", "UserWarning: CUDA Toolkit 10.2 is unsupported by Numba - 11.2 is the minimum required version."],
  [
    "toolkit-too-old",
    "*** WARNING *** You are using ptxas 9.2.148, which is older than 11.1. ptxas before 11.1 is known to miscompile XLA code",
  ],
  [
    "toolkit-too-old",
    "W tensorflow/stream_executor/gpu/redzone_allocator.cc:312] UNIMPLEMENTED: ptxas ptxas too old. Falling back to the driver to compile.",
  ],
  ["benign-warning", "ptxas warning: You are using ptxas 10.0.145, which is older than 9.2.88"],
]);
