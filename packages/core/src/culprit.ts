// The whole program on one page. Every command enters here:
//
//   open a target → survey it → run its programs on paper → diagnose → plan
//
// A question is asked of an examination: the facts so far, and the means to get more (`ask/`). Whatever is large is loaded when
// it is needed (`parts.ts`). Nothing here touches a machine: targets do, and they come from outside.
import { openTarget, type Examination, type WhatIf } from "./ask/examination.ts";
import type { FrameworkRun } from "./ask/frameworks.ts";
import { loadsOfEach } from "./ask/loads.ts";
import { copiesWithoutExports, listSearchFolders, systemObjects } from "./ask/objects.ts";
import { settle } from "./ask/settle.ts";
import type { ModuleRequest } from "./ask/modules.ts";
import type { SolveRequest } from "./ask/solve.ts";
import { withVersions } from "./ask/versions.ts";
import type { DependencyFileRequest, DependencyFileCheck } from "./dependency-files/judge.ts";
import type { ChangedJudgement } from "./judge/changes.ts";
import type { Judgement, Question } from "./judge/question.ts";
import type { InShells } from "./judge/shells.ts";
import { libraryOf } from "./knowledge/libraries.ts";
import type { Brought } from "./knowledge/part.ts";
import type { GivenMachine } from "./model/explain.ts";
import type { Changes } from "./model/changes.ts";
import type { Check } from "./model/check.ts";
import type { DependencyFileFormat } from "./model/dependency-file.ts";
import type { Difference } from "./model/diff.ts";
import type { Explanation } from "./model/explain.ts";
import type { Plan } from "./model/fix.ts";
import type { Inventory } from "./model/inventory.ts";
import type { Loads } from "./model/loads.ts";
import type { RuleDescription } from "./model/rule.ts";
import type { Assumed, Snapshot } from "./model/snapshot.ts";
import type { Solution } from "./model/solve.ts";
import type { ByteSelector, Target } from "./model/target.ts";
import type { Why } from "./model/why.ts";
import { problemOf, type Problem } from "./model/problem.ts";
import { parts } from "./parts.ts";
import type { Live } from "./report/check-html.ts";
import type { Drop } from "./report/drop-page.ts";
import type { Reported } from "./report/part.ts";
import { loadsOf } from "./resolve/loads.ts";
import { tellUnseen } from "./resolve/unseen.ts";
import { viewOf } from "./resolve/view.ts";
import { whyOf } from "./resolve/why.ts";
import { parseSnapshot } from "./snapshot/parse.ts";
import type { PrivateNames } from "./snapshot/redact.ts";

/** As if environment modules were loaded: by name, by file, or by what `module show` prints. */
export const withModules = async (examination: Examination, requests: ModuleRequest[]): Promise<Examination | Problem> =>
  (await parts.ask()).withModules(examination, requests);

// ── check, fix, diff ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every mismatch in the GPU stack of a target, with what the findings rest on; where it makes a difference, in a login shell, too. */
export async function checkTarget(examination: Examination, question: Question): Promise<Judgement | Problem> {
  const answer = await inShells(examination, question);
  return "problem" in answer ? answer : answer.judgement;
}

const inShells = async (examination: Examination, question: Question): Promise<InShells | Problem> =>
  (await parts.judge()).inShells(examination, question.shell, async (each) => checkOnce(each, question));

async function checkOnce(examination: Examination, question: Question): Promise<Judgement | Problem> {
  const { survey, runPrograms, stackOf, diagnose, verdictOn } = await parts.judge();
  const surveyed = await survey(examination, question);
  const runs = await runPrograms(surveyed);
  if ("problem" in runs) return runs;
  const { stack, unseen } = await stackOf(surveyed, runs);
  return verdictOn(surveyed, stack, unseen, diagnose(stack));
}

/** The same in one step; a question that cannot be answered is thrown. */
export async function checkStack(target: Target | Snapshot, whatIf: WhatIf = {}, question: Partial<Question> = {}): Promise<Check> {
  const judged = await checkTarget(await openTarget(target, whatIf), { programs: [], activities: [], python: [], ...question });
  if ("problem" in judged) throw new Error(judged.problem);
  return judged.check;
}

