import { weights, type Problem } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, torchFix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

// How conda-forge calls these, and how the strings of their CUDA builds begin.
const condaNames: { [id: string]: string } = { torch: "pytorch=*=cuda*", tensorflow: "tensorflow=*=cuda*", jax: "jaxlib=*=*cuda*" };

/** A package manager took the build for the CPU, and somebody says that it was not meant. */
export default function cpuBuildChosen(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("cpu-build-chosen");
  const [first] = evidence;
  // Who shows that no GPU is seen, or which build he has, is answered by that.
  if (!first || facts.has("available") || 0 < facts.notices("torch-without-cuda").length) return [];
  const name = first.subject!;
  const conda = first.found === "conda" ? condaNames[name] : undefined;
  const fixes =
    conda !== undefined
      ? [
          fix("name a CUDA build outright; where it is refused, conda says what is in the way", `conda install -c conda-forge "${conda}"`),
          fix("on a machine without a driver (a login node, an image) say first for which CUDA", "export CONDA_OVERRIDE_CUDA=12.4"),
        ]
      : name === "torch"
        ? [torchFix(context, facts.on("windows"))]
        : [fix(`name the package or index of ${name}'s CUDA build outright`)];
  return [
    {
      weight: weights.warned,
      suspects: [
        cpuOnly(name, "a build for the CPU", evidence, "likely", fixes),
        {
          cause: "package-conflict",
          name,
          certainty: "possible",
          message: "so something beside it (a pin, a channel of higher priority, a package like `cpuonly`) leaves only the CPU's build",
          evidence,
          next: [first.found === "conda" ? "conda info; conda list | grep -i 'cpu\\|cuda'" : "pip config list; pip list"],
          fixes: [],
        },
        {
          cause: "upstream-bug",
          name,
          certainty: "possible",
          message: "or the solver, or how its builds are ranked, prefers the CPU's",
          evidence,
          fixes: [],
        },
      ],
    },
  ];
}
