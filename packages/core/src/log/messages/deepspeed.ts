import { noise, notice, type Signature } from "../signature.ts";

/** deepspeed/ops/op_builder/builder.py. */
export default [
  {
    // DeepSpeed's op builder says the same in its own words.
    literals: ["does not match the version torch was compiled with"],
    pattern:
      /Installed CUDA version (?<other>\d{1,2}\.\d{1,2}) does not match the version torch was compiled with (?<built>\d{1,2}\.\d{1,2})(?! but since the APIs are compatible)/,
    examples: [
      "Exception: >- DeepSpeed Op Builder: Installed CUDA version 12.4 does not match the version torch was compiled with 11.8, unable to compile cuda/cpp extensions without a matching cuda version.",
    ],
    facts: ({ other, built }) => ({ kind: "built-with", what: "torch", built: built!, other: "nvcc", otherBuilt: other! }),
  },
  noise(
    "DeepSpeed builds with another minor release of CUDA than PyTorch, which fits",
    "but since the apis are compatible",
    /but since the APIs are compatible, accepting this combination/,
    "Installed CUDA version 12.2 does not match the version torch was compiled with 12.1 but since the APIs are compatible, accepting this combination",
  ),
  notice(
    "cuda-home-unset",
    "cuda_home does not exist",
    /CUDA_HOME does not exist(?:, unable to compile CUDA op|["'`.,]|$)|\[WARNING\] {1,4}please set CUDA_HOME/i,
    "deepspeed.ops.op_builder.builder.MissingCUDAException: CUDA_HOME does not exist, unable to compile CUDA op(s)",
  ),
] satisfies Signature[];
