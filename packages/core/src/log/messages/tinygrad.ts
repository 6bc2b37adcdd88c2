import type { Signature } from "../signature.ts";

/** tinygrad. */
export default [
  {
    // tinygrad's bindings have only the functions of the libraries that were found.
    literals: ["has no attribute 'nvrtc"],
    pattern: /module '[\w.]{2,60}cuda' has no attribute 'nvrtc\w{3,40}'/,
    examples: ["AttributeError: module 'tinygrad.runtime.autogen.cuda' has no attribute 'nvrtcCreateProgram'"],
    facts: () => ({ kind: "not-found", name: "libnvrtc.so", by: "tinygrad" }),
  },
] satisfies Signature[];
