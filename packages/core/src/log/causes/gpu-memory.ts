import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** The GPU's memory is used up. */
export default function memory(facts: Facts): Problem[] {
  const evidence = facts.all("cuda-error").filter(({ code }) => code === 2);
  if (evidence.length === 0) return [];
  return [
    {
      weight: weights.other + 2,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "GPU memory",
          certainty: "certain",
          message: "the GPU has no memory left for this; versions have nothing to do with it",
          evidence,
          next: ["nvidia-smi"],
          fixes: [fix("use a smaller batch or model, or end other programs on the GPU")],
        },
      ],
    },
  ];
}
