import type { Cause } from "../model/cause.ts";
import { bySeverity, findingOf, type Affected, type Draft, type Finding, type Severity } from "../model/finding.ts";
import { rules } from "../rules/machine.generated.ts";
import { activities } from "../model/activity.ts";
import { joinFacts, steering, stopFacts } from "./facts.ts";
import { namesOf } from "../model/frameworks.ts";
import type { MachineRule } from "../rules/rule.ts";
import type { Run, Stack, Stop } from "./stack.ts";

type AnyDraft = Draft<Severity, Cause>;

/** Every mismatch in a stack, worst first. The same stack gives the same findings, byte for byte. */
export function diagnose(stack: Stack): Finding[] {
  const findings = new Map<string, Finding>();
  const add = (rule: MachineRule, draft: AnyDraft) => {
    const facts = draft.facts ?? {};
    const made = findingOf(rule, { ...draft, facts: joinFacts(facts, { variables: steering(stack, facts.loads ?? []) }) });
    const key = `${made.rule} ${made.subject}`;
    const known = findings.get(key);
    findings.set(key, known ? merged(known, made) : made);
  };
  for (const run of stack.runs) {
    for (const stop of run.stops) {
      const blamed = blame(stack, stop, run);
      if (blamed)
        add(blamed.rule, { ...blamed.draft, ...milder(stack, stop, run), breaks: [{ framework: stop.program, activity: stop.activity }] });
    }
  }
  for (const rule of rules) for (const draft of rule.finds?.(stack) ?? []) add(rule, draft);
  return [...findings.values()].sort(
    (a, b) =>
      bySeverity(a, b) ||
      certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty) ||
      firstBroken(a) - firstBroken(b) ||
      b.breaks.length - a.breaks.length ||
      (`${a.rule} ${a.subject}` < `${b.rule} ${b.subject}` ? -1 : 1),
  );
}

/** What most people have for the processor is not broken where nothing for its use of a GPU was ever installed; who asks about it means that. */
function milder({ asked }: Stack, { program, activity, failure }: Stop, { programs }: Run): { severity?: "info" | "warning" } {
  const name = programs.find(({ id }) => id === program)?.package?.name;
  // Nobody may ever import it: what does, is told of itself.
  if (!asked && namesOf(program)?.comesAlong && failure.reason === "no-module") return { severity: "warning" };
  const isOptional = name !== undefined && namesOf(program)?.mostlyWithoutGpu?.includes(name) === true;
  const isNotThere = (failure.underlying ?? failure).reason === "not-found";
  return !asked && isOptional && isNotThere && activity !== "import" ? { severity: "info" } : {};
}

const certainties: Finding["certainty"][] = ["certain", "likely", "possible"];

/** What dies at its import comes before what only loses an activity. */
function firstBroken({ breaks, endangers }: Finding): number {
  // What came along with a framework matters where that uses it.
  const broken = breaks.filter(({ framework }) => !namesOf(framework)?.comesAlong);
  const at = (0 < broken.length ? broken : endangers)
    .map(({ activity }) => activities.findIndex((each) => each === activity))
    .filter((index) => 0 <= index);
  return at.length === 0 ? activities.length : Math.min(...at);
}

function blame(stack: Stack, stop: Stop, run: Run): { rule: MachineRule; draft: AnyDraft } | undefined {
  let best: { rule: MachineRule; draft: AnyDraft; specificity: number } | undefined;
  const { program, asks } = whereItEnds(stop, run);
  for (const rule of rules) {
    const found = rule.blames?.(stack, program, asks);
    if (!found || (best && found.specificity <= best.specificity)) continue;
    const { specificity, ...rest } = found;
    const draft = { ...rest, because: [...(rest.because ?? []), ...wayWords(stop)] };
    // What was never watched on a real machine is predicted, not known.
    const certainty = draft.certainty ?? (run.watched && !stop.failure.supposed ? "certain" : "likely");
    best = { rule, draft: { ...draft, certainty, facts: joinFacts(draft.facts ?? {}, stopFacts(run, stop)) }, specificity };
  }
  return best;
}

/** An import that ends at another program's is blamed as that one's own. */
function whereItEnds(stop: Stop, run: Run): { program: Stop; asks: Run } {
  const { through } = stop.failure;
  const { reached = [] } = run;
  if (!through || !reached.some(({ id }) => id === through.program)) return { program: stop, asks: run };
  return { program: { ...stop, program: through.program }, asks: { ...run, programs: [...run.programs, ...reached] } };
}

/** By which files it comes there; of a long way, the last ones. */
function wayWords({ program, failure: { through } }: Stop): string[] {
  if (!through || through.files.length === 0) return [];
  const files = through.files.slice(-3);
  const way = files.length < through.files.length ? ["…", ...files] : files;
  return [`the import of ${program} comes to that of ${through.program}: ${way.join(" → ")}`];
}

// One fault seen from several programs is one finding: the first, worst account of it, and all that it touches.
function merged(known: Finding, other: Finding): Finding {
  const [lead, rest] = bySeverity(other, known) < 0 ? [other, known] : [known, other];
  const breaks = union(known.breaks, other.breaks);
  return {
    ...lead,
    evidence: [...new Set([...lead.evidence, ...rest.evidence])],
    facts: joinFacts(lead.facts, rest.facts),
    breaks,
    endangers: union(known.endangers, other.endangers).filter((each) => !breaks.some((broken) => isSame(each, broken))),
    sources: [...new Set([...lead.sources, ...rest.sources])],
  };
}

const isSame = (a: Affected, b: Affected) => a.framework === b.framework && a.activity === b.activity;

function union(a: Affected[], b: Affected[]): Affected[] {
  return [...a, ...b.filter((each) => !a.some((known) => isSame(each, known)))];
}
