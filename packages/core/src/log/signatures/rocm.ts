import { notice, type Signature } from "../signature.ts";

/** HIP, in the words of PyTorch for ROCm: the same as CUDA's, of AMD's GPUs. */
export default [
  notice(
    "hip-error",
    ["hip error: ", "no hip gpus are available", "hiperror"],
    /HIP error: (?!out of memory)(?<subject>[\w ,-]{4,60})|No HIP GPUs are available|\bhipError(?!OutOfMemory)(?<found>[A-Z]\w{3,40})/,
    "RuntimeError: HIP error: invalid device function",
    "RuntimeError: No HIP GPUs are available",
    "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
  ),
] satisfies Signature[];
