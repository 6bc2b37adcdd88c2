// One experiment on a machine's facts, as the page shows it.
import { openTarget } from "../../../core/src/ask/examination.ts";
import { checkTarget, fixTarget, unknownGpu } from "../../../core/src/culprit.ts";
import { factsAfter } from "../../../core/src/judge/part.ts";
import type { ProposedFix } from "../../../core/src/model/fix.ts";
import { acceptFindings } from "../../../core/src/diagnose/accept.ts";
import { cpuNamed } from "../../../core/src/collect/cpu.ts";
import type { Judgement } from "../../../core/src/judge/question.ts";
import { isDriverVersion, notADriver } from "../../../core/src/lib/driver-version.ts";
import { gpuHint } from "../../../core/src/lib/gpu-hint.ts";
import { folderOf, nameOf } from "../../../core/src/lib/path.ts";
import type { Load } from "../../../core/src/model/loads.ts";
import { problemOf, type Problem } from "../../../core/src/model/problem.ts";
import type { RuleDescription } from "../../../core/src/model/rule.ts";
import type { Snapshot } from "../../../core/src/model/snapshot.ts";
import { withFile, withoutFile } from "../../../core/src/plan/simulate.ts";
import { headline } from "../../../core/src/report/headline.ts";
import { checkPieces } from "../../../core/src/report/part.ts";
import { whatIfOf, type Experiment } from "./experiment.ts";
import type { Answer, LoadedLibrary, Made } from "./messages.ts";

export interface Answered {
  answer: Answer;
  /** The sections below what is wrong. */
  rest: () => string[];
  judged: Judgement;
}

export async function answerTo(
  facts: Snapshot,
  made: Made,
  rules: RuleDescription[],
  experiment: Experiment,
  /** How it is judged: with fixes, where there is time for them. */
  check: (...given: Parameters<typeof checkTarget>) => Promise<Judgement | Problem> = checkTarget,
): Promise<Answered | Problem> {
  const begun = performance.now();
  const judged = await judge(facts, made, experiment, check);
  if ("problem" in judged) return judged;
  const { stack } = judged;
  const { check: accepted } = acceptFindings(judged.check, made.accepted);
  const { verdict, findings: wrong, rest } = checkPieces({ check: accepted, stack, asked: made.asked }, rules);
  const findings = accepted.findings
    .filter(({ severity }) => severity !== "info")
    .map((finding) => ({ key: `${finding.rule} ${finding.subject}`, severity: finding.severity, headline: headline(finding) }));
  return {
    judged,
    rest,
    answer: {
      status: accepted.status,
      findings,
      loads: loadsIn(stack),
      verdict,
      wrong,
      variables: stack.variables,
      took: performance.now() - begun,
    },
  };
}

async function judge(facts: Snapshot, made: Made, experiment: Experiment, check: typeof checkTarget): Promise<Judgement | Problem> {
  const stranger = await strangerIn(experiment);
  if (stranger) return stranger;
  const fixed = await afterFixes(facts, made, experiment.fixes ?? []);
  if ("problem" in fixed) return fixed;
  // A fix may have brought it, or taken it away already.
  const isThere = (file: string) => [facts, fixed].some(({ files }) => (files[file]?.kind ?? "absent") !== "absent");
  const missing = [...(experiment.removed ?? []), ...Object.entries(experiment.swapped ?? {}).flat()].find((file) => !isThere(file));
  if (missing !== undefined) return problemOf("not-found", `there is no \`${missing}\` among the facts`);
  const without = withSwapped(
    (experiment.removed ?? []).reduce((snapshot, file) => withoutFile(snapshot, file), fixed),
    experiment.swapped ?? {},
  );
  const cpu = experiment.cpu === undefined ? undefined : cpuNamed(experiment.cpu);
  if (cpu && "problem" in cpu) return cpu;
  const whatIf = { ...whatIfOf(experiment), ...(cpu ? { cpu } : {}) };
  const examination = await openTarget(without, whatIf);
  return check(examination, { ...made.question, asked: made.asked });
}

/** A driver or a GPU that means nothing: told as the command tells it, since whatever were answered would be about something else. */
async function strangerIn({ driver, gpus = [] }: Experiment): Promise<Problem | undefined> {
  if (driver !== undefined && !isDriverVersion(driver)) return problemOf("bad-question", `\`${driver}\` ${notADriver(driver)}`);
  for (const gpu of gpus) {
    const stranger = await unknownGpu(gpu);
    if (stranger) return problemOf("not-known", `the GPU \`${gpu}\` is not known${gpuHint(stranger.likely)}`);
  }
  return undefined;
}

/** The contents of one file, as facts, at the place of another. */
function withSwapped(facts: Snapshot, swapped: NonNullable<Experiment["swapped"]>): Snapshot {
  return Object.entries(swapped).reduce((snapshot, [file, other]) => {
    const fact = facts.files[other];
    return fact ? withFile(snapshot, file, fact) : snapshot;
  }, facts);
}

/** What can be done about the machine as it is: proven once, since an experiment may ask for it again and again. */
const proposals = new WeakMap<Snapshot, Promise<Judgement | Problem>>();

export async function proposed(facts: Snapshot, made: Made): Promise<Judgement | Problem> {
  const known =
    proposals.get(facts) ?? openTarget(facts).then(async (examination) => fixTarget(examination, { ...made.question, asked: made.asked }));
  proposals.set(facts, known);
  return known;
}

async function afterFixes(facts: Snapshot, made: Made, keys: string[]): Promise<Snapshot | Problem> {
  if (keys.length === 0) return facts;
  const judged = await proposed(facts, made);
  if ("problem" in judged) return judged;
  let changed = facts;
  for (const key of keys) {
    const [, identity, number] = /^(.*)#(\d+)$/s.exec(key) ?? [];
    const finding = judged.check.findings.find(({ rule, subject }) => `${rule} ${subject}` === identity);
    const fix = finding?.fixes[Number(number)] as ProposedFix | undefined;
    const after = fix && (await factsAfter(await openTarget(changed), judged, fix));
    if (!after) return problemOf("not-found", `there is no fix \`${key}\` that can be tried out here`);
    changed = after;
  }
  return changed;
}

/** GPU libraries only: of hundreds of others nobody asks. */
function loadsIn({ runs }: Judgement["stack"]): Answer["loads"] {
  return Object.fromEntries(
    runs.map(({ programs, environment, loads }) => {
      const name = programs.map(({ id, package: found }) => `${nameOf(id)} ${found?.version ?? ""}`.trim()).join(" with ");
      return [`${name}${environment ? ` in ${environment.prefix}` : ""}`, librariesIn(loads.loads)];
    }),
  );
}

function librariesIn(loads: Load[]): { [library: string]: LoadedLibrary } {
  const libraries: { [library: string]: LoadedLibrary } = {};
  for (const { library, name, file, version, unmapped, via, requestedBy } of loads) {
    if (library === undefined || unmapped) continue;
    const known = (libraries[library] ??= { folders: [], versions: [], files: {} });
    known.files[nameOf(name)] ??= { folder: folderOf(file), via, by: nameOf(requestedBy) };
    known.folders = [...new Set([...known.folders, folderOf(file)])].sort();
    if (version !== undefined) known.versions = [...new Set([...known.versions, version])].sort();
  }
  return libraries;
}
