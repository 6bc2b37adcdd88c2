import step from "../../../packages/core/src/log/causes/linked.ts";
import { holds } from "./holds.ts";

// cuDNN 7 was built for CUDA up to 10.2 (the support matrix of cuDNN).
holds(step, [
  [
    "library-wrong-version",
    "$ ldd ./app\n\tlibcudnn.so.7 => /usr/lib/x86_64-linux-gnu/libcudnn.so.7 (0x00007f0000000000)\n\tlibcudart.so.11.0 => /usr/local/cuda-11.0/lib64/libcudart.so.11.0 (0x00007f0000000000)",
  ],
]);
