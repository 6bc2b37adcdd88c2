// One process on paper: what it would load, and where it would stop.
import type { Examination } from "../ask/examination.ts";
import { describeFramework } from "../ask/inventory.ts";
import { recall } from "../ask/recall.ts";
import { settle } from "../ask/settle.ts";
import { withVersions } from "../ask/versions.ts";
import type { Program, Run, Stop } from "../diagnose/stack.ts";
import { activities as allActivities, type Activity } from "../model/activity.ts";
import { packagePrograms } from "../frameworks/any-package.ts";
import { endsAtBroken, mayReachOthers, restingOn, type BrokenImport } from "../frameworks/broken-imports.ts";
import type { Framework, FrameworkCopy } from "../frameworks/framework.ts";
import { frameworks } from "../frameworks/index.generated.ts";
import { installedIn } from "../frameworks/installed.ts";
import { kernelsIn } from "../frameworks/kernels.ts";
import { tryProgram } from "../frameworks/program.ts";
import {
  brokenAmong,
  brokenImports,
  describeRun,
  tryFrameworks,
  nothingTried,
  tryPackages,
  importedByOthers,
  type ProgramStep,
  type StoppedActivity,
  type TriedPackage,
} from "../frameworks/run.ts";
import { lostModules } from "../frameworks/standard-library.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Copy, Inventory } from "../model/inventory.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import type { Failure, Loads } from "../model/loads.ts";
import { isElf, viewOf, type View } from "../resolve/view.ts";
import { isEqual } from "../lib/compare.ts";
import { keptWith } from "../lib/memo.ts";
import { folderOf, withoutDots } from "../lib/path.ts";
import { describeCopies, findCopies, versionByOwner } from "../survey/copies.ts";
import { broughtBy } from "../survey/gpu-packages.ts";
import { environmentAt, kindAt } from "../survey/python.ts";
import { nothingGoneThrough } from "../survey/imports.ts";
import { lackedBy } from "../survey/requirements.ts";
import { soundModules, type Sound } from "../survey/unsound.ts";

/** What one process is asked about; `broken`: what is installed there and cannot be imported. */
interface Asked {
  frameworks: Framework[];
  first?: ProgramStep[];
  broken: BrokenImport[];
}

export async function brokenOn(examination: Examination, environment: PythonEnvironment, asked: Framework[]): Promise<BrokenImport[]> {
  if (!asked.some(mayReachOthers)) return [];
  const gone = examination.collector && nothingGoneThrough();
  const packages = await recall(examination, `packages of ${environment.prefix} as programs`, [environment], (view) =>
    packagePrograms(view, environment, gone),
  );
  const tried = examination.collector && nothingTried();
  const sound = await soundOn(examination, environment);
  return recall(examination, `broken imports of ${environment.prefix}`, [environment, packages, sound], (view) =>
    brokenImports(view, environment, packages, { ...(tried ? { before: tried } : {}), sound }),
  );
}

/** The same of all packages of an environment, with what was tried to tell it: where nothing is broken, that is the judgement of them. */
export async function triedOn(
  examination: Examination,
  environment: PythonEnvironment,
  packages: Framework[],
): Promise<{ broken: BrokenImport[]; tried: TriedPackage[] }> {
  const asked = [...importedByOthers(environment), ...packages];
  const wanted = ({ isPackage }: Framework): Activity[] => (isPackage ? ["import", "device"] : ["import"]);
  const before = examination.collector && nothingTried();
  const sound = await soundOn(examination, environment);
  const tried = await recall(examination, `imports of ${environment.prefix}`, [environment, packages, sound], (view) =>
    tryPackages(view, environment, asked, { wanted, sound, ...(before ? { before } : {}) }),
  );
  return { broken: brokenAmong(tried), tried };
}

