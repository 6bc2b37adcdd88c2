import {
  checkReport,
  checkTarget,
  expandRanges,
  targetsReport,
  type Check,
  type Examination,
  type TargetAnswer,
  type Targets,
} from "@culprit/core";
import { shown } from "@culprit/core/lib/shown";
import { askedBy, askedOfEach } from "./asked.ts";
import type { Measure } from "./check.ts";
import { examineDeclared } from "./declared.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { readNamed } from "@culprit/machine/target/named";
import { meaning } from "./folder.ts";
import { progressOf } from "./progress.ts";
import { print, printJson, say } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { reasonOf, sentenceOf } from "@culprit/core/lib/reason";
import { flag, text, UsageError, type Input } from "./usage.ts";

/** How many are looked at side by side: as many as a small machine can hold, and a gateway lets through at once. */
const abreast = 8;

/** Several targets, asked the same: side by side in a table, or one by one. One that cannot be reached keeps none of the others back. */
export async function run(input: Input, words: string[], measure: Measure, how: "side by side" | "one by one"): Promise<number> {
  for (const form of ["markdown", "sarif", "html"])
    if (input.options[form] !== undefined)
      throw new UsageError(`\`--${form}\` is a report about one target; several give a table or \`--json\``);
  const targets: TargetAnswer[] = [];
  const waiting = [...words.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      targets[next[0]] = { target: next[1], ...(await answerOf(input, next[1], measure.accept)) };
  };
  progressOf(() => `${kindWord(words)} ${Object.keys(targets).length}/${words.length}`);
  await Promise.all(Array.from({ length: abreast }, work));
  if (flag(input, "json")) {
    const shaped = targets.map(({ check, ...rest }) => ({ ...rest, ...(check ? { check: measure.shapeOf(check) } : {}) }));
    printJson({ schema: "culprit/targets@1", targets: shaped }, 1);
  } else if (flag(input, "quiet")) {
    for (const { target, check } of targets) print(check ? measure.quietly(check, `${shown(target)}: `) : "");
    for (const { target, problem } of targets) if (problem !== undefined) say(`${target}: ${problem}`);
  } else if (how === "side by side") {
    const answer: Targets = { schema: "culprit/targets@1", targets };
    print(targetsReport(answer, { ...terminalStyle(), asked: askedOfEach(input) }));
  } else for (const [index, answer] of targets.entries()) print(`${index === 0 ? "" : "\n"}${reportOf(input, answer)}`);
  if (targets.some(({ check }) => check && measure.isWrong(check))) return 1;
  return targets.some(({ problem }) => problem !== undefined) ? 2 : 0;
}

const kindWord = (words: string[]) => (words.every((word) => word.startsWith("ssh:")) ? "hosts" : "targets");

function reportOf(input: Input, { target, check, problem = "" }: TargetAnswer): string {
  const style = terminalStyle();
  const meant = meaning(input, target);
  const asked = askedBy(meant.input, meant.word);
  const told = check ? checkReport(check, { ...style, asked }, { all: flag(input, "all") }) : `? ${shown(problem)}\n`;
  return `${style.strong(shown(target))}\n${told}`;
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

async function answerOf(given: Input, named: string, accept: (check: Check) => Check): Promise<Omit<TargetAnswer, "target">> {
  let examination: Examination | undefined;
  const { input, word } = meaning(given, named);
  try {
    const declared = await examineDeclared(input, word);
    if (declared) return { check: accept(declared.check) };
    examination = await openWhere(input, word);
    const { activities, python } = frameworkRun(input, []);
    const judged = await checkTarget(examination, {
      programs: await forPrograms(input, examination),
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
    return { problem: sentenceOf(error) };
  } finally {
    examination?.collector?.end();
  }
}
