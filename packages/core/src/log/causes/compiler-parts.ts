import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** The compiler parts of a toolkit that a program looks for at run time. */
export default function compilerParts(facts: Facts): Problem[] {
  const old = facts.notices("ptxas-too-old");
  const problems: Problem[] = [];
  const nvvm = facts.notices("numba-nvvm");
  const missing = facts.notices("ptxas-missing", "libdevice-missing", "triton-ptxas-missing");
  if (0 < missing.length && old.length === 0 && nvvm.length === 0) {
    const harmless = missing.every((fact) => fact.id === "ptxas-missing");
    const base = {
      name: missing.some((fact) => fact.id === "libdevice-missing") ? "libdevice.10.bc" : "ptxas",
      required: "the compiler parts of a CUDA toolkit",
      found: "none found",
      evidence: missing,
      next: ["which ptxas; echo $CUDA_HOME $XLA_FLAGS"],
      fixes: [
        fix("install the compiler parts", "pip install nvidia-cuda-nvcc-cu12"),
        fix("or say where the toolkit is", "export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda"),
      ],
    };
    problems.push({
      weight: harmless ? weights.hint : weights.failed,
      suspects: [
        {
          ...base,
          cause: "library-not-on-path",
          certainty: "possible",
          message: "the compiler parts of CUDA are not found: they may be installed elsewhere",
        },
        { ...base, cause: "library-missing", certainty: "possible", message: "or they are not installed" },
        {
          ...base,
          cause: "cuda-home-wrong",
          certainty: "possible",
          message: "or CUDA_HOME or --xla_gpu_cuda_data_dir names the wrong folder",
        },
      ],
    });
  }
  return problems;
}
