import {
  checkFormatted,
  checkMarkdown,
  checkReport,
  checkSarif,
  checkTarget,
  expandRanges,
  targetsReport,
  type Check,
  type Examination,
  type Reported,
  type TargetAnswer,
  type Targets,
} from "@culprit/core";
import { shown } from "@culprit/core/lib/shown";
import { askedBy, askedOfEach } from "./asked.ts";
import { formatOf, type Measure } from "./check.ts";
import { examineDeclared } from "./declared.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { readNamed } from "@culprit/machine/target/named";
import { meaning } from "./folder.ts";
import { privateNames } from "./names.ts";
import { progressOf } from "./progress.ts";
import { print, printDocument, printJson, say } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { reasonOf, sentenceOf } from "@culprit/core/lib/reason";
import { flag, text, UsageError, type Input } from "./usage.ts";

/** How many are looked at side by side: as many as a small machine can hold, and a gateway lets through at once. */
const abreast = 8;

/** Several targets, asked the same: side by side in a table, or one by one. One that cannot be reached keeps none of the others back. */
export async function run(input: Input, words: string[], measure: Measure, how: "side by side" | "one by one"): Promise<number> {
  if (input.options["html"] !== undefined)
    throw new UsageError("`--html` is a report about one target; several give a table, `--json`, `--markdown`, `--sarif` or `--format`");
  const targets: Answer[] = [];
  const waiting = [...words.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      targets[next[0]] = { target: next[1], ...(await answerOf(input, next[1], measure.accept)) };
  };
  progressOf(() => `${kindWord(words)} ${Object.keys(targets).length}/${words.length}`);
  await Promise.all(Array.from({ length: abreast }, work));
  if (await handedOn(input, targets, measure)) {
    // Said.
  } else if (flag(input, "json")) {
    const shaped = targets.map(({ check, reported: _reported, ...rest }) => ({
      ...rest,
      ...(check ? { check: measure.shapeOf(check) } : {}),
    }));
    printJson({ schema: "culprit/targets@1", targets: shaped }, 1);
  } else if (flag(input, "quiet")) {
    for (const { target, check } of targets) print(check ? measure.quietly(check, `${shown(target)}: `) : "");
    for (const { target, problem } of targets) if (problem !== undefined) say(`${target}: ${problem}`);
  } else if (how === "side by side") {
    const answer: Targets = { schema: "culprit/targets@1", targets: targets.map(({ reported: _reported, ...rest }) => rest) };
    print(targetsReport(answer, { ...terminalStyle(), asked: askedOfEach(input) }));
  } else for (const [index, answer] of targets.entries()) print(`${index === 0 ? "" : "\n"}${reportOf(input, answer)}`);
  if (targets.some(({ check }) => check && measure.isWrong(check))) return 1;
  return targets.some(({ problem }) => problem !== undefined) ? 2 : 0;
}

/** An answer, and what of it the reports for elsewhere are made of. */
type Answer = TargetAnswer & { reported?: Reported };

/** All targets in one report to be read elsewhere; false where none is asked for. Nobody is named in it. */
async function handedOn(input: Input, targets: Answer[], { failing }: Measure): Promise<boolean> {
  const format = formatOf(input);
  const reported = targets.flatMap((each) => each.reported ?? []);
  const names = await privateNames(undefined);
  if (format) print(await checkFormatted(format, targets, { failing, all: flag(input, "all") }, names));
  else if (flag(input, "sarif")) printDocument(await checkSarif(reported, names));
  else if (flag(input, "markdown")) {
    for (const { target, problem, reported: each } of targets)
      print(`## \`${shown(target)}\`\n\n${each ? await checkMarkdown(each, names) : `${shown(problem ?? "")}\n`}\n`);
  } else return false;
  for (const { target, problem } of targets) if (problem !== undefined) say(`${target}: ${problem}`);
  return true;
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

async function answerOf(given: Input, named: string, accept: (check: Check) => Check): Promise<Omit<Answer, "target">> {
  let examination: Examination | undefined;
  const { input, word } = meaning(given, named);
  try {
    const declared = await examineDeclared(input, word);
    if (declared) return asDeclared(accept(declared.check));
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
    const check = accept(judged.check);
    return {
      reported: { ...judged, check },
      ...(driver.kernel === undefined ? {} : { driver: driver.kernel }),
      gpus: gpus.map(({ name }) => name),
      check,
    };
  } catch (error) {
    return { problem: sentenceOf(error) };
  } finally {
    examination?.collector?.end();
  }
}

/** A file has no machine below it. */
const asDeclared = (check: Check): Omit<Answer, "target"> => ({ check, reported: { check } });
