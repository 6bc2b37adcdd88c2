import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** HIP and ROCm: the same as CUDA's words, of AMD's GPUs; and AMD's GPUs where somebody names them. */
export default [
  notice(
    "hip-no-code",
    [
      "invalid device function",
      "hip error: no kernel image",
      "hiperrornobinaryforgpu",
      "hiperrorinvaliddevicefunction",
      "hsa_status_error_invalid_isa",
      "rocblas error",
    ],
    /HIP error: (?:[Ii]nvalid device function|[Nn]o kernel image)|hipError(?:NoBinaryForGpu|InvalidDeviceFunction)|HSA_STATUS_ERROR_INVALID_ISA|rocBLAS error: Cannot read \S{1,300}TensileLibrary[\w.]{0,30}: [\w ]{4,40}(?: for GPU arch ?: (?<subject>gfx[\da-f]{3,4}))?/,
    "RuntimeError: HIP error: invalid device function",
    "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
    "rocBLAS error: Cannot read /v/torch/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU arch : gfx1100",
    "aborting with error : HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is invalid. code: 0x100f",
  ),
  {
    ...notice(
      "hip-error",
      ["hip error: ", "no hip gpus are available", "hiperror"],
      /HIP error: (?!out of memory|[Ii]nvalid device function|[Nn]o kernel image)(?<subject>[\w ,-]{4,60})|No HIP GPUs are available|\bhipError(?!OutOfMemory|NoBinaryForGpu|InvalidDeviceFunction)(?<found>[A-Z]\w{3,40})/,
      "RuntimeError: No HIP GPUs are available",
      "hipErrorInvalidValue",
    ),
    means: ownMatter(
      "ROCm",
      "this is HIP of AMD's ROCm: nothing here is of NVIDIA's stack",
      "see AMD's list of GPUs that this ROCm supports; PyTorch for NVIDIA comes from another index",
    ),
  },
  {
    // Of a list of targets and of files for them, none is the GPU that is there.
    literals: ["gfx"],
    pattern: /(?<![\w;])(?<!gfx[\da-f]{3,4}['",;\s/]{1,4})(?<subject>gfx(?:8|9|1[0-2])[\da-f]{2})\b(?!;|\.\w|['",\s/]{1,4}gfx)/,
    examples: ["amdgcn-amd-amdhsa--gfx1103", "RX470 (gfx803)"],
    facts: ({ subject }) => ({ kind: "notice", id: "amd-gpu", subject: subject! }),
    single: true,
  },
  notice(
    "amd-gpu",
    [
      "radeon",
      "amd instinct",
      "amd gpu",
      "amd 7",
      "amd 6",
      "amd 9",
      "+rocm",
      "rx 4",
      "rx 5",
      "rx 6",
      "rx 7",
      "rx 9",
      "rx5",
      "rx6",
      "rx7",
      "rx9",
      "0xt",
      "0 xt",
      "firepro",
    ],
    /\b(?<subject>(?:AMD )?Radeon(?: (?:RX|Pro|PRO|VII|Vega)? ?\w{3,6})?|AMD Instinct \w{3,6}|AMD [679]\d{3} ?XTX?|(?:RX ?[4-9]\d{2,3}(?: ?(?:XTX?|GRE))?|[679]\d[05]0 ?XTX?)|FirePro \w{2,6})\b|\bAMD gpu\b|\+rocm\d/i,
    "GPU: AMD 7900XTX",
    "| GPU | AMD Instinct MI250X |",
    "torch==2.10.0+rocm7.0",
  ),
] satisfies Signature[];
