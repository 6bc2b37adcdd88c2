import { describeCopies, findCopies, foldersWithCopies, versionByOwner } from "./collect/copies.ts";
import { readDriver, readGpus } from "./collect/driver.ts";
import { chooseEnvironment, findEnvironments } from "./collect/environments.ts";
import { missingFiles, ownersOf } from "./collect/owners.ts";
import { readPointers } from "./collect/pointers.ts";
import { environmentAt, packageNamed } from "./collect/python.ts";
import { readRequirements } from "./collect/requirements.ts";
import { readToolkits } from "./collect/toolkits.ts";
import { unseenPlaces } from "./collect/unseen.ts";
import { readVariableSources } from "./collect/variables.ts";
import { answered, nameCopies, withVersions, type Examination } from "./examination.ts";
import { activities, type Activity } from "./frameworks/activities.ts";
import type { CompiledFor, Framework, FrameworkCopy } from "./frameworks/framework.ts";
import { frameworks } from "./frameworks/index.generated.ts";
import { programLoads } from "./frameworks/program.ts";
import { frameworkLoads, runFrameworks } from "./frameworks/run.ts";
import { gpuNamed } from "./knowledge/gpus.ts";
import type { PythonEnvironment } from "./model/environment.ts";
import { reducedSources } from "./lib/shell-lines.ts";
import type { Copy, InstalledFramework, Inventory, Toolkit } from "./model/inventory.ts";
import type { Loads } from "./model/loads.ts";
import type { RunningFact } from "./model/snapshot.ts";
import type { Why } from "./model/why.ts";
import { tellUnseen } from "./resolve/unseen.ts";
import { whyOf } from "./resolve/why.ts";

/** What one program would load, what its libraries bring in by themselves, and what it was built against. */
export async function examineGpuProgram(examination: Examination, path: string): Promise<Loads> {
  return withVersions(await answered(examination, (view) => programLoads(view, path)), examination.view.snapshot);
}

/** Frameworks in one process: which, in which environment, doing what. */
export interface FrameworkRun {
  /** In the order of their imports. */
  frameworks: string[];
  activities: Activity[];
  /** Where to look for the environment; empty: the active one, or the first on PATH. */
  python: string[];
}

/** What one process would load that imports these frameworks, in this order, and does these activities with each. */
export async function examineFrameworks(examination: Examination, run: FrameworkRun): Promise<Loads | { problem: string }> {
  const chosen = await chooseFrameworks(examination, run);
  if ("problem" in chosen) return chosen;
  const answer = await answered(examination, (view) => frameworkLoads(view, chosen.environment, chosen.frameworks, run.activities));
  if ("missing" in answer) return notInstalled(examination, answer.missing, chosen.environment);
  return tellUnseen(examination.view, await withAllVersions(examination, chosen.environment, answer));
}

/** Versions of the copies among loads: from code, from names, and last from the wheels that brought them. */
async function withAllVersions(examination: Examination, environment: PythonEnvironment, answer: Loads): Promise<Loads> {
  const files = answer.loads.map(({ file }) => file);
  const owners = await answered(examination, (view) => ownersOf(view, [environment], files));
  for (const load of withVersions(answer, examination.view.snapshot).loads) {
    // What neither code nor name tells, the wheel does that brought the file: 9.19.0.56 is cuDNN 9.19.0.
    const owner = owners.get(load.file);
    const packaged =
      load.library !== undefined && owner ? versionByOwner(load.library, owner)?.split(".").slice(0, 3).join(".") : undefined;
    if (load.version === undefined && packaged !== undefined) load.version = packaged;
  }
  return answer;
}

/** Why a library is found where it is, in a process of frameworks. */
export async function examineFrameworksWhy(
  examination: Examination,
  library: string,
  run: FrameworkRun,
): Promise<Why | { problem: string }> {
  const chosen = await chooseFrameworks(examination, run);
  if ("problem" in chosen) return chosen;
  const { environment } = chosen;
  let missing: Framework | undefined;
  const why = await answered(examination, (view) =>
    whyOf(view, library, environment.python, (seen, heard) => {
      const ran = runFrameworks(seen, environment, chosen.frameworks, run.activities, heard);
      if ("missing" in ran) missing = ran.missing;
      return "missing" in ran ? undefined : ran.started;
    }),
  );
  return missing ? notInstalled(examination, missing, environment) : nameCopies(why, examination.view.snapshot);
}

