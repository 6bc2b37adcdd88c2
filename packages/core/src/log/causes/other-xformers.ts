import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, togetherLine } from "../fixes.ts";
import { exactTorchLine, madeForLine } from "../torch-lines.ts";

/** xFormers holds code for one release and build of PyTorch, and goes on without it beside another. */
export default function extensionOfOtherTorch(facts: Facts, context: Context): Problem[] {
  const fact = facts.notices("xformers-other-torch").find(({ required, found }) => required !== found);
  if (!fact) return [];
  const [wanted = "", wantedBuild] = fact.required!.split("+");
  const [has = "", hasBuild] = fact.found!.split("+");
  const base = {
    name: "xformers",
    required: `PyTorch ${fact.required}, or an xFormers for PyTorch ${fact.found}`,
    found: `PyTorch ${fact.found}`,
    evidence: [fact],
    next: ["python -m xformers.info"],
  };
  const fixes = broughtTogether(fact, facts, context);
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    certainty: "likely",
    message: `xFormers was built for PyTorch ${fact.required}, and PyTorch ${fact.found} is installed`,
    fixes,
  };
  const cuda: Suspect = {
    ...base,
    cause: "wrong-wheel-cuda-version",
    certainty: wanted === has ? "certain" : "likely",
    message: `xFormers was built for a PyTorch with ${wantedBuild}, and one with ${hasBuild} is installed`,
    fixes,
  };
  const cpu: Suspect = {
    ...base,
    name: "torch",
    cause: "wrong-wheel-cpu-only",
    certainty: "certain",
    message: `PyTorch ${fact.found} was built without CUDA, and xFormers wants ${fact.required}`,
    fixes,
  };
  const suspects =
    hasBuild === "cpu"
      ? [cpu, conflict]
      : wantedBuild !== undefined && hasBuild !== undefined && wantedBuild !== hasBuild
        ? [cuda, conflict]
        : [conflict, { ...cuda, certainty: "possible" as const, message: "or the two are builds for different CUDA releases" }];
  return [{ weight: weights.warned, suspects }];
}

const isBuild = (version: string | undefined) => /\+(?:cu\d|cpu)/.test(version ?? "");

/** The xFormers for this PyTorch, which leaves all else as it is; or the PyTorch for this xFormers; both anew only where neither is known. */
function broughtTogether({ required, found, at }: Fact<"notice">, facts: Facts, context: Context): NonNullable<Suspect["fixes"]> {
  const made = found!.endsWith("+cpu") ? undefined : madeForLine("xformers", found!, facts);
  const torch = exactTorchLine(required!, facts);
  // Where pip lists another PyTorch than the program has, it is not the pip of the program.
  const listed = context
    .framework("torch")
    .facts.find((each) => isBuild(each.version) && each.version !== found && at.line !== each.at.line);
  const whose = listed ? ` (with the pip of the Python that prints this: the one that lists torch ${listed.version} is another)` : "";
  const fixes = [
    ...(made ? [fix(`install the xFormers that was made for PyTorch ${found}${whose}`, made.line)] : []),
    ...(torch === undefined ? [] : [fix(`${made ? "or" : `install`} the PyTorch that this xFormers was built for`, torch)]),
  ];
  if (0 < fixes.length) return fixes;
  return [
    fix("install both in one step from one index, so that they fit", togetherLine(context, facts.on("windows"), "torch", "xformers")),
  ];
}
