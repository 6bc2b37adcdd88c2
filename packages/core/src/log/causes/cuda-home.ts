import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** Something is to be compiled, and no toolkit is found. */
export default function home(facts: Facts, context: Context): Problem[] {
  const unset = facts.notices("cuda-home-unset", "no-cuda-toolset", "nvcc-missing", "cmake-no-nvcc", "cuda-path-missing");
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
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    certainty: "likely",
    message:
      "an extension is to be compiled, and no CUDA toolkit with nvcc is found; wheels and conda's cudatoolkit bring only the libraries",
    fixes: [fix("install the toolkit", `sudo apt-get install cuda-toolkit${minor}`, `conda install -c nvidia cuda-nvcc cuda-toolkit`)],
  };
  const unnamed: Suspect = {
    ...base,
    cause: "cuda-home-wrong",
    certainty: "possible",
    message: "or a toolkit is installed, and CUDA_HOME does not name it",
    fixes: [fix("say where it is", `export CUDA_HOME=/usr/local/cuda${wheel === undefined ? "" : `-${wheel}`}`)],
  };
  return [
    {
      weight: onlyWarned ? weights.hint : weights.refused,
      suspects: isThere(unset, facts, context) ? homeUnnamed(missing, unnamed, context, facts) : [missing, unnamed],
    },
  ];
}

/** nvcc printed its release, or JetPack brought it: the toolkit is there, whatever the build finds. */
const isThere = (unset: Fact<"notice">[], facts: Facts, { toolkits }: Context): boolean =>
  facts.on("jetson") || (toolkits.some(({ from }) => from === "nvcc") && !unset.some(({ id }) => id === "nvcc-missing"));

function homeUnnamed(missing: Suspect, unnamed: Suspect, { toolkits }: Context, facts: Facts): Suspect[] {
  const nvcc = toolkits.find(({ from }) => from === "nvcc");
  const evidence = [...unnamed.evidence, ...(nvcc ? [nvcc] : [])];
  const found = nvcc ? `nvcc of CUDA ${nvcc.version}, and no CUDA_HOME` : "no CUDA_HOME, and no nvcc on PATH";
  const here = fix(
    "name the folder of the nvcc that answers",
    'export CUDA_HOME="$(dirname "$(dirname "$(readlink -f "$(which nvcc)")")")"',
  );
  return [
    {
      ...unnamed,
      certainty: "likely",
      found,
      evidence,
      message: nvcc
        ? `nvcc of CUDA ${nvcc.version} is there, and CUDA_HOME does not name its toolkit where the extension is built`
        : "the toolkit is not named: CUDA_HOME is not set, and nvcc is not on PATH",
      fixes: nvcc && !facts.on("jetson") && !facts.on("windows") ? [here] : (unnamed.fixes ?? []),
    },
    { ...missing, found, evidence, certainty: "possible", message: "or it is not installed with its compiler" },
  ];
}
