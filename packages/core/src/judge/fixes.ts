import type { Examination } from "../ask/examination.ts";
import { rebuildCache } from "../ask/fresh-cache.ts";
import { fixCommandsAt, type Asked } from "../lib/asked.ts";
import type { Finding } from "../model/finding.ts";
import type { Plan, ProposedFix } from "../model/fix.ts";
import type { Judge, Programs } from "../plan/fix.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { simulationOf } from "../plan/again.ts";
import { planFixes } from "../plan/plan.ts";
import { viewOf } from "../resolve/view.ts";
import { overlay } from "../model/overlay.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import type { Judgement } from "./question.ts";

const programsOf = (examination: Examination): Programs => ({
  ldconfig: async (snapshot, folders) => {
    const copy = overlay(snapshot);
    return (await rebuildCache({ ...examination, view: viewOf(copy) }, folders)) ? copy : undefined;
  },
});

/** The facts as they would be after a fix that was proposed for them; undefined where that cannot be told. */
export async function factsAfter(examination: Examination, { check, stack }: Judgement, fix: ProposedFix): Promise<Snapshot | undefined> {
  const { snapshot } = examination.view;
  return simulationOf({ snapshot, check, stack }, fix)?.(snapshot, programsOf(examination));
}

/** Fixes for what is wrong, each proven on a copy of the facts. `named` chooses findings by rule, or by rule and subject. */
export async function findFixes(
  examination: Examination,
  { check, stack }: Judgement,
  /** Asks the same question of changed facts. */
  again: (examination: Examination) => Promise<Judgement | Problem>,
  named?: string,
  asked?: Asked,
): Promise<(Judgement & { plan: Plan }) | Problem> {
  const isMeant = ({ rule, subject, severity }: Finding) =>
    named === undefined ? severity !== "info" : named === rule || named === `${rule}:${subject}` || named === `${rule} ${subject}`;
  const wanted = check.findings.filter(isMeant);
  if (named !== undefined && wanted.length === 0) {
    const there = [...new Set(check.findings.map(({ rule }) => rule))];
    const hint = there.length === 0 ? ": nothing wrong was found" : `; there are ${there.join(", ")}`;
    return problemOf("not-found", `there is no finding \`${named}\` here${hint}`);
  }
  const programs = programsOf(examination);
  const judge: Judge = async (change, given) => {
    const snapshot = await change(given, programs);
    const changed = snapshot && (await again({ ...examination, view: viewOf(snapshot) }));
    // What the question names may be gone with the change: then nothing was proven.
    return snapshot && changed && !("problem" in changed) ? { snapshot, ...changed } : undefined;
  };
  const planned = await planFixes({ snapshot: examination.view.snapshot, check, stack }, judge, wanted);
  const at = (fix: ProposedFix): ProposedFix => ({ ...fix, commands: fixCommandsAt(fix, asked) });
  const plan: Plan = {
    ...planned,
    findings: planned.findings.map((each) => ({ ...each, fixes: each.fixes.map(at) })),
    chosen: planned.chosen.map(at),
  };
  for (const { rule, subject, fixes } of plan.findings) {
    const finding = check.findings.find((each) => each.rule === rule && each.subject === subject);
    if (finding) finding.fixes = fixes;
  }
  return { check, stack, plan };
}
