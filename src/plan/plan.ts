import type { Finding } from "../model/check.ts";
import type { Plan } from "../model/fix.ts";
import { combine } from "./combine.ts";
import type { Judge, Situation } from "./fix.ts";
import { identityOf, optionsFor, optionsOf } from "./options.ts";

/** Cures for findings, each proven on a copy of the facts: the finding is gone, and no other came; and one choice for all of them. */
export async function planFixes(now: Situation, judge: Judge, wanted: Finding[]): Promise<Plan> {
  const options = await optionsFor(now, wanted, judge);
  const findings = wanted.map((finding): Plan["findings"][number] => {
    const { rule, subject, severity, message } = finding;
    const shown = optionsOf(options, identityOf(finding)).map(({ fix }) => fix);
    // Advice in words is for where no kind of fix speaks, or only one for the whole machine that is not proven: it may know something milder.
    const isSpoken = shown.some(({ fix, reach, proof }) => fix !== "by-hand" && (reach !== "machine" || 0 < proof.removes.length));
    return { rule, subject, severity, message, fixes: shown.filter(({ fix }) => !isSpoken || fix !== "by-hand") };
  });
  return { schema: "culprit/fix@1", findings, ...(await combine(now, judge, wanted, options)) };
}
