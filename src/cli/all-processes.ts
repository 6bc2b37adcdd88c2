import { beginExamination, checkReport, examineStack, isGpuLibrary, type Check } from "../index.ts";
import { pid, processesMapping } from "../target/index.ts";
import { flag, type Input } from "./usage.ts";
import { note, print } from "./print.ts";
import { terminalStyle } from "./style.ts";

/** Every process that has a GPU library mapped, one after the other. */
export async function run(input: Input): Promise<number> {
  const { pids, hidden } = processesMapping(isGpuLibrary);
  const processes: { pid: number; check?: Check; problem?: string }[] = [];
  for (const number of pids) processes.push({ pid: number, ...(await examined(number)) });
  if (flag(input, "json")) print(`${JSON.stringify({ schema: "culprit/processes@1", processes, hidden }, null, 1)}\n`);
  else {
    for (const { pid: number, check, problem } of processes)
      print(
        `process ${number}\n${check ? checkReport(check, terminalStyle(), { all: flag(input, "all") }) : `cannot tell: ${problem}\n`}\n`,
      );
    if (pids.length === 0) print("No process that could be looked at has a GPU library mapped.\n");
    if (0 < hidden)
      note(
        `${hidden === 1 ? "one process belongs to another user: whether it uses" : `${hidden} processes belong to other users: whether they use`} a GPU cannot be told`,
      );
  }
  return processes.some(({ check }) => check?.findings.some(({ severity }) => severity === "error")) ? 1 : 0;
}

async function examined(number: number): Promise<{ check: Check } | { problem: string }> {
  try {
    const judged = await examineStack(await beginExamination(pid(number)), { programs: [], activities: [], python: [] });
    return "problem" in judged ? judged : { check: judged.check };
  } catch (error) {
    // It may have ended while we looked at the others.
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
