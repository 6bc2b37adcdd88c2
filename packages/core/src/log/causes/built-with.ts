import { torchBuildFor } from "../../knowledge/torch-builds.ts";
import { weights, type Problem } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { builtForCuda } from "../compiled-for-torch.ts";
import { fix, selectToolkit } from "../fixes.ts";

/** An extension or a companion that was built with another CUDA than its framework. */
export default function builds(facts: Facts, context: Context): Problem[] {
  const other = facts.notices("extension-other-cuda");
  const told = other.find(({ required }) => required !== undefined)?.required;
  const compiler = context.toolkits.find(({ from, version }) => from === "nvcc" && version !== told);
  const found: Problem[] = [];
  if (0 < other.length)
    found.push({
      weight: weights.said,
      suspects: [
        {
          cause: "toolkit-vs-framework-at-build",
          name: "nvcc",
          required: told === undefined ? "the CUDA that PyTorch was built with" : `CUDA ${told}, with which PyTorch was built`,
          ...(compiler === undefined ? {} : { found: `CUDA ${compiler.version}` }),
          certainty: "certain",
          message: "an extension is built with another CUDA than PyTorch was",
          evidence: [...other, ...(compiler === undefined ? [] : [compiler])],
          next: ["nvcc --version", 'python -c "import torch; print(torch.version.cuda)"'],
          fixes: [selectToolkit("build with the toolkit of PyTorch's CUDA", told)],
        },
      ],
    });
  return [...found, ...otherMajor(facts, context), ...buildPairs(facts, context)];
}

// The build of an extension broke, and the toolkit that is spoken of is of another major than PyTorch's CUDA.
function otherMajor(facts: Facts, context: Context): Problem[] {
  const failed = facts.notices("extension-build-failed");
  const { cuda, facts: known } = context.framework("torch");
  const compiler = context.toolkits.find(({ from }) => from === "nvcc");
  if (failed.length === 0 || cuda === undefined || compiler === undefined || majorOf(cuda) === majorOf(compiler.version)) return [];
  const base = {
    required: `CUDA ${cuda}`,
    found: `CUDA ${compiler.version}`,
    evidence: [...failed, compiler, ...known.slice(0, 1)],
    next: ["echo $CUDA_HOME; which -a nvcc", "read the compiler's first error: it says what it does not know"],
    fixes: [fix(`build with CUDA ${cuda}`, `export CUDA_HOME=/usr/local/cuda-${cuda} PATH=/usr/local/cuda-${cuda}/bin:$PATH`)],
  };
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          ...base,
          cause: "toolkit-vs-framework-at-build",
          name: "nvcc",
          certainty: "possible",
          message: `an extension is compiled with nvcc of CUDA ${compiler.version}, and PyTorch was built with CUDA ${cuda}`,
        },
        {
          ...base,
          cause: "cuda-home-wrong",
          name: "CUDA_HOME",
          certainty: "possible",
          message: `or CUDA ${cuda} is installed too, and CUDA_HOME or PATH selects ${compiler.version}`,
        },
      ],
    },
  ];
}

// PyTorch has builds for some releases of CUDA only; one for an earlier release of the same major does.
function torchFor(cuda: string): ReturnType<typeof fix>[] {
  const build = torchBuildFor(cuda);
  if (!build || majorOf(build.cuda) !== majorOf(cuda)) return [];
  return [
    fix(
      `or install a PyTorch built with CUDA ${build.cuda}`,
      `pip install torch --index-url https://download.pytorch.org/whl/${build.variant}`,
    ),
  ];
}

// pip builds in an environment of its own, into which it takes a PyTorch that nobody chose.
const isolated = fix(
  "let it build with the PyTorch that is installed, not with one that pip takes for the build alone: add `--no-build-isolation` to `pip install`, with its build tools (setuptools, wheel, ninja) installed before",
);

function buildPairs(facts: Facts, context: Context): Problem[] {
  const torch = context.framework("torch").version;
  return facts.all("built-with").map((fact): Problem => {
    if (fact.other === "nvcc")
      return {
        weight: weights.said,
        suspects: [
          {
            cause: "toolkit-vs-framework-at-build",
            name: "nvcc",
            required: fact.built,
            found: fact.otherBuilt,
            certainty: "certain",
            message: `an extension is built with nvcc of CUDA ${fact.otherBuilt}, and PyTorch was built with CUDA ${fact.built}`,
            evidence: [fact],
            next: ["echo $CUDA_HOME; which -a nvcc", 'python -c "import torch; print(torch.version.cuda)"'],
            fixes: [
              ...(0 < facts.notices("isolated-build").length ? [isolated] : []),
              fix(
                `${0 < facts.notices("isolated-build").length ? "or " : ""}build with CUDA ${fact.built}`,
                `export CUDA_HOME=/usr/local/cuda-${fact.built} PATH=/usr/local/cuda-${fact.built}/bin:$PATH`,
              ),
              ...torchFor(fact.otherBuilt),
            ],
          },
          {
            cause: "cuda-home-wrong",
            name: "CUDA_HOME",
            required: fact.built,
            found: fact.otherBuilt,
            certainty: "possible",
            message: `or CUDA ${fact.built} is installed too, and CUDA_HOME or PATH selects ${fact.otherBuilt}`,
            evidence: [fact],
            fixes: [],
          },
        ],
      };
    return {
      weight: weights.said,
      suspects: [
        {
          cause: "wrong-wheel-cuda-version",
          name: fact.what,
          ...(fact.otherBuilt === "" ? {} : { required: `CUDA ${fact.otherBuilt}` }),
          ...(fact.built === "" ? {} : { found: `CUDA ${fact.built}` }),
          certainty: "certain",
          message:
            fact.built === "" || fact.otherBuilt === ""
              ? `${fact.what} and PyTorch were built for two different CUDA releases`
              : `${fact.what} was built for CUDA ${fact.built}, PyTorch for CUDA ${fact.otherBuilt}`,
          evidence: [fact],
          next: ["pip list | grep -i torch"],
          fixes: builtForCuda(
            fact.what,
            torch === undefined || torch.includes("+") || fact.otherBuilt === "" ? torch : `${torch}+cu${fact.otherBuilt.replace(".", "")}`,
            fact.otherBuilt,
            facts,
            context,
          ),
        },
        {
          cause: "package-conflict",
          name: fact.what,
          certainty: "possible",
          message: "the two packages come from different sources or releases",
          evidence: [fact],
          fixes: [],
        },
        {
          cause: "toolkit-vs-framework-at-build",
          name: "nvcc",
          ...(fact.otherBuilt === "" ? {} : { required: `CUDA ${fact.otherBuilt}` }),
          ...(fact.built === "" ? {} : { found: `CUDA ${fact.built}` }),
          certainty: "possible",
          message: `or pip found no wheel and built ${fact.what} here, with an nvcc of another CUDA than PyTorch's`,
          evidence: [fact],
          fixes: [],
        },
      ],
    };
  });
}
