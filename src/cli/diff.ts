import { diffReport, examineDifference, type Question } from "../index.ts";
import { flag, UsageError, type Input } from "./usage.ts";
import { terminalStyle } from "./style.ts";
import { print } from "./print.ts";
import { forPrograms, frameworkRun, openWhere } from "./where.ts";

export async function run(input: Input): Promise<number> {
  const [a, b, ...others] = input.words;
  if (a === undefined || b === undefined || 0 < others.length)
    throw new UsageError("`culprit diff` compares two targets: root folders, snapshot files, pid:N, image:FILE, ssh:HOST, or machine");
  const [first, second] = [await openWhere(input, a), await openWhere(input, b)];
  const { activities, python } = frameworkRun(input, []);
  const question: Question = { programs: forPrograms(input, first), activities, python };
  const answer = await examineDifference(first, second, question);
  if ("problem" in answer) throw new UsageError(answer.problem);
  print(
    flag(input, "json")
      ? `${JSON.stringify(answer, null, 1)}\n`
      : diffReport(answer, { a, b }, terminalStyle(), { all: flag(input, "all") }),
  );
  return 0 < answer.changes.length ? 1 : 0;
}
