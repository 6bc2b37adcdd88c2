import { newerThanDriver } from "../newer-than-driver.ts";
import { weights } from "../cause.ts";
import type { Signature } from "../signature.ts";

/** RAPIDS: its check of GPUs at import, and ptxcompiler beside Numba. */
export default [
  {
    literals: ["or newer architecture is required"],
    pattern: /A GPU with NVIDIA \w{4,12}(?:\u2122)? \(Compute Capability (?<minimum>\d{1,2}\.\d)\) or newer architecture is required/,
    examples: ["UserWarning: A GPU with NVIDIA Volta\u2122 (Compute Capability 7.0) or newer architecture is required."],
    facts: ({ minimum }) => ({ kind: "gpu-unsupported", supported: `${minimum} or newer`, by: "rapids", tooOld: true }),
  },
  {
    literals: ["detected gpu ", "detected compute capability"],
    pattern: /^Detected (?:GPU \d{1,2}: (?<name>[\w][\w ()/-]{2,60})|Compute Capability: (?<capability>\d{1,2}\.\d))/,
    examples: ["Detected GPU 0: Tesla M60", "Detected Compute Capability: 5.2"],
    facts: ({ name, capability }) => ({
      kind: "gpu",
      ...(name === undefined ? {} : { name: name.trim() }),
      ...(capability === undefined ? {} : { capability }),
    }),
    single: true,
  },
  {
    literals: ["please update your cuda runtime"],
    pattern:
      /Detected CUDA Runtime version is (?<found>\d{1,2}\.\d{1,2})\.? ?Please update your CUDA Runtime to (?<minimum>\d{1,2}\.\d{1,2}) or above/,
    examples: ["UnsupportedCUDAError: Detected CUDA Runtime version is 10.2. Please update your CUDA Runtime to 11.0 or above"],
    facts: ({ found, minimum }) => ({ kind: "needs-has", product: "cuda", required: minimum!, found: found!, relation: "least" }),
  },
  {
    literals: ["couldn't detect the gpu driver"],
    pattern: /We couldn't detect the GPU driver\s{1,20}properly/,
    examples: ["UnSupportedCUDAError: We couldn't detect the GPU driver properly. Please follow the linux installation guide"],
    facts: () => ({ kind: "cuda-error", code: 35 }),
  },
  {
    literals: ["requires minor version compatibility"],
    pattern:
      /Using CUDA toolkit version \((?<major>\d{1,2}), ?(?<minor>\d{1,2})\) with CUDA driver version \((?<has>\d{1,2}), ?(?<hasMinor>\d{1,2})\) requires minor version compatibility/,
    examples: [
      "UserWarning: Using CUDA toolkit version (12, 3) with CUDA driver version (12, 2) requires minor version compatibility, which is not yet supported for CUDA driver versions 12.0 and above.",
    ],
    facts: ({ major, minor, has, hasMinor }) => ({
      kind: "notice",
      id: "toolkit-newer-than-driver",
      ...(major === undefined ? {} : { required: `${major}.${minor}`, found: `${has}.${hasMinor}` }),
    }),
    notice: "toolkit-newer-than-driver",
    // What Numba compiles at run time must be read by the driver as it is.
    means: newerThanDriver(weights.warned, {
      cause: "ptx-newer-than-driver",
      message: "what is compiled at run time is newer than the driver reads",
    }),
  },
] satisfies Signature[];
