import step from "../../../packages/core/src/log/causes/wsl.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-not-on-path > driver-not-exposed > library-shadowed",
    "kernel 6.6.87.2-microsoft-standard-WSL2\nCUDA error: no CUDA-capable device is detected",
  ],
]);
