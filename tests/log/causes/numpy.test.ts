import step from "../../../packages/core/src/log/causes/numpy.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict", "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.2.6 as it may crash."],
  ["package-conflict > not-a-mismatch", "RuntimeError: Numpy is not available"],
  [
    "package-conflict",
    "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
  ],
]);
