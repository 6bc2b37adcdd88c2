import type { Signature } from "../signature.ts";

/** xformers/_cpp_lib.py: what its extension was built for, and what is here. */
export default [
  {
    literals: ["(you have "],
    pattern: /PyTorch (?<required>\d{1,2}\.[\w.+]{1,40}) with CUDA (?:\d{3,4}|None) \(you have (?<found>\d{1,2}\.[\w.+]{1,40})\)/,
    examples: [
      "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.3.0+cu121)",
      "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)",
    ],
    facts: ({ required, found }) => ({ kind: "notice", id: "xformers-other-torch", required: required!, found: found! }),
  },
  {
    literals: ["requires device with capability"],
    pattern:
      /requires device with capability (?<sign><=|==|>=|<|>) \((?<major>\d{1,2}), (?<minor>\d)\) but your GPU has capability \((?<hasMajor>\d{1,2}), (?<hasMinor>\d)\)/,
    examples: ["    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)"],
    facts: ({ sign, major, minor, hasMajor, hasMinor }) => ({
      kind: "gpu-unsupported",
      capability: `sm_${hasMajor}${hasMinor}`,
      supported: `capability ${sign} ${major}.${minor}`,
      by: "xformers",
      ...(Number(hasMajor) < Number(major) ? { tooOld: true as const } : {}),
    }),
  },
] satisfies Signature[];