/** The same after packages were installed and things taken away, and what that would change; nothing is done for real. */
export async function checkChanges(examination: Examination, question: Question, changes: Changes): Promise<ChangedJudgement | Problem> {
  const { checkChanged } = await parts.judge();
  return checkChanged(
    examination,
    question,
    changes,
    async (each) => checkTarget(each, question),
    async (request) => {
      const answer = await checkDependencyFile({ ...request, read: async () => problemOf("not-found", "is not there") });
      return "problem" in answer ? answer : answer.check;
    },
  );
}

/** What is wrong with the words of changes, in one sentence. */
export async function problemOfChanges(changes: Changes): Promise<string | undefined> {
  const wanted = (await parts.judge()).wantedOf(changes);
  return "problem" in wanted ? wanted.problem : undefined;
}

/** What is wrong, and fixes for it, each proven on a copy of the facts. `named` chooses findings by rule, or by rule and subject. */
export async function fixTarget(
  examination: Examination,
  question: Question,
  named?: string,
): Promise<(Judgement & { plan: Plan }) | Problem> {
  const judged = await inShells(examination, question);
  if ("problem" in judged) return judged;
  const { findFixes } = await parts.judge();
  // What a change does to start-up files, its proof does to variables: the shell is chosen by now.
  const { examination: chosen, stack } = judged.planned ?? { examination: judged.examination, stack: judged.judgement.stack };
  return findFixes(chosen, { ...judged.judgement, stack }, async (changed) => checkOnce(changed, question), named, question.asked);
}

/** Works here, fails there: what differs, and which of it makes a finding. */
export async function diffTargets(one: Examination, other: Examination, question: Question): Promise<Difference | Problem> {
  const { onSharedGround, compareTargets } = await parts.diff();
  const [a, b] = onSharedGround(one, other);
  let [first, second] = [await inShells(a, question), await inShells(b, question)];
  // Like is compared with like.
  const isLogin = (each: InShells | Problem) => "examination" in each && each.examination.setAt !== undefined;
  if (isLogin(second) && !isLogin(first)) first = await inShells(a, { ...question, shell: "login" });
  else if (isLogin(first) && !isLogin(second)) second = await inShells(b, { ...question, shell: "login" });
  if ("problem" in first) return first;
  if ("problem" in second) return second;
  return compareTargets(first, second, async (examination) => checkOnce(examination, question));
}

// ── loads, why, list, snapshot ──────────────────────────────────────────────────────────────────────────────────────────────────

/** What one program would load. Where a GPU library is among it: also what that brings in by itself, and what the program was built against. */
export async function loadsOfProgram(examination: Examination, path: string): Promise<Loads> {
  const answer = withVersions(await settle(examination, (view) => loadsOf(view, path, true)), examination.view.snapshot);
  const concerns = answer.loads.some(({ library }) => library !== undefined) || answer.failures.some(({ name }) => isGpuLibrary(name));
  return tellUnseen(examination.view, concerns ? await (await parts.ask()).loadsOfGpuProgram(examination, path) : answer);
}

/** What one process would load that imports these frameworks, in this order, and does these activities with each. */
export const loadsOfFrameworks = async (examination: Examination, run: FrameworkRun): Promise<Loads | Problem> =>
  (await parts.ask()).loadsOfFrameworks(examination, run);

/** Why a library is found where it is, for a program or for one without search paths of its own. */
export const whyOfProgram = async (examination: Examination, library: string, program?: string): Promise<Why | Problem> =>
  (await parts.ask()).whyOfProgram(examination, library, program);

/** Why a library is found where it is, in a process of frameworks. */
export const whyOfFrameworks = async (examination: Examination, library: string, run: FrameworkRun): Promise<Why | Problem> =>
  (await parts.ask()).whyOfFrameworks(examination, library, run);

/** Everything of the GPU stack that is there, and what each framework was compiled for and would load. */
export const listStack = async (examination: Examination, python: string[] = []): Promise<Inventory> =>
  (await parts.ask()).listStack(examination, python);

