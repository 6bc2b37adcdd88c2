import step from "../../../packages/core/src/log/causes/apple.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["wrong-vendor", "on my MacBook\nCMake Error: No CMAKE_CUDA_COMPILER could be found."],
  ["wrong-vendor", 'M2 Apple Silicon\nError response from daemon: could not select device driver "nvidia" with capabilities: [[gpu]]'],
  [
    "wrong-vendor",
    "  File \"/Users/ada/miniforge3/lib/python3.10/site-packages/bitsandbytes/functional.py\", line 12, in <module>\nAttributeError: 'NoneType' object has no attribute 'cadam32bit_grad_fp32'",
  ],
]);
