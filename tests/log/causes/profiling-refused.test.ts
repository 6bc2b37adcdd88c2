import step from "../../../packages/core/src/log/causes/profiling-refused.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "profiler-permission > profiler-conflict > profiler-platform-unsupported",
    "I could not run nsys or CUPTI profiling on our Kubernetes cluster",
  ],
  [
    "profiler-platform-unsupported > profiler-permission > profiler-conflict",
    "Error: unable to resume profiling metrics: Feature not supported.",
  ],
  ["profiler-platform-unsupported > profiler-permission > profiler-conflict", "==ERROR== Profiling is not supported on this device"],
]);
