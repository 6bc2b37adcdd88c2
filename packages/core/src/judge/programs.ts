// The second half of a check: every program on paper.
import { activitiesNamed, chooseFrameworks, notInstalled } from "../ask/choose.ts";
import { recall } from "../ask/recall.ts";
import { unusableProgram } from "../ask/unusable-program.ts";
import { gpuProgramsBelow } from "../ask/build-programs.ts";
import type { Examination } from "../ask/examination.ts";
import type { Framework } from "../frameworks/framework.ts";
import type { UnknownThing } from "../model/unknown.ts";
import type { Run } from "../diagnose/stack.ts";
import { packagesIn } from "../frameworks/any-package.ts";
import { frameworks } from "../frameworks/index.generated.ts";
import { installedIn } from "../frameworks/installed.ts";
import { brokenOn, runExecutable, runFrameworksOn, runPackagesOn, triedOn } from "./run.ts";
import { describeRunning } from "./running-process.ts";
import { nothingGoneThrough } from "../survey/imports.ts";
import type { Surveyed } from "./survey.ts";
import { problemOf, type Problem } from "../model/problem.ts";

/** What every program would do that is asked about; without any, every framework in every environment, each by itself. */
export async function runPrograms(surveyed: Surveyed): Promise<Run[] | Problem> {
  const { given, examination, programs: processes, activities, python, environments, inventory } = surveyed;
  const runs: Run[] = [];
  if (processes.length === 0 || surveyed.isIdle) {
    for (const environment of environments) {
      const installed = frameworks.filter((framework) => installedIn(environment, framework));
      const gone = examination.collector && nothingGoneThrough();
      const { programs: others, silent } = await recall(examination, `other packages of ${environment.prefix}`, [environment], (view) =>
        packagesIn(view, environment, gone),
      );
      surveyed.unknown.push(...silent);
      const { broken, tried } = await triedOn(examination, environment, others);
      for (const framework of installed) {
        const run = await runFrameworksOn(examination, environment, { frameworks: [framework], broken }, activities, inventory);
        const unread = unreadIn(examination, run, framework);
        if (unread) surveyed.unknown.push(unread);
        else runs.push(run);
      }
      runs.push(...(await runPackagesOn(examination, environment, { frameworks: others, broken, tried }, activities, inventory)));
    }
  }
  for (const programs of processes) {
    if (programs.some((program) => program.includes("/"))) {
      if (programs.length !== 1)
        return problemOf("bad-question", `several programs in one process must be frameworks: \`${programs.join(",")}\``);
      const [program] = programs as [string];
      const unusable = await unusableProgram(examination, program);
      if (unusable) return unusable;
      // A folder stands for all that was built there.
      for (const each of (await gpuProgramsBelow(examination, program)) ?? programs)
        runs.push(await runExecutable(examination, each, inventory));
      continue;
    }
    const chosen = await chooseFrameworks(examination, { frameworks: programs, activities, python });
    if ("problem" in chosen) return chosen;
    const missing = chosen.frameworks.find((framework) => !installedIn(chosen.environment, framework));
    if (missing) return notInstalled(examination, missing, chosen.environment);
    // Who says what the program does asks about that alone.
    const named = activitiesNamed(programs);
    const asked = surveyed.askedActivities.length === 0 && 0 < named.length ? named : activities;
    const broken = await brokenOn(examination, chosen.environment, chosen.frameworks);
    runs.push(await runFrameworksOn(examination, chosen.environment, { ...chosen, broken }, asked, inventory));
  }
  const { running } = given.view.snapshot;
  if (running) runs.push(describeRunning(running, environments, inventory, activities));
  return runs;
}

/** A snapshot that was taken before anybody asked about a package has none of its files: nothing is judged then, and that is said once. */
function unreadIn({ collector }: Examination, { programs: [program], loads }: Run, { modules }: Framework): UnknownThing | undefined {
  const found = program?.package;
  if (collector || !found) return undefined;
  const own = modules.map((module) => `${found.folder}/${module.replaceAll(".", "/")}`);
  const isOwn = ({ kind, subject }: UnknownThing) =>
    (kind === "file" || kind === "folder") && own.some((place) => subject.startsWith(place));
  // Of one that it has files of, what is open is told file by file.
  const isSeen = loads.loads.some(({ file }) => own.some((place) => file.startsWith(place)));
  if (isSeen || !loads.unknown.some(isOwn)) return undefined;
  return {
    subject: `${program.id} ${found.version}`,
    kind: "package",
    reason: "not in the snapshot; one that this culprit takes has it",
  };
}
