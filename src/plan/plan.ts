import { reaches, type Plan, type ProposedFix } from "../model/fix.ts";
import type { Check, Finding } from "../model/check.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Stack } from "../diagnose/stack.ts";
import { fixes } from "./fixes/index.generated.ts";

/** Judges a changed snapshot with the same question. */
export type Judge = (snapshot: Snapshot) => Promise<Check>;

export const identityOf = ({ rule, subject }: Pick<Finding, "rule" | "subject">) => `${rule} ${subject}`;

/** Cures for findings, each proven on a copy of the facts: the finding is gone, and no other came. */
export async function planFixes(snapshot: Snapshot, check: Check, stack: Stack, judge: Judge, wanted: Finding[]): Promise<Plan> {
  const before = new Set(check.findings.map(identityOf));
  const plan: Plan = { schema: "culprit/fix@1", findings: [], chosen: [] };
  // Fixes that do the same to the facts are judged once.
  const judged = new Map<string, { removes: string[]; adds: string[] }>();
  for (const finding of wanted) {
    const proven: ProposedFix[] = [];
    for (const kind of fixes) {
      for (const { simulate, ...candidate } of kind.proposes(stack, finding, snapshot)) {
        const key = `${kind.id} ${candidate.title}`;
        let proof = judged.get(key);
        if (!proof && simulate) {
          const after = await judge(simulate(snapshot));
          const found = new Map(after.findings.map((each) => [identityOf(each), each]));
          proof = {
            removes: [...before].filter((each) => !found.has(each)),
            adds: [...found].filter(([each, { severity }]) => !before.has(each) && severity !== "info").map(([each]) => each),
          };
          judged.set(key, proof);
        }
        const isProven = proof !== undefined && proof.removes.includes(identityOf(finding)) && proof.adds.length === 0;
        // What was tried out and does not help is not shown either.
        if (!isProven && (proof !== undefined || candidate.safety !== "display-only")) continue;
        proven.push({ fix: kind.id, ...candidate, proof: proof ?? { removes: [], adds: [] }, cures: proof?.removes ?? [] });
      }
    }
    proven.sort(
      (a, b) =>
        Number(a.safety === "display-only") - Number(b.safety === "display-only") || reaches.indexOf(a.reach) - reaches.indexOf(b.reach),
    );
    const { rule, subject, severity, message } = finding;
    // Advice in words is for where no kind of fix speaks, or only one for the whole machine that is not proven: it may know something milder.
    const isSpoken = proven.some(({ fix, reach, proof }) => fix !== "by-hand" && (reach !== "machine" || 0 < proof.removes.length));
    plan.findings.push({ rule, subject, severity, message, fixes: proven.filter(({ fix }) => !isSpoken || fix !== "by-hand") });
  }
  plan.chosen = choose(plan);
  return plan;
}

// The least invasive fix that lasts: what holds for one command or this shell only, nobody can apply for the user.
function choose({ findings }: Plan): ProposedFix[] {
  const chosen: ProposedFix[] = [];
  const cured = new Set<string>();
  const changed = new Set<string>();
  for (const finding of findings) {
    if (cured.has(identityOf(finding))) continue;
    const fix = finding.fixes.find(
      (each) => 0 < each.steps.length && each.safety === "safe" && !each.changes.some((change) => changed.has(change)),
    );
    if (!fix) continue;
    chosen.push(fix);
    for (const each of fix.cures) cured.add(each);
    for (const each of fix.changes) changed.add(each);
  }
  return chosen;
}
