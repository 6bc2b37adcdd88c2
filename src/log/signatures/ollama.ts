import type { Signature } from "../signature.ts";

/** Ollama and llama.cpp. */
export default [
  {
    // Ollama asks the driver through a runtime library of its own.
    literals: ["nvidia driver is too old or missing"],
    pattern: /your nvidia driver is too old or missing/i,
    examples: ["your nvidia driver is too old or missing.  If you have a CUDA GPU please upgrade to run ollama"],
    facts: () => ({ kind: "cuda-error", code: 35 }),
  },
  {
    // discover/gpu_info_nvcuda.c and gpu_info_cudart.c print the number that cuInit or cudaSetDevice gave.
    literals: ["cuda driver library init failure", "cuda driver library failed to get device context"],
    pattern: /cuda driver library (?:init failure:|failed to get device context) (?<code>\d{1,3})\b/,
    examples: ['msg="Unable to load cudart library /usr/lib/libcuda.so.1: cuda driver library init failure: 999"'],
    facts: ({ code }) =>
      ["100", "101", "803", "804", "802", "999", "34", "35"].includes(code!) ? { kind: "cuda-error", code: Number(code) } : undefined,
  },
] satisfies Signature[];
