import type { Signature } from "../signature.ts";

const codes: { [words: string]: number } = {
  "unsupported ptx version": 222,
  "no binary for gpu": 209,
  "invalid kernel image": 200,
  "invalid ptx": 218,
  "a ptx jit compilation failed": 218,
};

/** Blender's Cycles (intern/cycles/device/cuda, optix) and LuxCore: CUDA's errors in words of cuew's own. */
export default [
  {
    literals: ["failed to load cuda kernel from", "failed to load cuda module", "cuda driver api error"],
    pattern:
      /(?:Failed to load (?:CUDA|OptiX) (?:kernel|module) from '[^'\n]{1,300}' \(|CUDA driver API error[^\n]{0,160}?: )(?<words>Unsupported PTX version|No binary for GPU|Invalid kernel image|Invalid PTX|a PTX JIT compilation failed)/i,
    examples: [
      "Failed to load CUDA kernel from '/opt/blender/3.2/scripts/addons/cycles/lib/kernel_compute_75.ptx' (Unsupported PTX version)",
    ],
    facts: ({ words }) => ({ kind: "cuda-error", code: codes[words!.toLowerCase()]! }),
  },
  {
    literals: ["binary kernel for this graphics card"],
    pattern:
      /(?:CUDA|HIP) binary kernel for this graphics card (?:compute capability|architecture) \((?<capability>\d{1,2}\.\d)\) not found/,
    examples: ["CUDA binary kernel for this graphics card compute capability (12.0) not found."],
    facts: ({ capability }) => ({ kind: "gpu-unsupported", capability: capability!, by: "Cycles" }),
  },
] satisfies Signature[];
