import { diffReport, diffDependencyFiles, diffTargets, quietDiff, type Difference, type Problem, type Question } from "@culprit/core";
import { declarationOf } from "./declared.ts";
import { flag, UsageError, type Input } from "./usage.ts";
import { terminalStyle } from "./style.ts";
import { print, printJson } from "./print.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { either, kinds, unmarked } from "@culprit/machine/target/kinds";

export async function run(input: Input): Promise<number> {
  const [a, b, ...others] = input.words;
  if (a === undefined || b === undefined || 0 < others.length)
    throw new UsageError(
      `\`culprit diff\` compares two targets: ${unmarked(either(kinds.map(({ forms }) => forms)))}; or two dependency files, or colab:DATE`,
    );
  const answer = (await declaredDifference(input, a, b)) ?? (await difference(input, a, b));
  if ("problem" in answer) throw new UsageError(answer.problem);
  if (flag(input, "json")) printJson(answer, 1);
  else if (flag(input, "quiet")) print(quietDiff(answer, { a, b }));
  else print(diffReport(answer, { a, b }, terminalStyle(), { all: flag(input, "all") }));
  return 0 < answer.changes.length ? 1 : 0;
}

async function difference(input: Input, a: string, b: string): Promise<Difference | Problem> {
  const [first, second] = [await openWhere(input, a), await openWhere(input, b)];
  const { activities, python } = frameworkRun(input, []);
  const question: Question = { programs: await forPrograms(input, first), activities, python, ...shellOf(input) };
  return diffTargets(first, second, question);
}

async function declaredDifference(input: Input, a: string, b: string): Promise<Difference | Problem | undefined> {
  const [first, second] = [await declarationOf(input, a), await declarationOf(input, b)];
  if (first && second) return diffDependencyFiles(first, second);
  const said = first ?? second;
  if (said) throw new UsageError(`\`${said.file}\` is a dependency file, \`${said === first ? b : a}\` is not: compare two of a kind`);
  return undefined;
}
