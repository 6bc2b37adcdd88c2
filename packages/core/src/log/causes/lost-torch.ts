import { nameOf } from "../../lib/path.ts";
import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** PyTorch divides its libraries differently from release to release; an extension asks for those of the release it was built with. */
export default function lostTorch(facts: Facts): Problem[] {
  const lost = facts.all("not-found").filter(({ name }) => /^lib(?:torch|c10|caffe2)[\w]{0,30}\.so/.test(nameOf(name)));
  if (lost.length === 0) return [];
  const name = nameOf(lost[0]!.name);
  const base = {
    name,
    evidence: lost.slice(0, 3),
    next: ["pip list | grep -i torch"],
    fixes: [fix("install the extension again, built for the PyTorch that is installed")],
  };
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "package-conflict",
          certainty: "likely",
          message: `an extension was built for another release of PyTorch: this one has no \`${name}\``,
        },
        { ...base, cause: "library-not-on-path", certainty: "possible", message: "or PyTorch was not imported before the extension" },
      ],
    },
  ];
}
