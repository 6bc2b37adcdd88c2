import step from "../../../packages/core/src/log/causes/cpu-build-chosen.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["wrong-wheel-cpu-only > package-conflict > upstream-bug", "conda picks the CPU build of pytorch although the machine has CUDA"],
  ["wrong-wheel-cpu-only > package-conflict > upstream-bug", "uv keeps installing the cpu-only wheel of torch, but I have an RTX 3090"],
]);
