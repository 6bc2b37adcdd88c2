import { solveRequest } from "../../packages/core/src/ask/solve.ts";
import type { Answer, Solution } from "../../packages/core/src/model/solve.ts";

export async function solved(...requirements: string[]): Promise<Solution> {
  const solution = await solveRequest({ requirements });
  if ("problem" in solution) throw new Error(solution.problem);
  return solution;
}

export async function firstAnswer(...requirements: string[]): Promise<Answer> {
  const { answers, conflict } = await solved(...requirements);
  if (!answers[0]) throw new Error(JSON.stringify(conflict));
  return answers[0];
}

export const versionOf = (answer: Answer, name: string) =>
  [...answer.packages, ...answer.libraries].find((each) => each.name === name)?.version;

export const commandOf = (answer: Answer, tool: string) =>
  answer.lines.find((line) => line.tool === tool)?.commands.find((command) => /\bpip install\b/.test(command)) ?? "";
