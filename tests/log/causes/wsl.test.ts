import step from "../../../packages/core/src/log/causes/wsl.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-not-on-path > driver-not-exposed > library-shadowed",
    "kernel 6.6.87.2-microsoft-standard-WSL2\nCUDA error: no CUDA-capable device is detected",
  ],
  [
    "driver-not-exposed > library-not-on-path > library-shadowed",
    "Microsoft Windows [Version 10.0.19042.1052]\nWSL 2: torch.cuda.is_available() is always False",
  ],
]);
