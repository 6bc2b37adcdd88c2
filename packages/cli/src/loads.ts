import { loadsOfFrameworks, loadsOfEach, findObjects, loadsReport, quietLoads, type Examination, type Loads } from "@culprit/core";
import { withoutSecretsIn } from "@culprit/core/lib/secrets";
import { flag, texts, UsageError, type Input } from "./usage.ts";
import { terminalStyle } from "./style.ts";
import { print, printDocument, printJson } from "./print.ts";
import { frameworksMeant, frameworkRun, openWhere, programLoads, programPath } from "./where.ts";

export async function run(input: Input): Promise<number> {
  const { words } = input;
  if (words.length === 0) throw new UsageError("`culprit loads` needs the path of a program or library");
  if (flag(input, "each") && flag(input, "send")) throw new UsageError("`--send` brings single programs: leave it out with `--each`");
  const examination = await openWhere(input, undefined, input.words);
  return flag(input, "each") ? each(input, examination) : one(input, examination);
}

async function one(input: Input, examination: Examination): Promise<number> {
  const names = input.words.flatMap((word) => word.split(","));
  const meant = await frameworksMeant(names, examination, texts(input, "python"));
  const answer = meant ? await withFrameworks(input, examination, meant) : await ofFile(input, examination);
  if (flag(input, "json")) printJson(answer, 1);
  else if (flag(input, "quiet")) print(quietLoads(answer));
  else print(loadsReport(answer, terminalStyle(), { all: flag(input, "all") }));
  return 0 < answer.failures.length ? 1 : 0;
}

async function withFrameworks(input: Input, examination: Examination, names: string[]): Promise<Loads> {
  const answer = await loadsOfFrameworks(examination, frameworkRun(input, names));
  if ("problem" in answer) throw new UsageError(answer.problem);
  return answer;
}

async function ofFile(input: Input, examination: Examination): Promise<Loads> {
  const [word, ...others] = input.words;
  if (0 < others.length)
    throw new UsageError("several programs in one process must be frameworks; `--each` treats every file as its own process");
  return programLoads(examination, programPath(word!, examination));
}

async function each(input: Input, examination: Examination): Promise<number> {
  // Thousands of small answers end before the optimising compiler has paid for itself.
  (await import("node:v8")).setFlagsFromString("--no-opt");
  const files = await findObjects(examination, input.words);
  if ("problem" in files) throw new UsageError(files.problem);
  let failed = false;
  let pending = "";
  for await (const answer of loadsOfEach(examination, files)) {
    failed ||= 0 < answer.failures.length;
    pending += `${JSON.stringify(withoutSecretsIn(answer))}\n`;
    if (1 << 18 < pending.length) {
      printDocument(pending);
      pending = "";
    }
  }
  printDocument(pending);
  return failed ? 1 : 0;
}
