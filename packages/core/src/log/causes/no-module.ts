import { frameworkNames } from "../../model/framework-names.generated.ts";
import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

// Python finds no module: not installed in this environment, or a compiled part that was never built.
const installable = (module_: string) =>
  frameworkNames.some(({ packages, companions = [] }) => [...packages, ...companions].includes(module_));

/** Python finds no module: not installed in this environment, or a compiled part that was never built. */
export default function noModule(facts: Facts): Problem[] {
  const [first, ...others] = facts.notices("no-module");
  if (first?.subject === undefined) return [];
  const compiled = /(?:_cuda|_C|_ext|_ops)$/.test(first.subject);
  return [
    {
      // Below what is known to be harmless: such a line may come from a part that the program does without.
      weight: weights.harmless - 1,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: first.subject,
          certainty: "likely",
          message: compiled
            ? `the compiled part \`${first.subject}\` is not there: it was never built, or its build failed`
            : `the Python that runs has no module \`${first.subject}\`: it is not installed in this environment`,
          evidence: [first, ...others].slice(0, 2),
          next: ["python -m pip list", "which -a python"],
          fixes: [
            compiled
              ? fix("build the package again and read what the build says; it needs the CUDA toolkit")
              : installable(first.subject)
                ? fix("install it with the Python that runs the program", `python -m pip install ${first.subject}`)
                : fix("install it with the Python that runs the program"),
          ],
        },
      ],
    },
  ];
}
