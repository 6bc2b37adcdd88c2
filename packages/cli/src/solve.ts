import { quietSolution, solveReport, solveRequest, type SolveRequest } from "@culprit/core";
import { print, printJson } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";

export async function run(input: Input): Promise<number> {
  if (input.words.length === 0)
    throw new UsageError('`culprit solve` needs requirements, for example `culprit solve "torch>=2.4" jax --driver 535.104 --gpu T4`');
  const prefer = text(input, "prefer");
  if (prefer !== undefined && prefer !== "keep-installed") throw new UsageError(`\`--prefer ${prefer}\` is not keep-installed`);
  const driver = text(input, "driver");
  const gpus = texts(input, "gpu").flatMap((value) => value.split(","));
  const python = text(input, "python-version");
  const keepInstalled = prefer !== undefined;
  const request: SolveRequest = {
    requirements: input.words,
    ...(driver === undefined ? {} : { driver }),
    ...(0 < gpus.length ? { gpus } : {}),
    ...(python === undefined ? {} : { python }),
    ...(keepInstalled ? { keepInstalled } : {}),
    places: texts(input, "python"),
  };
  // Who says which driver and GPU asks about another machine than this one.
  const isNamed =
    text(input, "target") !== undefined || text(input, "root") !== undefined || keepInstalled || 0 < texts(input, "python").length;
  const isAbroad = input.words.some((word) => /^\s*(gpu|driver)\b/.test(word)) || driver !== undefined || 0 < gpus.length;
  const examination =
    isNamed || !isAbroad ? await openWhere({ ...input, options: { ...input.options, driver: undefined, gpu: undefined } }) : undefined;
  const solution = await solveRequest(request, examination);
  if ("problem" in solution) throw new UsageError(solution.problem);
  if (flag(input, "json")) printJson(solution, 1);
  else if (flag(input, "quiet")) print(quietSolution(solution));
  else print(solveReport(solution, terminalStyle()));
  return solution.answers.length === 0 ? 1 : 0;
}
