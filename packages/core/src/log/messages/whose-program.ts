import { notice, type Signature } from "../signature.ts";

/** Programs that are built from source for one GPU or toolkit: whose lines they are decides what can be done. */
export default [
  {
    ...notice(
      "of-ggml",
      ["ggml", "llama.cpp"],
      /\bggml[-_](?:cuda|assert|backend)|\bggml\/src\/|llama\.cpp\b/i,
      "/opt/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:97: CUDA error",
    ),
    single: true,
  },
] satisfies Signature[];
