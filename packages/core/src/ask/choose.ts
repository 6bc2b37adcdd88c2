// Which frameworks are meant, and in which environment.
import { chooseEnvironment, findEnvironments } from "../survey/environments.ts";
import { normalName } from "../lib/pep508.ts";
import { environmentAt, packageNamed } from "../survey/python.ts";
import { unseenPlaces } from "../survey/unseen.ts";
import { whyWithoutPython } from "../survey/without-python.ts";
import type { Framework } from "../frameworks/framework.ts";
import type { ProgramStep } from "../frameworks/run.ts";
import { activities, type Activity } from "../model/activity.ts";
import { packageProgram, whyNoProgram } from "../frameworks/any-package.ts";
import { installedIn } from "../frameworks/installed.ts";
import { frameworks } from "../frameworks/index.generated.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { RunningFact } from "../model/snapshot.ts";
import { isAmong } from "../model/frameworks.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import type { Examination } from "./examination.ts";
import type { FrameworkRun } from "./frameworks.ts";
import { settle } from "./settle.ts";

/** `tensorflow:device` is TensorFlow, and what is done with it first. */
function splitName(word: string): { name: string; does?: string } {
  const [name = "", does] = word.split(":");
  return does === undefined ? { name } : { name, does };
}

/** What the programs of one process do, where their names say so; empty where they say nothing. */
export const activitiesNamed = (words: string[]): Activity[] =>
  words.flatMap((word) => activities.filter((activity) => activity === splitName(word).does));

/** The frameworks that are meant, what is done with them before all else, and the environment. */
export async function chooseFrameworks(
  examination: Examination,
  { frameworks: words, python }: FrameworkRun,
): Promise<{ frameworks: Framework[]; first: ProgramStep[]; environment: PythonEnvironment } | Problem> {
  const named = words.map(splitName);
  const names = [...new Set(named.map(({ name }) => name))];
  const wanted = names.map((name): Wanted => frameworkNamed(name) ?? { id: name, packages: [normalName(name)] });
  for (const { id, packages, steps } of wanted)
    if (steps === undefined && (await homesOf(examination, packages, python)).length === 0)
      return problemOf(
        "not-known",
        `there is no framework and no installed package \`${id}\`; frameworks are ${frameworks.map((known) => known.id).join(", ")}`,
      );
  const { running } = examination.view.snapshot;
  const places = 0 < python.length || !running ? python : prefixesIn(running);
  const environment =
    (await onlyHome(examination, wanted, places)) ?? (await settle(examination, (view) => chooseEnvironment(view, places)));
  if (!environment) {
    if (0 < python.length) return problemOf("not-found", `there is no Python environment at \`${python.join("`, `")}\``);
    const homes = await homesOf(examination, wanted[0]!.packages);
    return problemOf(
      "not-found",
      0 < homes.length
        ? `no Python is on PATH; for ${names[0]}, ${whereItIs(homes)}`
        : "there is no Python environment in the usual places; `--python DIR` names one",
    );
  }
  const chosen: Framework[] = [];
  for (const each of wanted) {
    const found =
      each.steps === undefined ? await settle(examination, (view) => packageProgram(view, environment, each.id)) : (each as Framework);
    if (!found && !installedIn(environment, each)) return notInstalled(examination, each, environment);
    if (!found)
      return problemOf("not-known", `${each.id} is installed in \`${environment.prefix}\`, but ${whyNoProgram(environment, each.id)}`);
    chosen.push(found);
  }
  const first = stepsOf(
    named,
    named.map(({ name }) => chosen[names.indexOf(name)]!),
  );
  return "problem" in first ? first : { frameworks: chosen, first, environment };
}

/** By its own name, or by that of a distribution: `cupy-cuda11x` is CuPy. */
const frameworkNamed = (name: string): Framework | undefined =>
  frameworks.find(({ id }) => id === name) ??
  frameworks.find(({ packages, otherBuilds = [] }) => isAmong(normalName(name), [...packages, ...otherBuilds]));

/** What is done with frameworks before all else, as their names say it. */
function stepsOf(named: { name: string; does?: string }[], chosen: Framework[]): ProgramStep[] | Problem {
  const first: ProgramStep[] = [];
  for (const [index, { name, does }] of named.entries()) {
    const framework = chosen[index]!;
    const may = [...activities, ...Object.keys(framework.calls ?? {})];
    if (does !== undefined && !may.includes(does))
      return problemOf("bad-question", `${name} does no \`${does}\`; it does ${may.join(", ")}`);
    // Where nothing is said of one, it is imported there.
    if (named.some((each) => each.does !== undefined)) first.push({ framework, does: does ?? "import" });
  }
  return first;
}

