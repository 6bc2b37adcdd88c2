import { examineStack, targetsReport, type Check, type TargetAnswer, type Targets } from "../index.ts";
import { examineDeclared } from "./declared.ts";
import { forPrograms, frameworkRun, openWhere } from "./where.ts";
import { print } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, UsageError, type Input } from "./usage.ts";

/** How many are looked at side by side: as many as a small machine can hold, and a gateway lets through at once. */
const abreast = 8;

/** Several targets, asked the same. One that cannot be reached keeps none of the others back. */
export async function run(input: Input, accept: (check: Check) => Check, isWrong: (check: Check) => boolean): Promise<number> {
  for (const form of ["markdown", "sarif", "html"])
    if (input.options[form] !== undefined)
      throw new UsageError(`\`--${form}\` is a report about one target; several give a table or \`--json\``);
  const targets: TargetAnswer[] = [];
  const waiting = [...input.words.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      targets[next[0]] = { target: next[1], ...(await answerOf(input, next[1], accept)) };
  };
  await Promise.all(Array.from({ length: abreast }, work));
  const answer: Targets = { schema: "culprit/targets@1", targets };
  print(flag(input, "json") ? `${JSON.stringify(answer, null, 1)}\n` : targetsReport(answer, terminalStyle()));
  if (targets.some(({ check }) => check && isWrong(check))) return 1;
  return targets.some(({ problem }) => problem !== undefined) ? 2 : 0;
}

async function answerOf(input: Input, word: string, accept: (check: Check) => Check): Promise<Omit<TargetAnswer, "target">> {
  try {
    const declared = await examineDeclared(input, word);
    if (declared) return { check: accept(declared.check) };
    const examination = await openWhere(input, word);
    const { activities, python } = frameworkRun(input, []);
    const judged = await examineStack(examination, { programs: forPrograms(input, examination), activities, python });
    if ("problem" in judged) return judged;
    const { driver, gpus } = judged.stack.inventory;
    return {
      ...(driver.kernel === undefined ? {} : { driver: driver.kernel }),
      gpus: gpus.map(({ name }) => name),
      check: accept(judged.check),
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
