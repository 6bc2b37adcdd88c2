import type { Signature } from "../signature.ts";

/** Releases of frameworks in the words of people and in the forms of their issues; TensorFlow's and PyTorch's own prints are with them. */
export default [
  {
    literals: ["onnxruntime", "onnx runtime"],
    pattern:
      /(?<![\w./-])onnx ?runtime(?<gpu>[-_]gpu)?(?: version| \(version\))?(?: or commit id)?[\s:=v*`]{1,4}(?<version>1\.\d{1,2}(?:\.\d{1,2})?)\b(?!\.\d|\.whl)/i,
    examples: ["onnxruntime-gpu 1.17.0, CUDA 12.2", "ONNX Runtime Version or Commit ID: 1.15.0", "I use ONNX Runtime 1.17 on Ubuntu"],
    facts: ({ version }) => ({ kind: "framework", id: "onnxruntime", version: version! }),
  },
  {
    literals: ["jax", "jaxlib"],
    pattern: /(?<![\w./-])jax(?:lib)?(?: version)?[\s:=v*`]{1,4}(?<version>0\.\d{1,2}\.\d{1,3})\b(?!\.\d|\.whl)/i,
    examples: ["jax 0.4.20, jaxlib 0.4.20+cuda11", "jaxlib: 0.4.13"],
    facts: ({ version }) => ({ kind: "framework", id: "jax", version: version! }),
  },
] satisfies Signature[];
