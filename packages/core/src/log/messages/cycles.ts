import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

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
    // Cycles' command line and its preferences: a kind of device was asked for by name.
    ...notice(
      "cycles-no-such-device",
      "found no cycles device of the specified type",
      /Found no Cycles device of the specified type/,
      "Error: Found no Cycles device of the specified type",
    ),
    means: {
      weight: weights.refused,
      name: "Cycles",
      required: "a device of the kind that was asked for (CUDA, OPTIX, HIP)",
      found: "none of that kind",
      next: ["nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "Blender was told to render with a kind of device that this machine, or this session, does not have",
          fixes: [fix("in Colab choose a GPU (Runtime, Change runtime type); elsewhere name the kind that is there, or take `CPU`")],
        },
        { cause: "driver-not-exposed", message: "or the driver does not reach Blender", fixes: [] },
        { cause: "arch-unsupported", message: "or this Blender no longer serves the GPU", fixes: [] },
      ],
    },
  },
  {
    // blender_device.cc and its preferences, in one or two lines.
    ...notice(
      "cycles-no-gpu",
      ["no compatible gpus found for cycles", "requires nvidia gpu with compute capability"],
      /No compatible GPUs found for Cycles|Requires NVIDIA GPU with compute capability (?<required>\d\.\d)[^\n]{0,40}driver version (?<found>\d{3})/i,
      "No compatible GPUs found for Cycles",
      "Requires NVIDIA GPU with compute capability 5.0 and driver version 470 or newer",
    ),
    means: {
      weight: weights.refused,
      symptom: "Blender finds no GPU that it can render with",
      name: "Cycles",
      about: (_facts, _context, all) => {
        const told = all.find(({ required }) => required !== undefined);
        return told ? { required: `compute capability ${told.required} or newer, and driver ${told.found} or newer` } : {};
      },
      next: ["nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv"],
      may: [
        {
          cause: "driver-too-old",
          name: "libcuda.so.1",
          message: "the driver is older than this Blender asks for, or is not NVIDIA's own",
          fixes: [fix("install a newer NVIDIA driver")],
        },
        {
          cause: "arch-unsupported",
          name: "the GPU",
          message: "or the GPU is older than this Blender supports",
          fixes: [fix("use an older Blender, or the CPU")],
        },
        {
          cause: "driver-not-exposed",
          name: "libcuda.so.1",
          message: "or no driver reaches it: a container, a flatpak or snap without the driver's part",
          fixes: [],
        },
      ],
    },
  },
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