/**
 * The facts that answer for these programs and frameworks; without any, for every program and library of the system's own folders, and
 * for all that `list` shows and every framework does. What was asked before is in it as well.
 */
export async function takeSnapshot(examination: Examination, programs: string[], python: string[] = []): Promise<Snapshot> {
  // Going through the answers collects what they rest on.
  const { collectStack, isFramework } = await parts.ask();
  const isPath = (program: string) => !isFramework(program) && program.includes("/");
  for (const program of programs) if (isPath(program)) await loadsOfProgram(examination, program);
  if (programs.length === 0) for await (const _answer of loadsOfEach(examination, await systemObjects(examination))) continue;
  if (programs.length === 0 || programs.some((program) => !isPath(program))) {
    await collectStack(examination, python);
    await checkTarget(examination, { programs: [], activities: [], python });
  }
  return factsForExperiments(examination);
}

/** The facts that answer a question that was asked, and the same with something changed. */
export async function takeStack(examination: Examination, question: Question): Promise<Snapshot> {
  const { collectStack } = await parts.ask();
  await collectStack(examination, question.python);
  await checkTarget(examination, question);
  return factsForExperiments(examination);
}

/**
 * The same as `takeSnapshot`, and the facts that answer where another driver and other GPUs are, and where libraries are gone. Where there is
 * no driver, as in an image, nothing gets so far as to ask for what comes after it; and who finds a library does not look any further.
 */
export async function takeForOtherDrivers(examination: Examination, supposed: Assumed, python: string[] = []): Promise<Snapshot> {
  const taken = await takeSnapshot(examination, [], python);
  if (!examination.collector) return taken;
  taken.assumed = supposed;
  await checkTarget({ ...examination, view: viewOf(taken) }, { programs: [], activities: [], python });
  delete taken.assumed;
  await settle(examination, listSearchFolders);
  return factsForExperiments(examination);
}

async function factsForExperiments(examination: Examination): Promise<Snapshot> {
  await settle(examination, (view) => whyOf(view, { library: "libc.so.6" }));
  // Fixes are tried on snapshots, where another copy may come to serve: so the exports of every copy are kept.
  await examination.collector?.fetch(copiesWithoutExports(examination).map((path) => ({ path, as: "symbols", names: [] })));
  return examination.collector?.snapshot ?? examination.view.snapshot;
}

/** Text → snapshot, checked against the published schema; or one sentence that says what is wrong and where. */
export const readSnapshot = async (text: string): Promise<{ snapshot: Snapshot } | Problem> => parseSnapshot(text, parts.validate);

// ── dependency files ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What will clash, with the line that says so. */
export const checkDependencyFile = async (request: DependencyFileRequest): Promise<DependencyFileCheck | Problem> =>
  (await parts.dependencyFiles()).checkDependencyFile(request, readLog);

/** What differs between two dependency files, or two days of Colab, and which of it makes a finding. */
export const diffDependencyFiles = async (a: DependencyFileRequest, b: DependencyFileRequest): Promise<Difference | Problem> =>
  (await parts.dependencyFiles()).diffDependencyFiles(a, b);

/** Whether a file says what will be installed. */
export const recogniseFile = async (file: string, text: string): Promise<DependencyFileFormat | undefined> =>
  (await parts.dependencyFiles()).recogniseFile(file, text);

// ── solve, explain, trace ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Which versions can live together. */
export const solveRequest = async (request: SolveRequest, examination?: Examination): Promise<Solution | Problem> =>
  (await parts.solve()).solveRequest(request, examination);

/** What a text says whose lines are known: what its words may mean besides is for who asks about it, and no finding of a file. */
const readLog = async (chunks: Iterable<Uint8Array>): Promise<Explanation> => (await parts.log()).explainLog(chunks);

/** What an error text says, and what may be the cause. */
export const explainLog = async (
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  machine: GivenMachine = {},
  options: { excerpt?: boolean } = {},
): Promise<Explanation> => (await parts.log()).explainLog(chunks, machine, { ...options, likeness: parts.resemblance });

