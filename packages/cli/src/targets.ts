import { checkTarget, expandRanges, targetsReport, type Check, type Examination, type TargetAnswer, type Targets } from "@culprit/core";
import { askedBy, askedOfEach } from "./asked.ts";
import { examineDeclared } from "./declared.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { readNamed } from "@culprit/machine/target/named";
import { print, printJson } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { reasonOf } from "@culprit/core/lib/reason";
import { flag, text, UsageError, type Input } from "./usage.ts";

/** How many are looked at side by side: as many as a small machine can hold, and a gateway lets through at once. */
const abreast = 8;

/** Several targets, asked the same. One that cannot be reached keeps none of the others back. */
export async function run(
  input: Input,
  words: string[],
  accept: (check: Check) => Check,
  isWrong: (check: Check) => boolean,
  shapeOf: (check: Check) => object,
): Promise<number> {
  for (const form of ["markdown", "sarif", "html"])
    if (input.options[form] !== undefined)
      throw new UsageError(`\`--${form}\` is a report about one target; several give a table or \`--json\``);
  const targets: TargetAnswer[] = [];
  const waiting = [...words.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      targets[next[0]] = { target: next[1], ...(await answerOf(input, next[1], accept)) };
  };
  await Promise.all(Array.from({ length: abreast }, work));
  const answer: Targets = { schema: "culprit/targets@1", targets };
  const shaped = targets.map(({ check, ...rest }) => ({ ...rest, ...(check ? { check: shapeOf(check) } : {}) }));
  if (flag(input, "json")) printJson({ ...answer, targets: shaped }, 1);
  else print(targetsReport(answer, { ...terminalStyle(), asked: askedOfEach(input) }));
  if (targets.some(({ check }) => check && isWrong(check))) return 1;
  return targets.some(({ problem }) => problem !== undefined) ? 2 : 0;
}

/** Every target that the words name: `ssh:node[001-200]` is two hundred, and `--hosts` names a file with one host on a line. */
export function namedTargets(input: Input): string[] {
  const file = text(input, "hosts");
  const listed = file === undefined ? [] : hostsIn(file);
  const words = [...input.words, ...listed.map((name) => (name.startsWith("ssh:") ? name : `ssh:${name}`))];
  const targets = words.flatMap((word) => {
    const names = word.startsWith("ssh:") ? expandRanges(word) : [word];
    if (!names) throw new UsageError(`\`${word}\` names too many hosts`);
    if (names.length === 0) throw new UsageError(`\`${word}\` names no host: the range goes backwards`);
    return names;
  });
  return [...new Set(targets)];
}

function hostsIn(file: string): string[] {
  let content: string;
  try {
    content = readNamed(file, 64 << 20).toString("utf8");
  } catch (error) {
    throw new UsageError(`\`--hosts ${file}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  const names = content.split("\n").flatMap((line) => line.replace(/#.*/, "").trim() || []);
  const strange = names.find((name) => /\s/.test(name));
  if (strange !== undefined) throw new UsageError(`\`--hosts ${file}\`: \`${strange}\` is not one host`);
  if (names.length === 0) throw new UsageError(`\`--hosts ${file}\` names no host`);
  return names;
}

async function answerOf(input: Input, word: string, accept: (check: Check) => Check): Promise<Omit<TargetAnswer, "target">> {
  let examination: Examination | undefined;
  try {
    const declared = await examineDeclared(input, word);
    if (declared) return { check: accept(declared.check) };
    examination = await openWhere(input, word);
    const { activities, python } = frameworkRun(input, []);
    const judged = await checkTarget(examination, {
      programs: forPrograms(input, examination),
      activities,
      python,
      asked: askedBy(input, word),
      ...shellOf(input),
    });
    if ("problem" in judged) return { problem: judged.problem };
    const { driver, gpus } = judged.stack.inventory;
    return {
      ...(driver.kernel === undefined ? {} : { driver: driver.kernel }),
      gpus: gpus.map(({ name }) => name),
      check: accept(judged.check),
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    examination?.collector?.end();
  }
}
