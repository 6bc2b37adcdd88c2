import { weights, type Problem } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** A toolkit that the text names is pointed to; the parts alone are installed in the release of the CUDA that is used. */
function fixesFor(facts: Facts, { toolkits, framework }: Context): ReturnType<typeof fix>[] {
  const here = toolkits[0]?.version.split(".").slice(0, 2).join(".");
  const major = Number(majorOf(here ?? framework("tensorflow").cuda ?? framework("jax").cuda ?? "12"));
  const windows = facts.on("windows") && !facts.on("wsl2");
  const folder = `/usr/local/cuda${here === undefined ? "" : `-${here}`}`;
  const point = windows
    ? fix(
        `say where the toolkit is, without spaces in the path: copy \`nvvm\\libdevice\` of it${here === undefined ? "" : ` (C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v${here})`} into a folder such as C:\\cuda\\nvvm\\libdevice, and name that one`,
        "set XLA_FLAGS=--xla_gpu_cuda_data_dir=C:\\cuda",
      )
    : fix("say where the toolkit is (this is its usual place)", `export XLA_FLAGS=--xla_gpu_cuda_data_dir=${folder}`);
  const parts =
    windows || major < 11 ? [] : [fix("install the compiler parts", `pip install nvidia-cuda-nvcc${major < 13 ? `-cu${major}` : ""}`)];
  const [first, second] = here === undefined ? [...parts, point] : [point, ...parts];
  return [first!, ...(second ? [{ ...second, fix: `or ${second.fix}` }] : [])];
}

/** The compiler parts of a toolkit that a program looks for at run time. */
export default function compilerParts(facts: Facts, context: Context): Problem[] {
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
      fixes: fixesFor(facts, context),
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
