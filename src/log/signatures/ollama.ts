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
] satisfies Signature[];