export async function runFrameworksOn(
  examination: Examination,
  environment: PythonEnvironment,
  asked: Asked,
  activities: Activity[],
  inventory: Inventory,
): Promise<Run> {
  const { frameworks: chosen } = asked;
  const owners = ownersIn(inventory.copies);
  const { loads, stops, programs, reached } = await predict(examination, environment, asked, activities, owners);
  const run: Run = {
    programs,
    ...(0 < reached.length ? { reached } : {}),
    environment,
    activities: activities,
    loads,
    stops,
    watched: !loads.unknown.some(({ kind }) => kind === "release"),
  };
  const isSteered = loads.loads.some(({ library, via }) => library !== undefined && (via === "ld-library-path" || via === "preload"));
  const { LD_LIBRARY_PATH, LD_PRELOAD, PYTHONPATH, ...rest } = examination.view.snapshot.environment;
  if (isSteered || ((LD_LIBRARY_PATH || LD_PRELOAD || PYTHONPATH) && 0 < stops.length)) {
    const withoutOverrides = { ...examination, view: viewOf({ ...examination.view.snapshot, environment: rest }) };
    const there = await recall(withoutOverrides, `environment at ${environment.prefix}`, [], (view) =>
      environmentAt(view, environment.prefix),
    );
    // Mostly it is the same, and so may be all that was worked out for it.
    const same = isEqual(there, environment) ? environment : there;
    if (same && chosen.every((framework) => installedIn(same, framework))) {
      const broken = await brokenOn(withoutOverrides, same, chosen);
      const undisturbed = await predict(withoutOverrides, same, { ...asked, broken }, activities, owners);
      run.undisturbed = { loads: undisturbed.loads.loads, stops: undisturbed.stops };
    }
  }
  if (LD_LIBRARY_PATH || LD_PRELOAD || loads.loads.some(({ via }) => via === "preload"))
    run.lost = await recall(examination, `lost in ${environment.prefix}`, [environment], (view) => lostModules(view, environment));
  const [program] = programs;
  if (program?.package)
    inventory.frameworks.push(describeFramework(program.id, { package: program.package, environment }, program, loads, inventory.copies));
  return run;
}

/** Packages without models: all of them side by side, and those that stop once more, alone, with what steers them. */
export async function runPackagesOn(
  examination: Examination,
  environment: PythonEnvironment,
  { frameworks: packages, broken, tried: before }: Asked & { tried: TriedPackage[] },
  activities: Activity[],
  inventory: Inventory,
): Promise<Run[]> {
  const who = `packages of ${environment.prefix}`;
  const ends = await recall(examination, `ends of ${who}`, [environment, packages, broken], (view) =>
    endsAtBroken(view, environment, packages, broken),
  );
  const again = examination.collector && nothingTried();
  const sound = await soundOn(examination, environment);
  const tried =
    ends.size === 0
      ? before.filter(({ program }) => packages.includes(program))
      : await recall(examination, who, [environment, packages, ends, sound], (view) =>
          tryPackages(view, environment, packages, { ends, sound, ...(again ? { before: again } : {}) }),
        );
  const runs: Run[] = [];
  for (const each of tried) {
    const { program, copy, stopped, isInherited } = each;
    if (0 < stopped.length && !isInherited) {
      runs.push(await runFrameworksOn(examination, environment, { frameworks: [program], broken }, activities, inventory));
      continue;
    }
    const { described, reached, loads, stops } = await recall(
      examination,
      `${program.id} in ${environment.prefix}`,
      [each, broken],
      (view) => tellPackage(view, each, restOf(view, environment, program, { broken, stopped })),
    );
    runs.push({
      programs: [described],
      ...(0 < reached.length ? { reached } : {}),
      environment,
      activities,
      loads,
      stops,
      watched: false,
    });
    inventory.frameworks.push(describeFramework(program.id, copy, described, loads, inventory.copies));
  }
  return runs;
}

function tellPackage(
  view: View,
  { program, copy, loads: tried, stopped }: TriedPackage,
  resting: Loads["unknown"],
): { described: Program; reached: Program[]; loads: Loads; stops: Stop[] } {
  const described = programOf(view, program, copy);
  // What it stands upon and cannot be imported is to blame, by its own name.
  const endings = new Set(stopped.flatMap(({ failures }) => failures.flatMap(({ through }) => through?.program ?? [])));
  const reached = frameworks.flatMap((framework) => {
    const installed = endings.has(framework.id) ? installedIn(copy.environment, framework) : undefined;
    return installed ? [programOf(view, framework, installed)] : [];
  });
  const loads = withVersions(ownLoads(tried, resting), view.snapshot);
  const stops = stopped.flatMap(({ framework, activity, failures }) =>
    failures.map((failure) => ({ program: framework, activity, failure, ...besides(view, failure, loads) })),
  );
  return { described, reached, loads, stops };
}

/** An answer stays as it was given: what is added to loads is added to a copy of them. */
const ownLoads = (loads: Loads, more: Loads["unknown"]): Loads => ({
  ...loads,
  loads: loads.loads.map((load) => ({ ...load })),
  unknown: [...more, ...loads.unknown],
});

