import os from "node:os";
import process from "node:process";
import {
  checkMarkdown,
  checkTarget,
  redactSnapshot,
  serializeSnapshot,
  takeSnapshot,
  version,
  type Question,
  type Snapshot,
} from "@culprit/core";
import { builtInDay } from "@culprit/core/knowledge-day.generated";
import { commandLine } from "@culprit/core/lib/shell";
import { shown } from "@culprit/core/lib/shown";
import { askedBy, unnamed } from "./asked.ts";
import { privateNames } from "./names.ts";
import { print } from "./print.ts";
import { text, UsageError, type Input } from "./usage.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { refuseUnwritable, writeWhole } from "./write-whole.ts";

export async function run(input: Input): Promise<number> {
  if (0 < input.words.length)
    throw new UsageError("`culprit bug-report` takes no words: `--for PROGRAM` and `--target TARGET` say what it is about");
  const name = text(input, "output") ?? "culprit-report";
  const [facts, report] = [`${name}.json.gz`, `${name}.md`];
  for (const file of [facts, report]) refuseUnwritable(file, "the report");
  const examination = await openWhere(input);
  const { activities, python } = frameworkRun(input, []);
  const asked = unnamed(askedBy(input));
  const question: Question = { programs: await forPrograms(input, examination), activities, python, ...shellOf(input), asked };
  const judged = await checkTarget(examination, question);
  if ("problem" in judged) throw new UsageError(judged.problem);
  const names = await privateNames(examination);
  const snapshot = redactSnapshot(await takeSnapshot(examination, [], python), names);
  const answer = await checkMarkdown({ ...judged, asked }, names);
  await writeWhole(facts, [serializeSnapshot(snapshot)], "the report", { mode: 0o600 });
  await writeWhole(report, [reportOf(commandLine(["culprit", "check", ...plainly(asked.options)]), facts, answer)], "the report", {
    mode: 0o600,
  });
  print(contents(facts, report, snapshot));
  return 0;
}

/** Words that name nobody; paths and variables are in the facts, where names are replaced. */
const plainly = (options: string[][]): string[] =>
  options.flatMap(([option, value]) => (value === undefined ? [option!] : [option!, /^[\w.+-]{1,40}$/.test(value) ? value : "…"]));

const reportOf = (question: string, facts: string, answer: string): string =>
  [
    "## What is wrong with the answer",
    "",
    "(Say here what culprit said, and what really happens: the error text, or what the program does.)",
    "",
    "## Where",
    "",
    `- culprit ${version}, knowledge of ${builtInDay}`,
    `- ${process.versions["bun"] === undefined ? `Node ${process.versions.node}` : "the stand-alone executable"}, ${os.type()} ${os.release().split("-")[0]}, ${process.arch}`,
    `- asked: \`${shown(question)}\``,
    `- the facts: \`${shown(facts)}\`, attached`,
    "",
    "## The answer",
    "",
    answer,
  ].join("\n");

/** What is handed on, in numbers and kinds, so that nobody has to believe us. */
function contents(facts: string, report: string, snapshot: Snapshot): string {
  const count = Object.keys(snapshot.files ?? {}).length;
  return [
    `${shown(facts)}  the facts: what is known of ${count} files and folders (names, links, which libraries they ask for, versions), of packages,`,
    "  variables that decide loading, the driver and GPUs; of texts what decides loading: search paths, metadata of packages, lines that set variables.",
    `${shown(report)}  the versions of culprit and of the system, the question, and the answer.`,
    "Names of people and hosts, home folders and tokens are replaced. Nothing was sent anywhere. To look:",
    `  zcat ${shown(facts)} | less; less ${shown(report)}`,
    `  culprit check --target ${shown(facts)}`,
    "",
  ].join("\n");
}
