import { openTarget, checkReport, checkTarget, isGpuLibrary, type Check } from "@culprit/core";
import { sentenceOf } from "@culprit/core/lib/reason";
import { shown } from "@culprit/core/lib/shown";
import { pid, processesMapping } from "@culprit/machine/target/pid";
import { askedBy } from "./asked.ts";
import type { Measure } from "./check.ts";
import { flag, UsageError, type Input } from "./usage.ts";
import { note, print, printJson } from "./print.ts";
import { terminalStyle } from "./style.ts";

/** Every process that has a GPU library mapped, one after the other. */
export async function run(input: Input, { accept, isWrong, shapeOf, quietly }: Measure): Promise<number> {
  const other = ["target", "root", "hosts", "for", "markdown", "sarif", "html"].find((name) => input.options[name] !== undefined);
  if (other !== undefined || 0 < input.words.length)
    throw new UsageError(
      `\`--all-processes\` looks at this machine's processes as they are: leave out \`${other === undefined ? input.words[0] : `--${other}`}\``,
    );
  const { pids, hidden } = processesMapping(isGpuLibrary);
  const processes: Examined[] = [];
  for (const number of pids) processes.push({ pid: number, ...(await examined(number, accept)) });
  if (flag(input, "json"))
    printJson({ schema: "culprit/processes@1", processes: processes.map((each) => shaped(each, shapeOf)), hidden }, 1);
  else if (flag(input, "quiet")) for (const { pid: number, check } of processes) print(check ? quietly(check, `pid:${number}: `) : "");
  else {
    for (const [{ check, problem }, numbers] of alike(processes))
      print(
        `${numbers.length === 1 ? "process" : "processes"} ${numbers.join(", ")}\n${check ? checkReport(check, { ...terminalStyle(), asked: askedBy({ words: [], options: { target: `pid:${numbers[0]}` } }) }, { all: flag(input, "all") }) : `cannot tell: ${shown(problem ?? "")}\n`}\n`,
      );
    if (pids.length === 0) print("No process that could be looked at has a GPU library mapped.\n");
    if (0 < hidden) note(`${hidden} ${hidden === 1 ? "process" : "processes"} skipped (permission denied): mostly of other users`);
  }
  return processes.some(({ check }) => check && isWrong(check)) ? 1 : 0;
}

const shaped = ({ check, ...rest }: Examined, shapeOf: (check: Check) => object) => ({
  ...rest,
  ...(check ? { check: shapeOf(check) } : {}),
});

interface Examined {
  pid: number;
  check?: Check;
  problem?: string;
}

/** Ranks of one job say the same: it is said once. */
function alike(processes: Examined[]): [Examined, number[]][] {
  const groups = new Map<string, [Examined, number[]]>();
  for (const each of processes) {
    const key = JSON.stringify([{ ...each.check, target: "" }, each.problem?.replaceAll(String(each.pid), "")]);
    const group = groups.get(key);
    if (group) group[1].push(each.pid);
    else groups.set(key, [each, [each.pid]]);
  }
  return [...groups.values()];
}

async function examined(number: number, accept: (check: Check) => Check): Promise<{ check: Check } | { problem: string }> {
  try {
    const judged = await checkTarget(await openTarget(pid(number)), { programs: [], activities: [], python: [] });
    return "problem" in judged ? { problem: judged.problem } : { check: accept(judged.check) };
  } catch (error) {
    // It may have ended while we looked at the others.
    return { problem: sentenceOf(error) };
  }
}
