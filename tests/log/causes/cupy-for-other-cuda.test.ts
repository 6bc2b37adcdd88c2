import step from "../../../packages/core/src/log/causes/cupy-for-other-cuda.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "wrong-wheel-cuda-version > library-missing",
    "nvcc: Cuda compilation tools, release 11.8, V11.8.89\ncupy-cuda12x is installed, and does not work",
  ],
]);
