import { cuptiKnows } from "../knowledge/cupti.ts";
import type { Readiness } from "../model/check.ts";
import type { Finding } from "../model/finding.ts";
import { profileOf, recordings, toolkitWords, type Recording } from "./cupti.ts";
import type { Stack } from "./stack.ts";
import { programName } from "./words.ts";

/** What was asked for by name and will work. Only a profile needs saying so: an empty one looks like a full one until it is opened. */
export function readinessOf(stack: Stack, findings: Finding[]): Readiness[] {
  if (!stack.askedActivities.includes("profile")) return [];
  const troubled = (id: string) =>
    findings.some(({ severity, breaks, endangers, rule }) =>
      [...breaks, ...(rule === "profiler-plugin-versions" || severity === "info" ? [] : endangers)].some(
        ({ framework, activity }) => framework === id && activity === "profile",
      ),
    );
  return recordings(stack)
    .filter(({ program }) => !troubled(program.id))
    .map((recording) => readyWith(stack, recording));
}

function readyWith(stack: Stack, { run, program, load, toolkit }: Recording): Readiness {
  const known = stack.inventory.gpus.find(
    ({ architecture }) => toolkit && architecture !== undefined && cuptiKnows(toolkit, architecture)?.knows === "itself",
  );
  const { gpus, driver } = stack.inventory;
  const isSeen = 0 < gpus.length || driver.kernel !== undefined || driver.wsl === true;
  const of = toolkit ? `CUPTI of ${toolkitWords(toolkit)}${known ? `, which knows ${known.name}` : ""}` : "CUPTI";
  return {
    ...profileOf(program),
    message: `${programName(run, program.id)}: ${isSeen ? "" : "where there is a GPU, "}the profile ${run.watched ? "will" : "should"} contain the GPU, recorded by ${load.file} (${of})`,
    file: load.file,
    ...(toolkit ? { version: toolkit.newest.cuda } : load.version === undefined ? {} : { version: load.version }),
  };
}
