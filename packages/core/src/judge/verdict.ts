// What a check says: findings, what was judged, and what could not be.
import { adviceAt } from "../lib/asked.ts";
import { readinessOf } from "../diagnose/readiness.ts";
import type { Program, Run, Stack } from "../diagnose/stack.ts";
import { knowledgeDay } from "../knowledge/settled.ts";
import { statusOf, type Check } from "../model/check.ts";
import type { Finding } from "../model/finding.ts";
import type { UnknownThing } from "../model/unknown.ts";
import { rules } from "../rules/machine.generated.ts";
import type { Unseen } from "../survey/unseen.ts";
import type { Judgement } from "./question.ts";
import type { Surveyed } from "./survey.ts";

export function verdictOn(surveyed: Surveyed, stack: Stack, unseen: Unseen[], diagnosed: Finding[]): Judgement {
  const { snapshot } = surveyed.given.view;
  const seen = snapshot.target.kind === "image" ? diagnosed : diagnosed.filter((finding) => !isAbsenceUnseen(finding, stack.runs, unseen));
  const findings = seen.map((finding) => ({ ...finding, advice: finding.advice.map((each) => adviceAt(each, surveyed.asked)) }));
  const readiness = readinessOf(stack, findings);
  const judged = judgedIn(stack.runs, findings);
  const unknown = unknownIn(surveyed, stack.runs, unseen);
  const check: Check = {
    schema: "culprit/check@2",
    knowledge: knowledgeDay(),
    target: snapshot.target,
    ...(snapshot.assumed ? { assumed: snapshot.assumed } : {}),
    status: statusOf({ findings, unknown, judged }),
    judged,
    ...(readiness.length === 0 ? {} : { readiness }),
    unknown,
    findings,
    accepted: [],
  };
  return { check, stack };
}

function unknownIn(surveyed: Surveyed, runs: Run[], unseen: Unseen[]): UnknownThing[] {
  const { given, unknown: before } = surveyed;
  const unknown = [...before, ...runs.flatMap((run) => notModelled(surveyed, run))];
  for (const run of runs)
    for (const each of run.loads.unknown) if (!unknown.some(({ subject }) => subject === each.subject)) unknown.push(each);
  // Most of what was met on the way no verdict rests on, such as a line of a .pth file that would run.
  const met = given.view.snapshot.unknown.map(({ decides, ...each }): UnknownThing => ({
    ...each,
    kind: "file",
    ...(decides ? {} : { aside: true }),
  }));
  return [
    ...[...met, ...unknown].filter(({ subject }) => !unseen.some((each) => each.subject === subject)),
    ...unseen.map(({ subject, reason, isNeeded }): UnknownThing => ({
      subject,
      kind: "file",
      reason,
      ...(isNeeded ? {} : { aside: true }),
    })),
  ];
}

/** What a program was asked to do, and no model of the process says anything about. */
function notModelled({ programs: asked, askedActivities }: Surveyed, { programs, running, stops }: Run): UnknownThing[] {
  if (asked.length === 0 || running || 0 < stops.length || programs.some(({ cpuOnly, isPackage }) => cpuOnly !== undefined || isPackage))
    return [];
  const left = askedActivities.filter((activity) => programs.every(({ does }) => does !== undefined && !does.includes(activity)));
  const [first] = programs;
  if (!first || left.length === 0) return [];
  const subject = first.package ? `${first.id} ${first.package.version}` : first.id;
  return [{ subject, kind: "package", reason: `what it loads at ${left.join(", ")} is not modelled` }];
}

function judgedIn(runs: Run[], findings: Finding[]): Check["judged"] {
  // What would fail and is only a note, as most people never do it: nobody may take it for working.
  const noted = findings.filter(({ severity }) => severity === "info").flatMap(({ breaks }) => breaks);
  const isNoted = ({ id }: Program, activity: string) => noted.some((each) => each.framework === id && each.activity === activity);
  return runs
    .filter(({ running }) => !running)
    .flatMap((run, process) =>
      run.programs.map((program) => ({
        program: program.id,
        ...(program.package ? { version: program.package.version } : {}),
        ...(run.environment ? { environment: run.environment.prefix } : {}),
        activities: activitiesOf(program, run).filter((activity) => !isNoted(program, activity)),
        ...(program.cpuOnly === undefined ? {} : { cpuOnly: true as const }),
        ...(run.programs.length === 1 ? {} : { process }),
      })),
    );
}

function activitiesOf({ does, cpuOnly, isPackage }: Program, { activities: done, stops }: Run): string[] {
  // Where a file of a package without a model cannot be opened, nobody knows whether its import comes to that.
  if (isPackage && 0 < stops.length) return [...new Set(stops.map(({ activity }) => activity))];
  // Of a build without CUDA nothing but its import says anything about the GPU's libraries.
  return done.filter((activity) => (does ?? done).includes(activity) && (cpuOnly === undefined || activity === "import"));
}

const absences = new Set(rules.flatMap(({ id, absence }) => (absence ? [id] : [])));

/** Whether a finding says that something is absent where not everything could be seen. */
function isAbsenceUnseen({ rule, breaks, endangers }: Finding, runs: Run[], unseen: Unseen[]): boolean {
  const isBlind = (program: string) =>
    runs
      .filter(({ programs }) => programs.some(({ id }) => id === program))
      .every(({ environment }) => environment && unseen.some((each) => each.environments.includes(environment)));
  const affected = [...breaks, ...endangers].map(({ framework }) => framework);
  return absences.has(rule) && 0 < affected.length && affected.every(isBlind);
}
