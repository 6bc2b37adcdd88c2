import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** Something is to be compiled, and no toolkit is found. */
export default function home(facts: Facts, context: Context): Problem[] {
  const unset = facts.notices("cuda-home-unset", "no-cuda-toolset", "nvcc-missing", "cuda-path-missing");
  // CuPy warns of it and works with the libraries of wheels all the same.
  const onlyWarned = unset.every(({ id }) => id === "cuda-path-missing");
  if (unset.length === 0) return [];
  const wheel = context.framework("torch").cuda ?? context.toolkits[0]?.version;
  const base = {
    name: "nvcc",
    required: wheel === undefined ? "a CUDA toolkit with nvcc, and CUDA_HOME" : `the CUDA ${wheel} toolkit with nvcc, and CUDA_HOME`,
    found: "no CUDA_HOME and no nvcc",
    evidence: unset,
    next: ["which -a nvcc; ls -d /usr/local/cuda*"],
  };
  const minor = wheel === undefined ? "" : `-${wheel.split(".").slice(0, 2).join("-")}`;
  return [
    {
      weight: onlyWarned ? weights.hint : weights.refused,
      suspects: [
        {
          ...base,
          cause: "library-missing",
          certainty: "likely",
          message:
            "an extension is to be compiled, and no CUDA toolkit with nvcc is found; wheels and conda's cudatoolkit bring only the libraries",
          fixes: [
            fix("install the toolkit", `sudo apt-get install cuda-toolkit${minor}`, `conda install -c nvidia cuda-nvcc cuda-toolkit`),
          ],
        },
        {
          ...base,
          cause: "cuda-home-wrong",
          certainty: "possible",
          message: "or a toolkit is installed, and CUDA_HOME does not name it",
          fixes: [fix("say where it is", `export CUDA_HOME=/usr/local/cuda${wheel === undefined ? "" : `-${wheel}`}`)],
        },
      ],
    },
  ];
}
