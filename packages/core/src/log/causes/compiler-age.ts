import { compareDotted } from "../../knowledge/dotted.ts";
import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, selectToolkit } from "../fixes.ts";

/** A compiler of a toolkit that is older than a program takes. */
export default function ages(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  for (const fact of facts.all("tool-age")) {
    if (compareDotted(fact.found, fact.minimum) >= 0) {
      problems.push({
        weight: weights.harmless + 1,
        suspects: [
          {
            cause: "benign-warning",
            name: fact.tool,
            certainty: "certain",
            message: `${fact.found} is not older than ${fact.minimum}: the warning compares wrongly, nothing is to be done`,
            evidence: [fact],
          },
        ],
      });
      continue;
    }
    problems.push({
      weight: weights.warned,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: `${fact.tool} ${fact.found}`,
          required: `${fact.tool} ${fact.minimum} or newer`,
          found: fact.found,
          certainty: "certain",
          message:
            fact.tool === "ptxas"
              ? `${fact.tool} ${fact.found} is first on PATH, and is known to compile some kernels wrongly; ${fact.minimum} or newer is needed`
              : `${fact.tool} ${fact.found} is found, and ${fact.minimum} or newer is needed`,
          evidence: [fact],
          next: [fact.tool === "ptxas" ? "which -a ptxas; ptxas --version" : "nvcc --version; conda list | grep -i cuda"],
          fixes: [
            fix("install a newer ptxas alone", "pip install nvidia-cuda-nvcc-cu12"),
            selectToolkit("or put a newer toolkit first", undefined),
          ],
        },
      ],
    });
  }
  const old = facts.notices("ptxas-too-old");
  // What the driver then could not load is the consequence.
  const stopped = [
    ...facts.all("cuda-error").filter(({ code }) => code === 200 || code === 218 || code === 222 || code === 500),
    ...facts.all("error-code").filter(({ name }) => name === "CUDA_ERROR_NOT_FOUND"),
  ];
  if (0 < old.length)
    problems.push({
      weight: 0 < stopped.length ? weights.said + 1 : weights.warned,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: "ptxas",
          required:
            old[0]!.required === undefined ? "a ptxas that knows this GPU" : `a ptxas that knows compute capability ${old[0]!.required}`,
          ...(context.toolkits[0] ? { found: `CUDA ${context.toolkits[0].version}` } : {}),
          certainty: "certain",
          message:
            0 < stopped.length
              ? "ptxas of the toolkit is too old for this GPU; the driver compiled instead, and refused the code"
              : "ptxas of the toolkit is too old for this GPU; the driver compiles instead, more slowly",
          evidence: [...old, ...stopped],
          next: ["which -a ptxas; ptxas --version"],
          fixes: [fix("install a newer toolkit, or its ptxas alone", "pip install nvidia-cuda-nvcc-cu12")],
        },
      ],
    });
  return problems;
}
