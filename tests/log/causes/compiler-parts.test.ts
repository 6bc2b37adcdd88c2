import step from "../../../packages/core/src/log/causes/compiler-parts.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-not-on-path > library-missing > cuda-home-wrong",
    "RuntimeError: Missing libdevice file. Please ensure you have a CUDA Toolkit 11.2 or higher.",
  ],
]);
