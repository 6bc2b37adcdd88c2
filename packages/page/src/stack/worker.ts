// The engine beside the page: it holds the facts, and answers one experiment after the other.
import { openTarget } from "../../../core/src/ask/examination.ts";
import { checkTarget } from "../../../core/src/culprit.ts";
import { acceptFindings } from "../../../core/src/diagnose/accept.ts";
import { cpuNamed } from "../../../core/src/collect/cpu.ts";
import { describeRules } from "../../../core/src/judge/part.ts";
import type { Judgement } from "../../../core/src/judge/question.ts";
import { folderOf, nameOf } from "../../../core/src/lib/path.ts";
import type { Load } from "../../../core/src/model/loads.ts";
import type { Problem } from "../../../core/src/model/problem.ts";
import type { RuleDescription } from "../../../core/src/model/rule.ts";
import type { Snapshot } from "../../../core/src/model/snapshot.ts";
import { withoutFile } from "../../../core/src/plan/simulate.ts";
import { headline } from "../../../core/src/report/headline.ts";
import { checkPieces } from "../../../core/src/report/part.ts";
import { whatIfOf, type Experiment } from "./experiment.ts";
import type { Answer, FromWorker, LoadedLibrary, Made, ToWorker } from "./messages.ts";

let facts: Snapshot;
let made: Made;
let rules: RuleDescription[];

const answerMessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "begin") {
    facts = JSON.parse(data.facts) as Snapshot;
    made = data.made;
    rules = describeRules();
    return;
  }
  const { id, experiment } = data;
  try {
    const answer = await answerTo(experiment);
    send("problem" in answer ? { kind: "problem", id, words: answer.problem } : { kind: "answer", id, answer });
  } catch (error) {
    send({ kind: "problem", id, words: `this cannot be answered: ${error instanceof Error ? error.message : String(error)}` });
  }
};

globalThis.addEventListener("message", (event: MessageEvent<ToWorker>) => void answerMessage(event));

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one listener, the page that made it
const send = (message: FromWorker) => globalThis.postMessage(message);

async function answerTo(experiment: Experiment): Promise<Answer | Problem> {
  const begun = performance.now();
  const judged = await judge(experiment);
  if ("problem" in judged) return judged;
  const { stack } = judged;
  const { check } = acceptFindings(judged.check, made.accepted);
  const { verdict, answer } = checkPieces({ check, stack, asked: made.asked }, rules);
  const findings = check.findings
    .filter(({ severity }) => severity !== "info")
    .map((finding) => ({ key: `${finding.rule} ${finding.subject}`, severity: finding.severity, headline: headline(finding) }));
  return {
    status: check.status,
    findings,
    loads: loadsIn(stack),
    verdict,
    answer,
    variables: stack.variables,
    took: performance.now() - begun,
  };
}

async function judge(experiment: Experiment): Promise<Judgement | Problem> {
  const without = (experiment.removed ?? []).reduce((snapshot, file) => withoutFile(snapshot, file), facts);
  const cpu = experiment.cpu === undefined ? undefined : cpuNamed(experiment.cpu);
  if (cpu && "problem" in cpu) return cpu;
  const whatIf = { ...whatIfOf(experiment), ...(cpu ? { cpu } : {}) };
  const examination = await openTarget(without, whatIf);
  return checkTarget(examination, { ...made.question, asked: made.asked });
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
  for (const { library, file, version, unmapped } of loads) {
    if (library === undefined || unmapped) continue;
    const known = (libraries[library] ??= { folders: [], versions: [] });
    known.folders = [...new Set([...known.folders, folderOf(file)])].sort();
    if (version !== undefined) known.versions = [...new Set([...known.versions, version])].sort();
  }
  return libraries;
}
