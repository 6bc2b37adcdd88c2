import type { Signature } from "../signature.ts";

/** NVIDIA's debugger: its back end is a library of the driver. */
export default [
  {
    literals: ["cuda debugger back-end"],
    pattern: /Could not find CUDA Debugger back-end/i,
    examples: ["Could not find CUDA Debugger back-end. Please try upgrading/re-installing the GPU driver"],
    facts: () => ({ kind: "not-found", name: "libcudadebugger.so.1", by: "said" }),
  },
] satisfies Signature[];
