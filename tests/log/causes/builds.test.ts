import step from "../../../packages/core/src/log/causes/builds.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "toolkit-vs-framework-at-build > not-a-mismatch > toolkit-too-old > cuda-home-wrong",
    "error: command '/usr/local/cuda/bin/nvcc' failed with exit status 1",
  ],
  [
    "toolkit-vs-framework-at-build > not-a-mismatch > toolkit-too-old > cuda-home-wrong",
    "nvcc fatal   : Unsupported NVHPC compiler found. nvc++ is the only NVHPC compiler that is supported.",
  ],
  ["library-not-on-path > library-missing", "-- Could not find CUPTI library, using CPU-only Kineto build"],
]);
