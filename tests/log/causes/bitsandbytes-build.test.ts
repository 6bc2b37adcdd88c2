import step from "../../../packages/core/src/log/causes/bitsandbytes-build.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "wrong-wheel-cuda-version > library-missing > library-wrong-version > library-shadowed",
    "CUDA SETUP: Required library version not found: libbitsandbytes_cuda122.so. Maybe you need to compile it from source?",
  ],
  ["wrong-vendor > wrong-wheel-cuda-version", "my 7900XTX, ROCm 6.0\nRuntimeError: CUDA Setup failed despite GPU being available"],
  [
    "wrong-wheel-platform > wrong-wheel-cpu-only",
    "C:\\Users\\u> python a.py\nAttributeError: 'NoneType' object has no attribute 'cadam32bit_grad_fp32'",
  ],
  [
    "wrong-wheel-platform > library-missing > wrong-wheel-cpu-only",
    "C:\\Users\\u> python a.py\n🚨 CUDA SETUP ERROR: Missing dependency: libcudart.so 🚨",
  ],
]);
