import { checkReport, examineStack, frameworkIds, type Question } from "../index.ts";
import { terminalStyle } from "./style.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { print } from "./print.ts";
import { frameworkRun, openWhere, programPath } from "./where.ts";

const levels = ["error", "warning", "info"] as const;

export async function run(input: Input): Promise<number> {
  if (1 < input.words.length) throw new UsageError("`culprit check` takes one target at most");
  const failOn = text(input, "fail-on") ?? "error";
  if (failOn !== "never" && !levels.includes(failOn as (typeof levels)[number]))
    throw new UsageError(`\`--fail-on ${failOn}\` is not error, warning, info or never`);
  const examination = await openWhere(input, input.words[0]);
  const { activities, python } = frameworkRun(input, []);
  const programs = texts(input, "for").map((value) => {
    const names = value.split(",");
    return names.every((name) => frameworkIds.includes(name)) ? names : [programPath(value, examination)];
  });
  const question: Question = { programs, activities, python };
  const judged = await examineStack(examination, question);
  if ("problem" in judged) throw new UsageError(judged.problem);
  const { check } = judged;
  print(flag(input, "json") ? `${JSON.stringify(check, null, 1)}\n` : checkReport(check, terminalStyle(), { all: flag(input, "all") }));
  const counted = new Set(levels.slice(0, levels.indexOf(failOn as (typeof levels)[number]) + 1));
  return check.findings.some(({ severity }) => counted.has(severity)) ? 1 : 0;
}
