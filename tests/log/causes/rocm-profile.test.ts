import step from "../../../packages/core/src/log/causes/rocm-profile.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["upstream-bug > library-wrong-version", "rocprofv3 writes no kernel dispatches for my program"],
  ["profiler-platform-unsupported > wrong-vendor", "Does the TensorFlow profiler support AMD GPUs?"],
]);
