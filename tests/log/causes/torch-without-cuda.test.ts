import step from "../../../packages/core/src/log/causes/torch-without-cuda.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["wrong-wheel-cpu-only", "  pytorch            pytorch/win-64::pytorch-1.10.0-py3.6_cpu_0"],
  ["wrong-vendor > wrong-wheel-cpu-only", "OS: macOS 14.1 (arm64)\nAssertionError: Torch not compiled with CUDA enabled"],
]);
