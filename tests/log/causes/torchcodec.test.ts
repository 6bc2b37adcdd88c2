import step from "../../../packages/core/src/log/causes/torchcodec.ts";
import { holds } from "./holds.ts";

const head =
  "RuntimeError: Could not load libtorchcodec. Likely causes:\n          2. The PyTorch version (2.6.0+cu124) is not compatible with\n";

holds(step, [
  [
    "library-missing > library-not-on-path > package-conflict",
    `${head}libavutil.so.59: cannot open shared object file: No such file or directory`,
  ],
  [
    "library-not-on-path > library-missing > package-conflict",
    `${head} FFmpeg version 7: Could not load this library: C:\\venv\\Lib\\site-packages\\torchcodec\\libtorchcodec_core7.dll`,
  ],
  // The table in torchcodec's README: 0.10 is for torch 2.10, 0.2 for 2.6.
  ["package-conflict", `${head}torchcodec==0.10.0`],
  ["library-missing > library-not-on-path > package-conflict", `${head}torchcodec==0.2.1`],
]);
