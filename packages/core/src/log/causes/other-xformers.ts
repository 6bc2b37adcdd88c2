import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, togetherLine } from "../fixes.ts";

/** xFormers holds code for one release and build of PyTorch, and goes on without it beside another. */
export default function extensionOfOtherTorch(facts: Facts, context: Context): Problem[] {
  const fact = facts.notices("xformers-other-torch").find(({ required, found }) => required !== found);
  if (!fact) return [];
  const [wanted = "", wantedBuild] = fact.required!.split("+");
  const [has = "", hasBuild] = fact.found!.split("+");
  const base = {
    name: "xformers",
    required: `PyTorch ${fact.required}`,
    found: `PyTorch ${fact.found}`,
    evidence: [fact],
    next: ["python -m xformers.info"],
  };
  const match = fix(
    "install both in one step from one index, so that they fit",
    togetherLine(context, facts.on("windows"), "torch", "xformers"),
  );
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    certainty: "likely",
    message: `xFormers was built for PyTorch ${fact.required}, and PyTorch ${fact.found} is installed`,
    fixes: [match],
  };
  const cuda: Suspect = {
    ...base,
    cause: "wrong-wheel-cuda-version",
    certainty: wanted === has ? "certain" : "likely",
    message: `xFormers was built for a PyTorch with ${wantedBuild}, and one with ${hasBuild} is installed`,
    fixes: [match],
  };
  const cpu: Suspect = {
    ...base,
    name: "torch",
    cause: "wrong-wheel-cpu-only",
    certainty: "certain",
    message: `PyTorch ${fact.found} was built without CUDA, and xFormers wants ${fact.required}`,
    fixes: [match],
  };
  const suspects =
    hasBuild === "cpu"
      ? [cpu, conflict]
      : wantedBuild !== undefined && hasBuild !== undefined && wantedBuild !== hasBuild
        ? [cuda, conflict]
        : [conflict, { ...cuda, certainty: "possible" as const, message: "or the two are builds for different CUDA releases" }];
  return [{ weight: weights.warned, suspects }];
}