export async function chooseFrameworks(
  examination: Examination,
  { frameworks: names, python }: FrameworkRun,
): Promise<{ frameworks: Framework[]; environment: PythonEnvironment } | { problem: string }> {
  const chosen = names.map((name) => frameworks.find(({ id }) => id === name));
  const unknown = names.find((_, index) => chosen[index] === undefined);
  if (unknown !== undefined)
    return { problem: `there is no framework \`${unknown}\`; known are ${frameworks.map(({ id }) => id).join(", ")}` };
  const { running } = examination.view.snapshot;
  const places = 0 < python.length || !running ? python : prefixesIn(running);
  const environment =
    (await onlyHome(examination, chosen as Framework[], places)) ??
    (await answered(examination, (view) => chooseEnvironment(view, places)));
  if (environment) return { frameworks: chosen as Framework[], environment };
  if (0 < python.length) return { problem: `there is no Python environment at \`${python.join("`, `")}\`` };
  const homes = await homesOf(examination, chosen[0]!.packages);
  return {
    problem:
      0 < homes.length
        ? `no Python is on PATH; for ${names[0]}, ${whereItIs(homes)}`
        : "there is no Python environment in the usual places; `--python DIR` names one",
  };
}

/** The environments that a process has modules of: as pip, Debian and Red Hat lay them out, and builds without the lock. */
export function prefixesIn({ maps }: RunningFact): string[] {
  return [...new Set(maps.flatMap(({ file }) => /^(.*)\/lib(?:64)?\/python3(?:\.\d+t?)?\/(?:site|dist)-packages\//.exec(file)?.[1] ?? []))];
}

// A folder does not say which Python would be started, and the PATH of an image or of a shell that ssh starts says little of what a job
// will call. Where one environment alone has the frameworks, that one is meant.
async function onlyHome(examination: Examination, wanted: Framework[], python: string[]): Promise<PythonEnvironment | undefined> {
  const { target, environment: variables } = examination.view.snapshot;
  const telling = target.kind === "image" || target.kind === "host" ? [] : ["PATH"];
  if (0 < python.length || [...telling, "VIRTUAL_ENV", "CONDA_PREFIX"].some((name) => variables[name] !== undefined)) return undefined;
  const all = await answered(examination, (view) => findEnvironments(view, []));
  const homes = all.filter((environment) => wanted.every((framework) => installedIn(environment, framework)));
  return homes.length === 1 ? homes[0] : undefined;
}

/** What is wrong with the first of these places that holds no Python environment, or none that may be read. */
export async function placeWithoutPython(examination: Examination, places: string[]): Promise<string | undefined> {
  for (const place of places) {
    if (await answered(examination, (view) => environmentAt(view, place))) continue;
    const [hidden] = unseenPlaces([examination.view], [], [place]);
    return hidden
      ? `whether there is a Python environment at \`${place}\` cannot be told: \`${hidden.subject}\` ${hidden.reason}`
      : `there is no Python environment at \`${place}\``;
  }
  return undefined;
}

async function homesOf(examination: Examination, packages: string[]): Promise<PythonEnvironment[]> {
  const all = await answered(examination, (view) => findEnvironments(view, []));
  return all.filter((environment) => packages.some((name) => packageNamed(environment, name)));
}

const whereItIs = (homes: PythonEnvironment[]) =>
  `it is in ${homes.map(({ prefix }) => `\`${prefix}\``).join(", ")}: \`--python ${homes[0]!.prefix}\``;

// The environment that was meant is often another one: say where the framework is.
export async function notInstalled(
  examination: Examination,
  { id, packages }: Framework,
  environment: PythonEnvironment,
): Promise<{ problem: string }> {
  const { prefix } = environment;
  const holds = await homesOf(examination, packages);
  const hint = 0 < holds.length ? `; ${whereItIs(holds)}` : "";
  // A folder that may not be listed is no proof of absence.
  const hidden = unseenPlaces([examination.view], [environment], []).find(({ isNeeded }) => isNeeded);
  if (hidden && holds.length === 0)
    return { problem: `cannot tell whether ${id} is installed in \`${prefix}\`: \`${hidden.subject}\` ${hidden.reason}` };
  return { problem: `${id} is not installed in \`${prefix}\`${hint === "" ? ", nor in another environment that was found" : hint}` };
}

export const isKnownGpu = (name: string) => gpuNamed(name) !== undefined;

export const isFramework = (name: string) => frameworks.some(({ id }) => id === name);

/** Goes through all that can be asked about the stack, so that a snapshot holds what the answers rest on. */
export async function collectStack(examination: Examination, places: string[]): Promise<void> {
  await examineInventory(examination, places);
  const environments = await answered(examination, (view) => findEnvironments(view, places));
  for (const environment of environments) {
    for (const framework of frameworks) {
      for (const activity of activities) await answered(examination, (view) => frameworkLoads(view, environment, [framework], [activity]));
      const copy = installedIn(environment, framework);
      if (copy) await answered(examination, (view) => framework.kernels?.(view, copy));
    }
  }
  await answered(examination, (view) => {
    chooseEnvironment(view, places);
    readRequirements(view, environments);
    readPointers(view);
    for (const environment of environments) {
      for (const framework of frameworks) {
        const copy = installedIn(environment, framework);
        if (copy) framework.cpuOnly?.(view, copy);
      }
    }
  });
}

/**
 * Asks side by side what will be asked in turn, and forgets the answers: where every fetch costs a journey, the journeys are shared.
 * `each` is what will be asked of a framework that is there.
 */
export async function askAhead(
  examination: Examination,
  places: string[],
  each: (environment: PythonEnvironment, framework: Framework) => Promise<unknown>[],
): Promise<void> {
  // What is tried out on a copy of the facts lacks hardly any.
  if (!examination.collector?.isDistant || examination.view.snapshot !== examination.collector.snapshot) return;
  const toolkits = answered(examination, readToolkits);
  const environments = answered(examination, (view) => findEnvironments(view, places));
  const copiesBeside = async (found: Toolkit[], homes: PythonEnvironment[]) => {
    const folders = await answered(examination, (view) => foldersWithCopies(view, found, homes));
    const copies = await answered(examination, (view) => findCopies(view, folders));
    await answered(examination, (view) => describeCopies(view, copies, new Map()));
    const owners = await answered(examination, (view) => ownersOf(view, homes, [...copies.keys()]));
    await answered(examination, (view) => describeCopies(view, copies, owners));
  };
  await Promise.all([
    answered(examination, (view) => [readDriver(view), readGpus(view), readVariableSources(view, [])]),
    answered(examination, readPointers),
    answered(examination, (view) => chooseEnvironment(view, places)),
    answered(examination, (view) => ownersOf(view, [], [])),
    copiesBeside([], []),
    toolkits.then(async (found) => copiesBeside(found, [])),
    Promise.all([toolkits, environments]).then(async ([found, homes]) => copiesBeside(found, homes)),
    environments.then(async (homes) =>
      Promise.all([
        answered(examination, (view) =>
          readVariableSources(
            view,
            homes.map(({ prefix }) => prefix),
          ),
        ),
        answered(examination, (view) => missingFiles(view, homes)),
        answered(examination, (view) => readRequirements(view, homes)),
        ...homes.flatMap((environment) =>
          frameworks.filter((framework) => installedIn(environment, framework)).flatMap((framework) => each(environment, framework)),
        ),
      ]),
    ),
  ]);
}

/** Everything of the GPU stack that is there, and what each framework was compiled for and would load. */
export async function examineInventory(examination: Examination, places: string[]): Promise<Inventory> {
  await askAhead(examination, places, (environment, framework) => [
    answered(examination, (view) => frameworkLoads(view, environment, [framework], ["convolution", "profile"])),
    answered(examination, (view) => framework.compiledFor(view, installedIn(environment, framework)!)),
  ]);
  const { environments, inventory } = await surveyStack(examination, places);
  for (const environment of environments) {
    for (const framework of frameworks) {
      const copy = installedIn(environment, framework);
      if (!copy) continue;
      const loads = await answered(examination, (view) => frameworkLoads(view, environment, [framework], ["convolution", "profile"]));
      const build = await answered(examination, (view) => ({
        compiledFor: framework.compiledFor(view, copy),
        cpuOnly: framework.cpuOnly?.(view, copy),
      }));
      if ("missing" in loads) continue;
      withVersions(loads, examination.view.snapshot);
      inventory.frameworks.push(describeFramework(framework.id, copy, build, loads, inventory.copies));
    }
  }
  // What else stands in those lines is their owner's.
  return { ...inventory, variables: reducedSources(inventory.variables) };
}

/** What is there, without asking what frameworks would do with it. */
export async function surveyStack(
  examination: Examination,
  places: string[],
): Promise<{ environments: PythonEnvironment[]; inventory: Inventory }> {
  const { snapshot } = examination.view;
  // One survey after the other: what is finished is not gone through again when the next one lacks a fact.
  const environments = await answered(examination, (view) => findEnvironments(view, places));
  const toolkits = await answered(examination, readToolkits);
  const folders = await answered(examination, (view) => foldersWithCopies(view, toolkits, environments));
  const found = await answered(examination, (view) => findCopies(view, folders));
  const owners = await answered(examination, (view) => ownersOf(view, environments, [...found.keys()]));
  const copies = await answered(examination, (view) => describeCopies(view, found, owners));
  const prefixes = environments.map(({ prefix }) => prefix);
  const seen = await answered(examination, (view) => ({
    driver: readDriver(view),
    gpus: readGpus(view),
    variables: readVariableSources(view, prefixes),
    missing: missingFiles(view, environments),
  }));
  const inventory: Inventory = {
    schema: "culprit/list@1",
    target: snapshot.target,
    driver: seen.driver,
    gpus: seen.gpus,
    toolkits,
    environments: environments.map(({ prefix, kind, python, version: release, notFollowed, packages }) => ({
      prefix,
      kind,
      python,
      version: release,
      notFollowed,
      packages: packages.map((found) => ({ name: found.name, version: found.version })),
    })),
    copies,
    frameworks: [],
    variables: seen.variables,
    missing: seen.missing,
    unknown: snapshot.unknown,
  };
  return { environments, inventory };
}

export function installedIn(environment: PythonEnvironment, { packages }: Framework): FrameworkCopy | undefined {
  const found = packages.map((name) => packageNamed(environment, name)).find((candidate) => candidate !== undefined);
  return found && { package: found, environment };
}

export function describeFramework(
  id: string,
  { package: { name, version }, environment }: FrameworkCopy,
  { compiledFor, cpuOnly }: { compiledFor: CompiledFor; cpuOnly?: string | undefined },
  loads: Loads,
  copies: Copy[],
): InstalledFramework {
  return {
    framework: id,
    package: name,
    version,
    environment: environment.prefix,
    compiledFor,
    ...(cpuOnly === undefined ? {} : { cpuOnly }),
    wouldLoad: byLibrary(loads, copies),
    verdict: loads.failures.length === 0 ? "works" : "stops",
    failures: loads.failures,
  };
}

function byLibrary({ loads }: Loads, copies: Copy[]): InstalledFramework["wouldLoad"] {
  const versions = new Map(copies.map((copy) => [copy.file, copy.version]));
  const found: InstalledFramework["wouldLoad"] = {};
  for (const { library, file, version: read, certainty, unmapped } of loads) {
    if (library === undefined || unmapped) continue;
    const known = versions.get(file) ?? read;
    (found[library] ??= []).push({ file, certainty, ...(known === undefined ? {} : { version: known }) });
  }
  return found;
}