/** What is left open of a program whose import does not end. */
function restOf(
  view: View,
  environment: PythonEnvironment,
  program: Framework,
  { broken, stopped }: { broken: BrokenImport[]; stopped: StoppedActivity[] },
): Loads["unknown"] {
  const ends = stopped.some(({ framework, activity }) => framework === program.id && activity === "import");
  return ends ? [] : restingOn(view, environment, program, broken);
}

type Owners = Map<string, NonNullable<Copy["owner"]>>;

/** Who brought a file, found out for every copy already. */
const ownersIn = keptWith(
  (copies: Copy[]): Owners => new Map(copies.flatMap(({ file, owner }) => (owner ? [[file, owner] as const] : []))),
);

interface Predicted {
  loads: Loads;
  stops: Stop[];
  programs: Program[];
  reached: Program[];
}

async function predict(
  examination: Examination,
  environment: PythonEnvironment,
  { frameworks: chosen, first = [], broken }: Asked,
  activities: Activity[],
  owners: Owners,
): Promise<Predicted> {
  const who = `${chosen.map(({ id }) => id).join()} in ${environment.prefix}`;
  const ends = await recall(examination, `ends of ${who}`, [environment, chosen, broken], (view) =>
    endsAtBroken(view, environment, chosen, broken),
  );
  const sound = await soundOn(examination, environment);
  const ran = await recall(examination, `run of ${who}`, [environment, chosen, activities, first, ends, sound], (view) => {
    view.needs.clear();
    const all = tryFrameworks(view, environment, chosen, activities, { first, ends, sound });
    if ("missing" in all) throw new Error(`${all.missing.id} was there a moment ago`);
    const isTold = 0 < first.length || activities.length < allActivities.length;
    const stopped = isTold ? all.stopped : all.stopped.filter(({ failures }) => failures[0]?.refusal?.kind !== "profiler-taken");
    return { loads: describeRun(view, environment, all), stopped: startFailures(all.started, chosen, activities) ?? stopped };
  });
  // The last of them was put before the others.
  const resting = await recall(examination, `rest of ${who}`, [environment, chosen, broken, ran], (view) =>
    chosen.toReversed().flatMap((program) => restOf(view, environment, program, { broken, stopped: ran.stopped })),
  );
  const endings = new Set(ran.stopped.flatMap(({ failures }) => failures.flatMap(({ through }) => through?.program ?? [])));
  const known = new Map([...broken.map(({ framework }) => framework), ...frameworks].map((each) => [each.id, each]));
  const others = [...endings].flatMap((id) => (chosen.some((each) => each.id === id) ? [] : (known.get(id) ?? [])));
  const [programs, reached] = [await described(chosen), await described(others)];
  const around: Around = { environment, owners, resting, reached };
  return recall(examination, `prediction of ${who}`, [ran, programs, environment, owners, resting, reached], (view) =>
    tellRun(view, ran, programs, around),
  );

  async function described(some: Framework[]): Promise<Program[]> {
    return recall(examination, `programs of ${some.map(({ id }) => id).join()} in ${environment.prefix}`, [environment, some], (view) =>
      some.map((framework) => programOf(view, framework, installedIn(environment, framework)!)),
    );
  }
}

/** The same for all programs of an environment. Where facts may still grow, each asks for what it needs of it. */
async function soundOn(examination: Examination, environment: PythonEnvironment): Promise<Sound | undefined> {
  if (examination.collector) return undefined;
  return recall(
    examination,
    `sound modules of ${environment.prefix}`,
    [environment],
    (view) => soundModules(view.wishing, environment) ?? "unknown",
  );
}

/** What a run is told with. */
interface Around {
  environment: PythonEnvironment;
  owners: Owners;
  /** What is not known because something that it would import is broken. */
  resting: Loads["unknown"];
  reached: Program[];
}

function tellRun(
  view: View,
  { loads: tried, stopped }: { loads: Loads; stopped: StoppedActivity[] },
  programs: Program[],
  { environment, owners, resting, reached }: Around,
): Predicted {
  const loads = withVersions(ownLoads(tried, resting), view.snapshot);
  for (const load of loads.loads) {
    const owner = load.library === undefined || load.version !== undefined ? undefined : owners.get(load.file);
    const packaged = owner && versionByOwner(load.library!, owner);
    if (packaged !== undefined) load.version = packaged.split(".").slice(0, 3).join(".");
  }
  // Without CUDA in it, a program that can be imported does not come to where it would fail.
  const isWithoutCuda = (id: string) => programs.some((program) => program.id === id && program.cpuOnly !== undefined);
  const askers = [...new Set(stopped.flatMap(({ failures }) => failures.flatMap((failure) => askerOf(failure) ?? [])))];
  const owned = new Map(askers.map((file) => [file, broughtBy(view, environment, file)]));
  const stops = stopped.flatMap(({ framework, activity, failures }) =>
    failures
      .filter((failure) => failure.activity === "import" || !isWithoutCuda(framework))
      .map((failure) => ({
        program: framework,
        activity,
        failure,
        ...besides(view, failure, loads),
        ...owning(owned.get(askerOf(failure) ?? "")),
      })),
  );
  return { loads, stops, programs, reached };
}

