import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, togetherLine } from "../fixes.ts";
import { madeForLine } from "../torch-lines.ts";

/** The torchvision that was made for the torch of the text; where that is not known, both anew. */
function pair(facts: Facts, context: Context): ReturnType<typeof fix> {
  const { version } = context.framework("torch");
  const made = version === undefined || version.endsWith("+cpu") ? undefined : madeForLine("torchvision", version, facts);
  return made && (version!.includes("+cu") || !facts.on("windows"))
    ? fix(`install the torchvision that was made for PyTorch ${version}: ${made.version}`, made.line)
    : fix("install both in one step from one index", togetherLine(context, facts.on("windows"), "torch", "torchvision"));
}

/** torch and torchvision that do not belong together. */
export default function otherTorchvision(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  const vision = facts.notices("torchvision-mismatch");
  const [torchTag, visionTag] = ["torch", "torchvision"].map(
    (name) =>
      /\+(cu\d{2,3}|cpu)/.exec(context.packages(new RegExp(`^${name}$`)).find(({ version }) => version.includes("+"))?.version ?? "")?.[1],
  );
  const fixes = [pair(facts, context)];
  const otherTag = torchTag !== undefined && visionTag !== undefined && torchTag !== visionTag;
  if (0 < vision.length)
    problems.push({
      weight: weights.refused,
      suspects: [
        ...(otherTag
          ? [
              {
                cause:
                  visionTag === "cpu" || torchTag === "cpu" ? ("wrong-wheel-cpu-only" as const) : ("wrong-wheel-cuda-version" as const),
                name: "torchvision",
                required: torchTag,
                found: visionTag,
                certainty: "likely" as const,
                message: `torch is built for ${torchTag} and torchvision for ${visionTag}`,
                evidence: vision,
                next: ["pip list | grep torch"],
                fixes,
              },
            ]
          : []),
        {
          cause: "package-conflict",
          name: "torchvision",
          required: "the torchvision of this torch",
          found:
            context
              .packages(/^torch(?:vision)?$/)
              .map(({ name, version }) => `${name} ${version}`)
              .join(", ") || "another",
          certainty: "likely",
          message: "torch and torchvision are of different releases or builds",
          evidence: vision,
          next: ["pip list | grep torch"],
          fixes,
        },
        {
          cause: "wrong-wheel-cuda-version",
          name: "torchvision",
          certainty: "possible",
          message: "or the two are builds for different CUDA releases",
          evidence: vision,
          fixes: [],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "torchvision",
          certainty: "possible",
          message: "or one of the two is a CPU build",
          evidence: vision,
          fixes: [],
        },
      ],
    });
  return problems;
}