/** What reads the maps of processes, to see what was really loaded. */
export const mapsReader = parts.log;
/** What reads, judges and shows profiles. */
export const loadTraces = parts.trace;

// ── knowledge ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * From now on this process answers with the knowledge of that text (`npm run refresh -- --export FILE` writes it), unless its own is newer.
 * It must be the first that a process does: what is known never changes between two questions.
 */
export const bringKnowledge = async (text: string, today: string): Promise<Brought | Problem> =>
  (await parts.knowledge()).bringKnowledge(text, today);

// ── rules and reports ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every rule, as people read about it. */
export async function describeRules(): Promise<RuleDescription[]> {
  // A rule for machines and files has one description, which both parts hold.
  const all = [...(await parts.judge()).describeRules(), ...(await parts.dependencyFiles()).describeDependencyFileRules()];
  return [...new Map(all.map((rule) => [rule.id, rule])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
const rulesOf = async ({ check: { target } }: Reported) =>
  target.kind === "declaration" ? describeRules() : (await parts.judge()).describeRules();

export const checkMarkdown = async (judged: Reported, names?: PrivateNames): Promise<string> =>
  (await parts.report()).checkMarkdown(judged, names);
export const checkHtml = async (judged: Reported, made?: string, names?: PrivateNames): Promise<string> =>
  (await parts.report()).checkHtml(judged, await rulesOf(judged), made, names);
/** The page that can be changed: the answer, the facts and the engine in one file. */
export const checkPage = async (judged: Reported, live: Live, made?: string): Promise<string> =>
  (await parts.report()).checkPage(judged, await rulesOf(judged), live, made);
/** The page onto which anything can be dropped. */
export const dropPage = async (drop: Drop): Promise<string> => (await parts.report()).dropPage(drop);
/** The page of a fleet server. */
export const fleetPage = async (made: { script: string; styles: string; version: string }): Promise<string> =>
  (await parts.report()).fleetPage(made);
/** One target, or several in one run. */
export const checkSarif = async (judged: Reported | Reported[], names?: PrivateNames): Promise<string> =>
  (await parts.report()).checkSarif([judged].flat(), Array.isArray(judged) ? await describeRules() : await rulesOf(judged), names);
export const checkFormatted = async (...given: Parameters<CheckFormatted>): Promise<string> =>
  (await parts.report()).checkFormatted(...given);
type CheckFormatted = Awaited<ReturnType<typeof parts.report>>["checkFormatted"];
export const predictedReport = async (...given: Parameters<PredictedReport>): Promise<string> =>
  (await parts.dependencyFiles()).predictedReport(...given);
type PredictedReport = Awaited<ReturnType<typeof parts.dependencyFiles>>["predictedReport"];

// ── what the edges need to know ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether a file is called like an object of a known GPU library. */
export const isGpuLibrary = (file: string): boolean => libraryOf(file) !== undefined;
/** Of a GPU (by name, PCI device or architecture) that means nothing to us: the names that may be meant. Undefined: it is known. */
export async function unknownGpu(name: string): Promise<{ likely: string[] } | undefined> {
  const { gpuNamed, gpusLike } = await parts.ask();
  return gpuNamed(name) ? undefined : { likely: gpusLike(name) };
}
/** The first of these places that holds no Python environment. */
export const placeWithoutPython = async (examination: Examination, places: string[]): Promise<string | undefined> =>
  (await parts.ask()).placeWithoutPython(examination, places);
/** That the file of a program is absent, or a script: what is wrong with the question. */
export const unusableProgram = async (examination: Examination, file: string): Promise<Problem | undefined> =>
  (await parts.ask()).unusableProgram(examination, file);
/** The package that an environment has by that name, or that brings a module of that name: it is a program, then, like a framework. */
export const installedPackage = async (examination: Examination, word: string, python: string[] = []): Promise<string | undefined> =>
  (await parts.ask()).installedPackage(examination, word, python);
/** What chooses the bytes to keep of a packed image, for the target `image`. */
export const imageKeeping = async (): Promise<ByteSelector> => (await parts.keep()).keeping();
