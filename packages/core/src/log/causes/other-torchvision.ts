import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, togetherLine } from "../fixes.ts";

/** torch and torchvision that do not belong together. */
export default function otherTorchvision(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  const vision = facts.notices("torchvision-mismatch");
  const [torchTag, visionTag] = ["torch", "torchvision"].map(
    (name) =>
      /\+(cu\d{2,3}|cpu)/.exec(context.packages(new RegExp(`^${name}$`)).find(({ version }) => version.includes("+"))?.version ?? "")?.[1],
  );
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
                fixes: [fix("install both in one step from one index", togetherLine(context, facts.on("windows"), "torch", "torchvision"))],
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
          fixes: [fix("install both in one step from one index", togetherLine(context, facts.on("windows"), "torch", "torchvision"))],
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