function programOf(view: View, framework: Framework, copy: FrameworkCopy): Program {
  const kernels = framework.kernels?.(view, copy);
  const compiler = framework.compiler?.(view, copy);
  const cpuOnly = framework.cpuOnly?.(view, copy);
  const buildsFor = framework.buildsFor?.(view, copy);
  const lacks = framework.isPackage || framework.upon ? lackedBy(view, copy.environment, copy.package) : [];
  return {
    id: framework.id,
    package: copy.package,
    compiledFor: framework.compiledFor(view, copy),
    ...(kernels ? { kernels } : {}),
    ...(compiler ? { compiler } : {}),
    ...(buildsFor ? { buildsFor } : {}),
    ...(0 < lacks.length ? { lacks } : {}),
    ...(cpuOnly === undefined ? {} : { cpuOnly }),
    ...(framework.upon ? { upon: framework.upon } : {}),
    ...(framework.isPackage ? { isPackage: true as const } : {}),
    // Of what has no model the files are judged, not what it does with them.
    does: framework.isPackage ? ["import"] : ["import", ...Object.keys(framework.steps), ...(framework.loadsNothingAt ?? [])],
  };
}

/** The object that asks for a symbol that nothing has. */
function askerOf(failure: Failure): string | undefined {
  const { reason, file, requestedBy } = failure.underlying ?? failure;
  return reason === "undefined-symbol" && file === undefined ? requestedBy : undefined;
}

const owning = (owner: PythonPackage | undefined): Pick<Stop, "owner"> => (owner ? { owner } : {});

/** The driver's own come with it, and are another matter. */
const isOfGpu = (name: string) => !["libcuda", "nvml", undefined].includes(libraryOf(name)?.id);

/** Of the GPU libraries that a program misses at its start the loader names the first; the others are told with it. */
function asOne(failures: Failure[]): Failure[] {
  const isLibrary = ({ reason, name }: Failure) => reason === "not-found" && isOfGpu(name);
  const first = failures.find(isLibrary);
  return failures.filter(
    (each) => each === first || !isLibrary(each) || each.requestedBy !== first?.requestedBy || each.activity !== first.activity,
  );
}

/** The loader stops at the first name that it misses; what the same object asks for besides may be missing as well, unless that is `told` itself. */
function besides(view: View, failure: Failure, { loads }: Loads, told: string[] = []): Pick<Stop, "others"> {
  const { reason, requestedBy, name } = failure.underlying ?? failure;
  if (reason !== "not-found") return {};
  const at = view.lookup(requestedBy);
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  const needed = isElf(fact) && fact.needed.includes(name) ? fact.needed.filter(isOfGpu) : [];
  const isLoaded = (each: string) => loads.some((load) => load.name === each && !load.unmapped);
  const others = [...new Set([...(failure.others ?? []), ...needed])].filter(
    (each) => each !== name && !told.includes(each) && !isLoaded(each),
  );
  return others.length === 0 ? {} : { others };
}

// Where Python itself does not start, nothing that it would import does.
function startFailures(
  started: Parameters<typeof describeRun>[2]["started"],
  chosen: Framework[],
  activities: Activity[],
): StoppedActivity[] | undefined {
  if (started === undefined || !("refused" in started)) return undefined;
  const { failures } = started.refused;
  return chosen.flatMap(({ id }) =>
    [...new Set<Activity>(["import", ...activities])].map((activity) => ({ framework: id, activity, failures })),
  );
}

