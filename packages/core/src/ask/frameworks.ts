// What frameworks would load, each in a Python process.
import { versionByOwner } from "../survey/copies.ts";
import { ownersOf } from "../survey/owners.ts";
import type { Activity } from "../model/activity.ts";
import { programLoads } from "../frameworks/program.ts";
import { packagePrograms } from "../frameworks/any-package.ts";
import { endsAtBroken, mayReachOthers } from "../frameworks/broken-imports.ts";
import { brokenImports, frameworkLoads, nothingTried } from "../frameworks/run.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Failure, Loads } from "../model/loads.ts";
import type { Problem } from "../model/problem.ts";
import { tellUnseen } from "../resolve/unseen.ts";
import { chooseFrameworks, notInstalled } from "./choose.ts";
import type { Examination } from "./examination.ts";
import { driverUnknown, hasDriver, showsDriver, withDriver } from "./provided-driver.ts";
import { isCompat } from "../frameworks/driver.ts";
import { settle } from "./settle.ts";
import { surveyStack } from "./survey.ts";
import { threeOf, withVersions } from "./versions.ts";

/** What one program would load, what its libraries bring in by themselves, and what it was built against. */
export async function loadsOfGpuProgram(examination: Examination, path: string): Promise<Loads> {
  return withVersions(await settle(examination, (view) => programLoads(view, path)), examination.view.snapshot);
}

/** Frameworks in one process: which, in which environment, doing what. */
export interface FrameworkRun {
  /** In the order of their imports; `tensorflow:device` says what is done with one before the next comes. */
  frameworks: string[];
  activities: Activity[];
  /** Where to look for the environment; empty: the active one, or the first on PATH. */
  python: string[];
}

/** What one process would load that imports these frameworks, in this order, and does these activities with each. */
export async function loadsOfFrameworks(examination: Examination, run: FrameworkRun): Promise<Loads | Problem> {
  const chosen = await chooseFrameworks(examination, run);
  if ("problem" in chosen) return chosen;
  const loadsIn = async (given: Examination) => {
    const { environment, frameworks, first } = chosen;
    const mayReach = frameworks.some(mayReachOthers);
    const packages = mayReach ? await settle(given, (view) => packagePrograms(view, environment)) : [];
    const tried = given.collector && nothingTried();
    const broken = mayReach ? await settle(given, (view) => brokenImports(view, environment, packages, { before: tried })) : [];
    const ends = await settle(given, (view) => endsAtBroken(view, environment, frameworks, broken));
    return settle(given, (view) => frameworkLoads(view, environment, frameworks, run.activities, { first, ends }));
  };
  let answer = await loadsIn(examination);
  if ("missing" in answer) return notInstalled(examination, answer.missing, chosen.environment);
  // A driver that is asked about is there, as it is for a check; where its libraries would lie is a guess.
  if (answer.failures.some(isOfDriver) && (await lacksAssumedDriver(examination, run.python))) {
    const driven = await loadsIn(await withDriver(examination, true));
    if ("missing" in driven) return notInstalled(examination, driven.missing, chosen.environment);
    for (const load of driven.loads) if (examination.view.snapshot.files[load.file]?.kind !== "file") load.certainty = "possible";
    answer = driven;
  }
  // Where nothing shows a driver, that there is none is nobody's fault: a check says the same.
  if (answer.failures.some(isOfDriver) && !(await mayHaveDriver(examination, run.python))) {
    answer.missed.push(...answer.failures.filter(isOfDriver));
    answer.failures = answer.failures.filter((failure) => !isOfDriver(failure));
    answer.unknown.push(driverUnknown);
  }
  const told = await withAllVersions(examination, chosen.environment, answer);
  standIn(told, examination.view.snapshot.assumed?.driver);
  return tellUnseen(examination.view, told);
}

/** A driver that is asked about has libraries of its own: those of the one that is here only show where they would lie. */
function standIn({ loads, unknown }: Loads, driver: string | undefined): void {
  if (driver === undefined) return;
  const others = loads.filter(
    ({ library, file, version }) =>
      version !== undefined && ["libcuda", "nvml"].includes(library ?? "") && !isCompat(file) && !version.startsWith(driver),
  );
  for (const load of others) Object.assign(load, { version: driver, certainty: "possible" });
  if (0 < others.length)
    unknown.push({
      subject: `driver ${driver}`,
      kind: "driver",
      reason: "its libraries would lie where those of this driver do; whether programs run on it, `culprit check` says",
    });
}

const isOfDriver = ({ refusal, name, underlying }: Failure) =>
  refusal?.kind === "no-driver" || (refusal === undefined && [name, underlying?.name].includes("libcuda.so.1"));

/** Whether a driver is asked about that is not there. */
const lacksAssumedDriver = async (examination: Examination, places: string[]): Promise<boolean> =>
  examination.view.snapshot.assumed?.driver !== undefined && !hasDriver((await surveyStack(examination, places)).inventory);

/** Whether there is any sign of a driver, or one is asked about. */
async function mayHaveDriver(examination: Examination, places: string[]): Promise<boolean> {
  if (examination.view.snapshot.assumed) return true;
  return showsDriver((await surveyStack(examination, places)).inventory);
}

/** Versions of the copies among loads: from code, from names, and last from the wheels that brought them. */
async function withAllVersions(examination: Examination, environment: PythonEnvironment, answer: Loads): Promise<Loads> {
  const files = answer.loads.map(({ file }) => file);
  const owners = await settle(examination, (view) => ownersOf(view, [environment], files));
  for (const load of withVersions(answer, examination.view.snapshot).loads) {
    // What neither code nor name tells, the wheel does that brought the file.
    const owner = owners.get(load.file);
    const packaged = load.library !== undefined && owner ? threeOf(versionByOwner(load.library, owner)) : undefined;
    if (load.version === undefined && packaged !== undefined) load.version = packaged;
  }
  return answer;
}
