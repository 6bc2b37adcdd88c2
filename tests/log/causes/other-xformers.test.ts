import step from "../../../packages/core/src/log/causes/other-xformers.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict > wrong-wheel-cuda-version", "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.3.0+cu121)"],
  ["wrong-wheel-cpu-only > package-conflict", "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)"],
]);
