import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

const distributions: { [id: string]: string } = { jax: "jax[cuda12]", tensorflow: "tensorflow[and-cuda]", onnxruntime: "onnxruntime-gpu" };

/** Two frameworks are to live in one environment, and want two releases of a library. */
export default function frameworksApart(facts: Facts, _context: Context): Problem[] {
  const evidence = facts.notices("frameworks-apart");
  if (evidence.length === 0 || facts.has("conflict") || 0 < facts.notices("pip-conflict", "uv-conflict", "conda-conflict").length)
    return [];
  const [{ subject = "", found } = { subject: "" }] = evidence;
  const ids = subject.split(" ");
  const what = found === undefined ? "CUDA libraries" : found === "cudnn" ? "cuDNN" : `lib${found}`;
  const base = {
    name: found === undefined ? "packages" : `lib${found}.so`,
    ...(found === undefined ? {} : { library: found }),
    required: `one ${what} that serves ${ids.join(" and ")}`,
    evidence,
    next: ["pip check", "pip list | grep -i nvidia"],
  };
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    certainty: "likely",
    message: `${ids.join(" and ")} ask for different releases of ${what}, and one environment has room for one`,
    fixes: [
      fix("ask which releases of both can live together", `culprit solve ${ids.join(" ")}`),
      fix(
        "or install both in one step, so that pip looks for releases that agree",
        `pip install ${ids.map((id) => `"${distributions[id] ?? id}"`).join(" ")}`,
      ),
      fix("or give each an environment of its own"),
    ],
  };
  return [
    {
      weight: weights.hint,
      suspects: [
        conflict,
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: `or both are installed, and the one that comes second gets the ${what} of the other`,
          fixes: [],
        },
      ],
    },
  ];
}
