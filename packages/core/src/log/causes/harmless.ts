import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";

/** Alarms that are none. */
export default function harmless(facts: Facts): Problem[] {
  const tensorrt = facts.all("not-found").filter(({ name, by }) => by === "tensorflow" && /nvinfer/.test(name));
  const noise = facts.all("noise");
  if (noise.length === 0 && tensorrt.length === 0) return [];
  const reasons = [
    ...new Set([
      ...noise.map(({ reason }) => reason),
      ...(0 < tensorrt.length ? ["TensorFlow looks for TensorRT, which nearly nobody needs, and says when it is not there"] : []),
    ]),
  ];
  return [
    {
      weight: weights.harmless,
      suspects: [
        {
          cause: "benign-warning",
          certainty: "likely",
          message: `harmless: ${reasons[0]}`,
          because: reasons,
          evidence: [...noise, ...tensorrt].slice(0, 5),
          next: [],
          fixes: [],
        },
      ],
    },
  ];
}