export async function runExecutable(examination: Examination, path: string, inventory: Inventory): Promise<Run> {
  const { loads, failures, usesGpu } = await settle(examination, (view) => tryProgram(view, path));
  withVersions(loads, examination.view.snapshot);
  const asked = [loads.program, ...loads.loads, ...loads.failures].map((each) => ("requestedBy" in each ? each.requestedBy : each.file));
  const searchPaths = await settle(examination, (view) => searchPathsIn(view, asked));
  await addOwnCopies(examination, loads, searchPaths, inventory);
  const kernels = await settle(examination, (view) => ownKernels(view, loads));
  // Of one that runs it is known what it opened since.
  const opened = examination.view.snapshot.running?.maps.some(({ file }) => libraryOf(file) !== undefined) ?? false;
  const kept = asOne(failures);
  const near = await settle(examination, (view) => nearProgram(view, loads.program.file, kept));
  return {
    programs: [
      {
        id: path,
        compiledFor: loads.program.builtAgainst ?? {},
        ...(kernels ? { kernels } : {}),
        ...(usesGpu || opened ? {} : { cpuOnly: "it needs no GPU library when it starts" }),
      },
    ],
    activities: ["import", "device"],
    loads,
    searchPaths,
    ...(Object.keys(near).length === 0 ? {} : { near }),
    stops: kept.map((failure) => ({
      program: path,
      activity: failure.activity,
      failure,
      ...besides(
        examination.view,
        failure,
        loads,
        kept.map(({ name }) => name),
      ),
    })),
    watched: true,
  };
}

/** What a program was linked against, and what its search paths lead to, is installed, wherever that is. */
async function addOwnCopies(
  examination: Examination,
  { program }: Loads,
  paths: NonNullable<Run["searchPaths"]>,
  inventory: Inventory,
): Promise<void> {
  const { copies } = inventory;
  const linked = Object.values(program.builtAgainst ?? {}).flatMap((each) => (each.linked ? [folderOf(each.linked.file)] : []));
  const searched = Object.entries(paths).flatMap(([file, { rpath, runpath }]) => foldersNamed(file, runpath ?? rpath ?? ""));
  const folders = [...linked, ...searched].filter((folder) => folder.startsWith("/"));
  const found = await settle(examination, (view) => {
    // By their real folders: the same file by another name is no other copy.
    const real = folders.flatMap((folder) => {
      const at = view.lookup(folder);
      return "found" in at && at.entry.kind === "folder" ? at.found : [];
    });
    return describeCopies(view, findCopies(view, [...new Set(real)]), new Map());
  });
  inventory.copies = [...copies, ...found.filter(({ file }) => !copies.some((known) => known.file === file))];
}

/** Where what is installed together lies: a program and its libraries, as `make install`, CMake and archives leave them. */
const nearFolders = ["", "/lib", "/lib64", "/../lib", "/../lib64"];

function nearProgram(view: View, program: string, failures: Failure[]): { [name: string]: string } {
  const names = failures.flatMap((failure) => {
    const { reason, name } = failure.underlying ?? failure;
    return reason === "not-found" && !name.includes("/") ? [name] : [];
  });
  return Object.fromEntries(
    names.flatMap((name) => {
      const paths = nearFolders.map((folder) => withoutDots(`${folderOf(program)}${folder}/${name}`));
      const file = paths.find((path) => kindAt(view, path) === "file");
      return file === undefined ? [] : [[name, file] as const];
    }),
  );
}

/** Of the program, or of the first library that was built with it and has some. */
function ownKernels(view: View, { program, loads }: Loads): ReturnType<typeof kernelsIn> {
  const beside = program.build ? loads.filter(({ file }) => file.startsWith(`${program.build!.folder}/`)) : [];
  return [program, ...beside].map(({ file }) => kernelsIn(view, file)).find((kernels) => kernels !== undefined);
}

/** The folders of an RPATH or RUNPATH of a file. */
const foldersNamed = (file: string, value: string): string[] =>
  value.split(":").map((folder) => folder.replace(/^\$(?:ORIGIN\b|\{ORIGIN\})/, folderOf(file)));

function searchPathsIn(view: View, files: string[]): NonNullable<Run["searchPaths"]> {
  return Object.fromEntries(
    [...new Set(files)].flatMap((file) => {
      const at = view.lookup(file);
      const fact = "found" in at && at.entry.kind === "file" ? at.entry.object : undefined;
      if (!isElf(fact) || (fact.rpath === undefined && fact.runpath === undefined)) return [];
      // Beside a RUNPATH the loader takes no RPATH.
      const gone = foldersNamed(file, fact.runpath ?? fact.rpath!).filter((each) => each.startsWith("/") && kindAt(view, each) === "none");
      const named = fact.runpath === undefined ? { rpath: fact.rpath! } : { runpath: fact.runpath };
      return [[file, { ...named, ...(gone.length === 0 ? {} : { gone }) }] as const];
    }),
  );
}
