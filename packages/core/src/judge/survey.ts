// The first half of a check: what is there, and what is asked about it.
import { askAhead, surveyStack } from "../ask/survey.ts";
import { isPython, prefixesIn } from "../ask/choose.ts";
import type { Examination } from "../ask/examination.ts";
import { settle } from "../ask/settle.ts";
import { activities, type Activity } from "../model/activity.ts";
import type { Framework } from "../frameworks/framework.ts";
import { installedIn } from "../frameworks/installed.ts";
import { tryFrameworks } from "../frameworks/run.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Inventory } from "../model/inventory.ts";
import type { RunningFact } from "../model/snapshot.ts";
import type { UnknownThing } from "../model/unknown.ts";
import { driverUnknown, hasDriver, showsDriver, withDriver } from "../ask/provided-driver.ts";
import type { Question } from "./question.ts";
import { programsIn } from "./running-process.ts";
import { libraryOf } from "../knowledge/libraries.ts";

/** What is there, and the question as it is meant here. */
export interface Surveyed {
  /** As it was given, and with the driver that its host would provide. */
  given: Examination;
  examination: Examination;
  programs: Question["programs"];
  /** Whether somebody named programs. */
  isAsked: boolean;
  /** All, where none was named. */
  activities: Activity[];
  askedActivities: Activity[];
  asked: Question["asked"];
  python: string[];
  environments: PythonEnvironment[];
  inventory: Inventory;
  unknown: UnknownThing[];
  /** A process that may come to all that its environment has. */
  isIdle: boolean;
  /** A GPU is asked about, and there is no driver for it. */
  lacksDriver: boolean;
}

export async function survey(given: Examination, asked: Question): Promise<Surveyed> {
  const { running, assumed } = given.view.snapshot;
  const python = 0 < asked.python.length || !running ? asked.python : prefixesIn(running);
  await askAhead(given, python, (environment, framework) => runAhead(given, asked, environment, framework));
  const { environments, inventory } = await surveyStack(given, python);
  // A GPU is assumed with a driver, where the kernel shows none.
  const isAssumed = assumed?.driver !== undefined || (assumed?.gpus !== undefined && inventory.driver.kernel === undefined);
  const isProvided = isAssumed && !hasDriver(inventory);
  const isNowhere = !isProvided && !showsDriver(inventory);
  return {
    given,
    examination: isProvided || isNowhere ? await withDriver(given, isAssumed) : given,
    // Of a process that runs, what it has mapped says which programs it is.
    programs: running && asked.programs.length === 0 ? programsIn(running, environments) : asked.programs,
    isIdle: running !== undefined && asked.programs.length === 0 && isIdlePython(running, environments),
    isAsked: 0 < asked.programs.length,
    activities: asked.activities.length === 0 ? [...activities] : asked.activities,
    askedActivities: asked.activities,
    asked: asked.asked,
    python,
    environments,
    inventory,
    unknown: isNowhere ? [driverUnknown] : [],
    // The host of a container brings a driver with its GPUs; a machine that is said to have a GPU and has no driver lacks it.
    lacksDriver: isProvided && assumed?.driver === undefined && given.view.snapshot.target.kind !== "image",
  };
}

/** A Python that has imported nothing yet may come to all that its environment has. */
function isIdlePython(running: RunningFact, environments: PythonEnvironment[]): boolean {
  const hasNothing = programsIn(running, environments)
    .flat()
    .every((program) => program === running.executable);
  return isPython(running) && hasNothing && !running.maps.some(({ file }) => libraryOf(file));
}

/** What will be asked of a framework, unless other programs are asked for. */
function runAhead(given: Examination, { programs, activities: asked }: Question, environment: PythonEnvironment, framework: Framework) {
  if (0 < programs.length && !programs.flat().includes(framework.id)) return [];
  const copy = installedIn(environment, framework)!;
  return [
    ...[given, withDriver(given, given.view.snapshot.assumed !== undefined)].map(async (examination) =>
      settle(await examination, (view) => tryFrameworks(view, environment, [framework], asked.length === 0 ? [...activities] : asked)),
    ),
    settle(given, (view) => [
      framework.kernels?.(view, copy),
      framework.compiler?.(view, copy),
      framework.cpuOnly?.(view, copy),
      framework.buildsFor?.(view, copy),
      framework.compiledFor(view, copy),
    ]),
  ];
}
