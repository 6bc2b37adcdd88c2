import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** CTranslate2: src/devices.cc and the stubs of src/cuda. */
export default [
  {
    ...notice(
      "ct2-without-cuda",
      "not compiled with cuda support",
      /This CTranslate2 package was not compiled with CUDA support/,
      "ValueError: This CTranslate2 package was not compiled with CUDA support",
    ),
    means: builtWithoutCuda("ctranslate2", fix("install a CTranslate2 with CUDA for this system")),
  },
  {
    literals: ["is not found or cannot be loaded"],
    pattern: /Library (?<name>lib[\w.+-]{3,60}|[\w.]{3,40}\.dll) is not found or cannot be loaded/,
    examples: [
      "RuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
      "RuntimeError: Library cublas64_12.dll is not found or cannot be loaded",
    ],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "ctranslate2" }),
  },
  {
    // src/types.cc: compute types by device; 16 bits need a GPU of compute capability 7.0, or 5.3 and 6.x where it is forced.
    ...notice(
      "ct2-compute-type",
      "do not support efficient",
      /Requested (?<subject>\w{3,16}) compute type, but the target device or backend do not support efficient \w{3,12} computation/,
      "ValueError: Requested float16 compute type, but the target device or backend do not support efficient float16 computation.",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        required: `a device that computes in ${fact!.subject}`,
        evidence: [fact!],
      }),
      next: [
        "nvidia-smi --query-gpu=name,compute_cap --format=csv",
        'python -c "import ctranslate2; print(ctranslate2.get_cuda_device_count())"',
      ],
      symptom: "CTranslate2 runs on a device that cannot compute in this type",
      may: [
        {
          cause: "arch-unsupported",
          message: "the GPU is older than Volta (compute capability below 7.0), which CTranslate2 does not let compute in 16 bits",
          fixes: [fix('ask for another type: `compute_type="float32"`, or `"int8"` (`--compute_type int8` of whisperx)')],
        },
        {
          cause: "not-a-mismatch",
          message: 'or it runs on the CPU, where no GPU was seen or `device="cpu"` was asked for: there is no float16',
          fixes: [fix('on a CPU ask for `compute_type="int8"`; with a GPU, ask for `device="cuda"`')],
        },
      ],
    },
  },
] satisfies Signature[];
