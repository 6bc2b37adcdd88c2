// The case book: what culprit answers in each case, and what it is expected to answer. `npm run record-case` and the tests use the same.
import fs from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import {
  activities,
  openTarget,
  besideReader,
  checkReport,
  cpuNamed,
  checkDependencyFile,
  fixTarget,
  checkTarget,
  explainLog,
  explainReport,
  firstBytes,
  fixReport,
  frameworkIds,
  isPacked,
  joinExplanation,
  jsonText,
  loadTraces,
  readSnapshot,
  takePieces,
  visibleLines,
  withoutSecretsIn,
  type Activity,
  type Check,
  type Explanation,
  type Plan,
  type Problem,
  type Snapshot,
  type Style,
  type TraceReport,
  type WhatIf,
} from "./culprit.ts";
import { readQuestion, type Question } from "./question.ts";

export { readQuestion };

export type Kind = "machine" | "log" | "trace" | "dependency-file";

export interface Case {
  name: string;
  folder: string;
  kind: Kind;
  /** The file that is looked at; it may be that of another case. */
  input: string;
  question: Question;
}

export const goldens = ["diagnosis.json", "report.txt"] as const;
export type Golden = (typeof goldens)[number];

export interface Answer {
  texts: { [golden in Golden]: string };
  /** The report on a terminal of so many columns. */
  reportAt: (columns: number) => string;
  /** What was found, as data, sorted; no two cases may have the same. */
  facts: string;
}

/** Columns of the terminal that reports are drawn for. */
const usualWidth = 100;
const plain = (text: string) => text;
const terminalOf = (width: number): Style => ({ strong: plain, faint: plain, good: plain, bad: plain, width });

const isReadme = (name: string) => name === "README.md";
/** What the answers were held against, not what is asked about. */
const isBeside = (name: string) =>
  isReadme(name) || name === "question.json" || name === "observed.json" || (goldens as readonly string[]).includes(name);