/** A framework, or a package of which only the name is known yet. */
type Wanted = Pick<Framework, "id" | "packages"> & Partial<Pick<Framework, "steps">>;

/** The environments that a process has modules of, as pip, Debian and Red Hat lay them out, and builds without the lock; else that of its Python. */
export function prefixesIn(running: RunningFact): string[] {
  const { maps, started, executable } = running;
  const found = maps.flatMap(({ file }) => /^(.*)\/lib(?:64)?\/python3(?:\.\d+t?)?\/(?:site|dist)-packages\//.exec(file)?.[1] ?? []);
  const own = isPython(running) ? [started ?? "", executable].flatMap((file) => /^(.*)\/bin\/python[\w.]*$/.exec(file)?.[1] ?? []) : [];
  return [...new Set(0 < found.length ? found : own.slice(0, 1))];
}

/** Whether a process is Python itself, and no program that has one inside. */
export const isPython = ({ executable }: RunningFact): boolean => /\/python3?(?:\.\d+)?t?$/.test(executable);

// A folder does not say which Python would be started, and the PATH of an image or of a shell that ssh starts says little of what a job
// will call. Where one environment alone has the frameworks, that one is meant.
async function onlyHome(examination: Examination, wanted: Wanted[], python: string[]): Promise<PythonEnvironment | undefined> {
  const { target, environment: variables } = examination.view.snapshot;
  const telling = target.kind === "image" || target.kind === "host" ? [] : ["PATH"];
  if (0 < python.length || [...telling, "VIRTUAL_ENV", "CONDA_PREFIX"].some((name) => variables[name] !== undefined)) return undefined;
  const all = await settle(examination, (view) => findEnvironments(view, []));
  const homes = all.filter((environment) => wanted.every((framework) => installedIn(environment, framework)));
  return homes.length === 1 ? homes[0] : undefined;
}

/** What is wrong with the first of these places that holds no Python environment, or none that may be read. */
export async function placeWithoutPython(examination: Examination, places: string[]): Promise<string | undefined> {
  for (const place of places) {
    if (await settle(examination, (view) => environmentAt(view, place))) continue;
    const [hidden] = unseenPlaces([examination.view], [], [place]);
    const reason = hidden ? undefined : await settle(examination, (view) => whyWithoutPython(view, place));
    if (reason !== undefined) return `\`${place}\` ${reason}`;
    return hidden
      ? `cannot tell whether there is a Python environment at \`${place}\`: \`${hidden.subject}\` ${hidden.reason}`
      : `there is no Python environment at \`${place}\``;
  }
  return undefined;
}

async function homesOf(examination: Examination, packages: string[], places: string[] = []): Promise<PythonEnvironment[]> {
  const all = await settle(examination, (view) => findEnvironments(view, places));
  return all.filter((environment) => packages.some((name) => packageNamed(environment, name)));
}

const whereItIs = (homes: PythonEnvironment[]) =>
  `it is in ${homes.map(({ prefix }) => `\`${prefix}\``).join(", ")}: \`--python ${homes[0]!.prefix}\``;

// The environment that was meant is often another one: say where the framework is.
export async function notInstalled(examination: Examination, { id, packages }: Wanted, environment: PythonEnvironment): Promise<Problem> {
  const { prefix } = environment;
  const holds = await homesOf(examination, packages);
  const hint = 0 < holds.length ? `; ${whereItIs(holds)}` : "";
  // A folder that may not be listed is no proof of absence.
  const hidden = unseenPlaces([examination.view], [environment], []).find(({ isNeeded }) => isNeeded);
  if (hidden && holds.length === 0)
    return problemOf("unreadable", `cannot tell whether ${id} is installed in \`${prefix}\`: \`${hidden.subject}\` ${hidden.reason}`);
  return problemOf(
    "not-installed",
    `${id} is not installed in \`${prefix}\`${hint === "" ? " or in any other environment that was found" : hint}`,
  );
}

export const isFramework = (word: string) => frameworks.some(({ id }) => id === splitName(word).name);

/** Whether an environment has a package of that name, so that it may be a program. */
export const isInstalled = async (examination: Examination, word: string, places: string[]): Promise<boolean> =>
  0 < (await homesOf(examination, [normalName(splitName(word).name)], places)).length;
