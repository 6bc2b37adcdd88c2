import step from "../../../packages/core/src/log/causes/image-demands.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-too-old",
    "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container",
  ],
]);
