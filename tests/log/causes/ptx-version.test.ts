import step from "../../../packages/core/src/log/causes/ptx-version.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["toolkit-too-old", "ptxas add_kernel.ptx, line 5; fatal   : Unsupported .version 8.4; current version is '7.8'"],
  [
    "upstream-bug > toolkit-too-old",
    "RuntimeError: Internal Triton PTX codegen error:\nptxas a.ptx, line 5; fatal   : Unsupported .version 8.6; current version is '8.5'",
  ],
]);