/** The names of all cases. */
export const casesIn = (book: string): string[] =>
  fs
    .readdirSync(book, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

export function openCase(book: string, name: string): Case {
  const folder = path.join(book, name);
  const file = path.join(folder, "question.json");
  const question = fs.existsSync(file) ? readQuestion(fs.readFileSync(file, "utf8"), name) : {};
  const own = fs.readdirSync(folder).filter((each) => !isBeside(each));
  const input = question.input ?? mainOf(own);
  if (input === undefined) throw new Error(`the case ${name} has nothing to look at: give it a file, or \`input\` in question.json`);
  return { name, folder, kind: kindOf(path.basename(input)), input: path.join(folder, input), question };
}

/** Of a project's files the one that the others are named by. */
function mainOf(names: string[]): string | undefined {
  const known = ["snapshot.json.gz", "log.txt", "Dockerfile", "requirements.txt"];
  return known.find((name) => names.includes(name)) ?? names.find((name) => name.startsWith("trace.")) ?? names.sort()[0];
}

function kindOf(name: string): Kind {
  if (name === "snapshot.json.gz") return "machine";
  if (name === "log.txt") return "log";
  return name.startsWith("trace.") ? "trace" : "dependency-file";
}

/** Snapshots that were read, by their path: many cases ask about one. */
export type Snapshots = Map<string, Promise<Snapshot>>;

async function snapshotAt(file: string, read: Snapshots): Promise<Snapshot> {
  const known = read.get(path.resolve(file));
  if (known) return known;
  const reading = readSnapshot(gunzipSync(fs.readFileSync(file)).toString()).then((result) => {
    if ("problem" in result) throw new Error(`${file}: ${result.problem}`);
    return result.snapshot;
  });
  read.set(path.resolve(file), reading);
  return reading;
}

/** What culprit says in a case. */
export async function answerOf(asked: Case, snapshots: Snapshots): Promise<Answer> {
  if (asked.kind === "log") return explained(await explanationOf(asked, snapshots));
  if (asked.kind === "trace") return traced(await traceOf(asked));
  if (asked.kind === "dependency-file") return checked(await dependencyFileOf(asked), asked.question);
  if (asked.question.command === "fix") return planned(await planOf(asked, snapshots));
  return checked(await checkOf(asked, snapshots), asked.question);
}

async function checkOf({ input, question }: Case, snapshots: Snapshots): Promise<Check> {
  const examination = await openTarget(await snapshotAt(input, snapshots), whatIf(question));
  return good(await checkTarget(examination, asking(question))).check;
}

async function planOf({ input, question }: Case, snapshots: Snapshots): Promise<Plan> {
  const examination = await openTarget(await snapshotAt(input, snapshots), whatIf(question));
  return good(await fixTarget(examination, asking(question))).plan;
}

async function explanationOf({ folder, input, question }: Case, snapshots: Snapshots): Promise<Explanation> {
  const alone = await explainLog([fs.readFileSync(input)], machineOf(question));
  if (question.target === undefined) return alone;
  const examination = await openTarget(await snapshotAt(path.join(folder, question.target), snapshots), whatIf(question));
  const { check, stack } = good(await fixTarget(examination, asking(question)));
  return joinExplanation(alone, check.findings, stack.inventory);
}

async function traceOf({ input }: Case): Promise<TraceReport> {
  const { openTrace, sniffedBytes } = await loadTraces();
  const name = path.basename(input);
  const reading = openTrace(await firstBytes(input, sniffedBytes), name, { drawn: 0, isCompressed: isPacked(input) });
  let taken: Awaited<ReturnType<typeof takePieces>>;
  do {
    taken = await takePieces(input, reading);
    reading.end();
  } while (reading.again);
  const broken = taken.broken === undefined ? undefined : { offset: taken.bytes, reason: taken.broken };
  return { schema: "culprit/trace@1", files: [reading.finish(name, taken.bytes, broken)] };
}

/** As if the command were called in the folder of the case, so that no path of this machine is in the answer. */
async function dependencyFileOf({ folder, input, question }: Case): Promise<Check> {
  const beside = besideReader(input);
  const answer = await checkDependencyFile({
    file: path.basename(input),
    text: fs.readFileSync(input, "utf8"),
    read: async (candidate, only) => beside(path.join(folder, candidate), only),
    ...machineOf(question),
    ...(question.colab === undefined ? {} : { colab: question.colab }),
    ...(question["python-version"] === undefined ? {} : { python: question["python-version"] }),
  });
  return good(answer).check;
}

function good<T extends object>(answer: T | Problem): T {
  if ("problem" in answer) throw new Error(String(answer.problem));
  return answer;
}

function asking(question: Question): { programs: string[][]; activities: Activity[]; python: string[] } {
  const wanted = question.do ?? [];
  const unknown = wanted.find((name) => !(activities as readonly string[]).includes(name));
  if (unknown !== undefined) throw new Error(`there is no activity \`${unknown}\`; there is ${activities.join(", ")}`);
  const programs = (question.for ?? []).map((value) => {
    const names = value.split(",");
    return names.every((name) => frameworkIds.includes(name)) ? names : [value];
  });
  return { programs, activities: wanted as Activity[], python: question.python ?? [] };
}

function machineOf({ driver, gpu }: Question): { driver?: string; gpus?: string[] } {
  return { ...(driver === undefined ? {} : { driver }), ...(gpu === undefined ? {} : { gpus: gpu }) };
}

function whatIf(question: Question): WhatIf {
  const cpu = question.cpu === undefined ? undefined : good(cpuNamed(question.cpu));
  return {
    ...machineOf(question),
    environment: question.env ?? {},
    unset: question.unset ?? [],
    ...(question.cwd === undefined ? {} : { cwd: question.cwd }),
    ...(cpu ? { cpu } : {}),
    ...(question.ldconfig ? { ldconfig: true } : {}),
  };
}

/** The two goldens, letter for letter what `--json` and a terminal without colours get. */
function saying(answer: object, report: (terminal: Style) => string): Pick<Answer, "texts" | "reportAt"> {
  // The day of knowledge is another one with every fact that is looked up, and says nothing about a case.
  const { knowledge: _day, ...document } = answer as { knowledge?: string };
  const reportAt = (columns: number) => visibleLines(report(terminalOf(columns)));
  return {
    texts: { "diagnosis.json": `${jsonText(withoutSecretsIn(document), 1)}\n`, "report.txt": reportAt(usualWidth) },
    reportAt,
  };
}

const sorted = (facts: unknown[]) => JSON.stringify(facts.map((each) => JSON.stringify(each)).sort());

/** Rules, causes or verdicts in the golden of a case: what it is about. */
export function subjectsIn(folder: string): string[] {
  const file = path.join(folder, "diagnosis.json");
  if (!fs.existsSync(file)) return [];
  const golden = JSON.parse(fs.readFileSync(file, "utf8")) as Partial<
    Pick<Check, "findings" | "status"> & Pick<Explanation, "diagnoses"> & Pick<TraceReport, "files">
  >;
  const names = [
    ...(golden.findings ?? []).map(({ rule }) => rule),
    ...(golden.diagnoses ?? []).map(({ cause }) => cause),
    ...(golden.files ?? []).map(({ verdict }) => verdict),
  ];
  return 0 < names.length ? [...new Set(names)].sort() : [golden.status ?? "cannot tell"];
}

function checked(check: Check, { all = false }: Question): Answer {
  const { findings, status, judged, target } = check;
  // Where nothing is wrong, it is what was looked at that makes the case.
  const silent = [target.kind, status, judged.map(({ program, version }) => [program, version])];
  return {
    ...saying(check, (terminal) => checkReport(check, terminal, { all })),
    facts: findings.length === 0 ? sorted([silent]) : sorted(findings.map(({ rule, subject, facts }) => [rule, subject, facts])),
  };
}

function planned(plan: Plan): Answer {
  return {
    ...saying(plan, (terminal) => fixReport(plan, terminal)),
    facts: sorted([
      ...plan.findings.map(({ rule, subject }) => [rule, subject]),
      ...plan.chosen.map(({ fix, title }) => ["fix", fix, title]),
    ]),
  };
}

function explained(explanation: Explanation): Answer {
  const { diagnoses } = explanation;
  return {
    ...saying(explanation, (terminal) => explainReport(explanation, terminal)),
    facts: sorted(diagnoses.map(({ cause, name, library, required, found }) => ({ cause, name, library, required, found }))),
  };
}

async function traced(report: TraceReport): Promise<Answer> {
  const { traceReport } = await loadTraces();
  return {
    ...saying(report, (terminal) => traceReport(report, terminal)),
    facts: sorted(
      report.files.map(({ format, verdict, framework, causes }) => [format, verdict, framework, causes.map(({ cause }) => cause)]),
    ),
  };
}

export interface Mismatch {
  golden: Golden;
  expected: string | undefined;
  now: string;
}

/** Goldens that are missing, or that say something else than culprit says now. */
export function mismatches({ folder }: Pick<Case, "folder">, { texts }: Answer): Mismatch[] {
  return goldens.flatMap((golden) => {
    const file = path.join(folder, golden);
    const expected = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
    const now = texts[golden];
    return expected === now ? [] : [{ golden, expected, now }];
  });
}

/** How to make the goldens say what culprit says now. */
export const howToRecord = (name: string) =>
  `if that is meant, record it with \`npm run record-case ${name}\` and let the reviewer read the diff`;

/** The README.md of a new case; the tests refuse it while a TODO is in it. */
export const readmeTemplate = `# TODO: what is the case, in a few words

TODO: what somebody did.
TODO: what happened then.

Input: TODO: a real machine, real wheels, or built for this case; how the file was made
`;

export interface Story {
  title: string;
  /** Two lines: what somebody did, and what happened. */
  story: string[];
  /** Where the input comes from. */
  input: string;
}

/** What a README.md says, or what is missing in it. */
export function readStory({ folder, name }: Pick<Case, "folder" | "name">): Story | { problem: string } {
  const file = path.join(folder, "README.md");
  if (!fs.existsSync(file)) return { problem: `the case ${name} has no README.md` };
  const text = fs.readFileSync(file, "utf8");
  const found = /^# (.+)\n\n(.+)\n(.+)\n\nInput: (.+)\n/.exec(text);
  if (!found) return { problem: `cases/${name}/README.md is not a title, two lines of story, and a line that begins with \`Input: \`` };
  const [, title, did, happened, input] = found as unknown as [string, string, string, string, string];
  const empty = [title, did, happened, input].find((line) => line.includes("TODO"));
  if (empty !== undefined) return { problem: `cases/${name}/README.md still says \`${empty}\`: tell the story` };
  return { title, story: [did, happened], input };
}

/** cases/README.md: every case in a line, with what its goldens say. */
export function indexOf(book: string): string {
  const rows = casesIn(book).map((name) => {
    const story = readStory({ name, folder: path.join(book, name) });
    const title = "problem" in story ? "(no story yet)" : story.title;
    return `| [${name}](${name}/README.md) | ${title} | ${subjectsIn(path.join(book, name)).join(", ")} |`;
  });
  return `${indexHead}${rows.join("\n")}\n`;
}

const indexHead = [
  "# The case book",
  "",
  "Machines, logs, dependency files and traces, each with what culprit says about it. A change that alters an answer alters a golden here: the diff shows what it does to users.",
  "",
  "| file | what it is |",
  "|---|---|",
  "| `README.md` | a title, two lines of story (what somebody did, what happened), and where the input comes from |",
  "| `snapshot.json.gz`, `log.txt`, `trace.*`, or a dependency file | the input; many cases ask about the snapshot of another one |",
  "| `question.json` | what is asked, with the names of the command's options; absent: what the bare command asks |",
  "| `diagnosis.json`, `report.txt` | the goldens: what `--json` prints, and what a terminal of 100 columns shows |",
  "",
  "`npm run record-case` writes all goldens again and says which changed; `npm run record-case NAME -- --from FILE [--question JSON]` makes a new case. This page is written with them.",
  "",
  "| case | what | rules, causes or verdict |",
  "|---|---|---|",
  "",
].join("\n");
