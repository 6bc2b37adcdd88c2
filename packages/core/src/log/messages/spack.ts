import { notice, type Signature } from "../signature.ts";

/** Spack's concretizer (lib/spack/spack/solver/asp.py). */
export default [
  notice(
    "spack-conflict",
    ["is unsatisfiable", "concretization failed"],
    /==> Error: (?<subject>[\w.-]{2,60})[@+~^ ][^\n]{0,200}?(?:cuda|cudnn|nccl)[^\n]{0,200}? is unsatisfiable/,
    "==> Error: py-torch@2.1 cuda_arch=80 ^cuda@12.4 is unsatisfiable, conflicts are:",
  ),
] satisfies Signature[];
