import step from "../../../packages/core/src/log/causes/from-facts.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["forward-compat-misuse", "NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 12.1"],
  ["driver-too-old", "Driver Version: 418.87.01\nCUDA 10.2 image"],
]);
