// One process on paper: what it would load, and where it would stop.
import type { Examination } from "../ask/examination.ts";
import { describeFramework } from "../ask/inventory.ts";
import { settle } from "../ask/settle.ts";
import { withVersions } from "../ask/versions.ts";
import type { Program, Run, Stop } from "../diagnose/stack.ts";
import type { Activity } from "../model/activity.ts";
import type { Framework } from "../frameworks/framework.ts";
import { installedIn } from "../frameworks/installed.ts";
import { kernelsIn } from "../frameworks/kernels.ts";
import { tryProgram } from "../frameworks/program.ts";
import { describeRun, tryFrameworks, type ProgramStep, type StoppedActivity } from "../frameworks/run.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Copy, Inventory } from "../model/inventory.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import type { Failure, Loads } from "../model/loads.ts";
import { isElf, viewOf, type View } from "../resolve/view.ts";
import { versionByOwner } from "../survey/copies.ts";
import { environmentAt } from "../survey/python.ts";

export async function runFrameworksOn(
  examination: Examination,
  environment: PythonEnvironment,
  { frameworks: chosen, first = [] }: { frameworks: Framework[]; first?: ProgramStep[] },
  activities: Activity[],
  inventory: Inventory,
): Promise<Run> {
  const owners: Owners = new Map(inventory.copies.flatMap(({ file, owner }) => (owner ? [[file, owner] as const] : [])));
  const { loads, stops, programs } = await predict(examination, environment, { frameworks: chosen, first }, activities, owners);
  const run: Run = {
    programs,
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
    const same = await settle(withoutOverrides, (view) => environmentAt(view, environment.prefix));
    if (same && chosen.every((framework) => installedIn(same, framework))) {
      const undisturbed = await predict(withoutOverrides, same, { frameworks: chosen, first }, activities, owners);
      run.undisturbed = { loads: undisturbed.loads.loads, stops: undisturbed.stops };
    }
  }
  const [program] = programs;
  if (program?.package)
    inventory.frameworks.push(describeFramework(program.id, { package: program.package, environment }, program, loads, inventory.copies));
  return run;
}

type Owners = Map<string, NonNullable<Copy["owner"]>>;

async function predict(
  examination: Examination,
  environment: PythonEnvironment,
  { frameworks: chosen, first }: { frameworks: Framework[]; first: ProgramStep[] },
  activities: Activity[],
  owners: Owners,
): Promise<{ loads: Loads; stops: Stop[]; programs: Program[] }> {
  const { loads, stopped } = await settle(examination, (view) => {
    view.needs.clear();
    const ran = tryFrameworks(view, environment, chosen, activities, first);
    if ("missing" in ran) throw new Error(`${ran.missing.id} was there a moment ago`);
    return { loads: describeRun(view, environment, ran), stopped: startFailures(ran.started, chosen, activities) ?? ran.stopped };
  });
  const programs = await settle(examination, (view) =>
    chosen.map((framework): Program => {
      const copy = installedIn(environment, framework)!;
      const kernels = framework.kernels?.(view, copy);
      const compiler = framework.compiler?.(view, copy);
      const cpuOnly = framework.cpuOnly?.(view, copy);
      return {
        id: framework.id,
        package: copy.package,
        compiledFor: framework.compiledFor(view, copy),
        ...(kernels ? { kernels } : {}),
        ...(compiler ? { compiler } : {}),
        ...(cpuOnly === undefined ? {} : { cpuOnly }),
        ...(framework.upon ? { upon: framework.upon } : {}),
        // Of what has no model the files are judged, not what it does with them.
        does: framework.isPackage ? ["import"] : ["import", ...Object.keys(framework.steps), ...(framework.loadsNothingAt ?? [])],
      };
    }),
  );
  withVersions(loads, examination.view.snapshot);
  // Who brought a file was found out for every copy already.
  for (const load of loads.loads) {
    const owner = load.library === undefined || load.version !== undefined ? undefined : owners.get(load.file);
    const packaged = owner && versionByOwner(load.library!, owner);
    if (packaged !== undefined) load.version = packaged.split(".").slice(0, 3).join(".");
  }
  // Without CUDA in it, a program that can be imported does not come to where it would fail.
  const isWithoutCuda = (id: string) => programs.some((program) => program.id === id && program.cpuOnly !== undefined);
  const stops = stopped.flatMap(({ framework, activity, failures }) =>
    failures
      .filter((failure) => failure.activity === "import" || !isWithoutCuda(framework))
      .map((failure) => ({ program: framework, activity, failure, ...besides(examination.view, failure, loads) })),
  );
  return { loads, stops, programs };
}

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

/** The loader stops at the first name that it misses; what the same object asks for besides may be missing as well. */
function besides(view: View, failure: Failure, { loads }: Loads): Pick<Stop, "others"> {
  const { reason, requestedBy, name } = failure.underlying ?? failure;
  if (reason !== "not-found") return {};
  const at = view.lookup(requestedBy);
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  const needed = isElf(fact) && fact.needed.includes(name) ? fact.needed.filter(isOfGpu) : [];
  const isLoaded = (each: string) => loads.some((load) => load.name === each && !load.unmapped);
  const others = [...new Set([...(failure.others ?? []), ...needed])].filter((each) => each !== name && !isLoaded(each));
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

export async function runExecutable(examination: Examination, path: string): Promise<Run> {
  const { loads, failures } = await settle(examination, (view) => tryProgram(view, path));
  withVersions(loads, examination.view.snapshot);
  const kernels = await settle(examination, (view) => kernelsIn(view, loads.program.file));
  return {
    programs: [{ id: path, compiledFor: loads.program.builtAgainst ?? {}, ...(kernels ? { kernels } : {}) }],
    activities: ["import", "device"],
    loads,
    stops: asOne(failures).map((failure) => ({
      program: path,
      activity: failure.activity,
      failure,
      ...besides(examination.view, failure, loads),
    })),
    watched: true,
  };
}
