// A fix that was proposed, tried out once more: what it does to the facts is found again by what it is.
import type { ProposedFix } from "../model/fix.ts";
import type { Simulate, Situation } from "./fix.ts";
import { fixes } from "./fixes/index.generated.ts";

export function simulationOf({ check, stack, snapshot }: Situation, fix: ProposedFix): Simulate | undefined {
  const key = keyOf(fix);
  const kind = fixes.find(({ id }) => id === fix.fix);
  for (const finding of kind ? check.findings : [])
    for (const candidate of kind!.proposes(stack, finding, snapshot)) if (keyOf(candidate) === key) return candidate.simulate;
  return undefined;
}

const keyOf = ({
  title,
  reach,
  steps,
  variables = [],
  changes,
}: Pick<ProposedFix, "title" | "reach" | "steps" | "variables" | "changes">) => JSON.stringify([title, reach, steps, variables, changes]);
