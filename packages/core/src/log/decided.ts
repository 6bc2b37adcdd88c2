import type { Problem, Suspect } from "./cause.ts";
import type { Facts } from "./fact.ts";

/** A setting that somebody pasted, and the cause for which, or against which, it speaks where a message leaves several open. */
const rows: { name: string; value: string; cause: Suspect["cause"]; speaks: "for" | "against" }[] = [
  { name: "RmProfilingAdminOnly", value: "1", cause: "profiler-permission", speaks: "for" },
  { name: "RmProfilingAdminOnly", value: "0", cause: "profiler-permission", speaks: "against" },
];

/** A problem with its suspects in the order that the settings of the text give them. */
export function decided({ suspects: all, ...problem }: Problem, facts: Facts): Problem {
  let suspects = all;
  for (const { name, value, cause, speaks } of rows) {
    const fact = facts.all("variable").find((each) => each.name === name && each.value === value);
    const named = suspects.find((each) => each.cause === cause);
    if (!fact || !named || suspects.length < 2) continue;
    const others = suspects.filter((each) => each !== named);
    const certainty = named.certainty === "possible" ? "likely" : named.certainty;
    suspects = speaks === "against" ? others : [{ ...named, certainty, evidence: [...named.evidence, fact] }, ...others];
  }
  return { ...problem, suspects };
}
