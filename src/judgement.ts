import { sharedFiles } from "./collect/owners.ts";
import { environmentAt } from "./collect/python.ts";
import { diagnose } from "./diagnose/diagnose.ts";
import { readinessOf } from "./diagnose/readiness.ts";
import type { Program, Run, Stack, Stop } from "./diagnose/stack.ts";
import { answered, withVersions, type Examination } from "./examination.ts";
import { activities, type Activity } from "./frameworks/activities.ts";
import { isCompat } from "./frameworks/driver.ts";
import type { Framework } from "./frameworks/framework.ts";
import { frameworks } from "./frameworks/index.generated.ts";
import { tryProgram } from "./frameworks/program.ts";
import { describeRun, tryFrameworks, type StoppedActivity } from "./frameworks/run.ts";
import type { Check } from "./model/check.ts";
import type { PythonEnvironment } from "./model/environment.ts";
import type { Inventory } from "./model/inventory.ts";
import type { Loads } from "./model/loads.ts";
import type { Unknown } from "./model/snapshot.ts";
import { viewOf } from "./resolve/view.ts";
import { chooseFrameworks, describeFramework, installedIn, isFramework, notInstalled, surveyStack, withAllVersions } from "./stack.ts";

/** What to judge: programs, each list one process; none: every framework in every environment, each by itself. */
export interface Question {
  programs: string[][];
  /** Empty: all. */
  activities: Activity[];
  /** Where to look for environments; empty: the usual places, or for named programs the active one. */
  python: string[];
}

/** A judged stack: the findings, and what they rest on. */
export interface Judgement {
  check: Check;
  stack: Stack;
}

export async function examineStack(examination: Examination, question: Question): Promise<Judgement | { problem: string }> {
  const { snapshot } = examination.view;
  const { environments, inventory } = await surveyStack(examination, question.python);
  const unknown: Unknown[] = [];
  const isProvided = snapshot.assumed?.driver !== undefined && !hasDriver(inventory);
  if (isProvided || !showsDriver(inventory)) provideDriver(examination);
  if (!isProvided && !showsDriver(inventory)) {
    unknown.push({
      subject: "driver and GPU",
      reason: "none is to be seen here, so everything is answered as if one were provided; `--driver V --gpu NAME` says which",
    });
  }
  const wanted = question.activities.length === 0 ? [...activities] : question.activities;
  const runs: Run[] = [];
  if (question.programs.length === 0) {
    for (const environment of environments)
      for (const framework of frameworks)
        if (installedIn(environment, framework)) runs.push(await examineRun(examination, environment, [framework], wanted, inventory));
  }
  for (const programs of question.programs) {
    if (!programs.every(isFramework)) {
      if (programs.length !== 1) return { problem: `several programs in one process must be frameworks: \`${programs.join(",")}\`` };
      runs.push(await examineExecutable(examination, programs[0]!));
      continue;
    }
    const chosen = await chooseFrameworks(examination, { frameworks: programs, activities: wanted, python: question.python });
    if ("problem" in chosen) return chosen;
    const missing = chosen.frameworks.find((framework) => !installedIn(chosen.environment, framework));
    if (missing) return notInstalled(examination, missing, chosen.environment);
    runs.push(await examineRun(examination, chosen.environment, chosen.frameworks, wanted, inventory));
  }
  for (const run of runs)
    for (const each of run.loads.unknown) if (!unknown.some(({ subject }) => subject === each.subject)) unknown.push(each);
  const stack: Stack = {
    target: snapshot.target,
    variables: snapshot.environment,
    inventory,
    environments,
    sharedFiles: await answered(examination, (view) => sharedFiles(view, environments)),
    runs,
    asked: 0 < question.programs.length,
    askedActivities: question.activities,
  };
  const findings = diagnose(stack);
  const readiness = readinessOf(stack, findings);
  const check: Check = {
    schema: "culprit/check@1",
    target: snapshot.target,
    examined: runs.map(({ programs, environment, activities: done }) => ({
      programs: programs.map(({ id }) => id),
      versions: programs.map(({ package: found }) => found?.version ?? ""),
      ...(environment ? { environment: environment.prefix } : {}),
      activities: done,
    })),
    ...(readiness.length === 0 ? {} : { readiness }),
    unknown: [...snapshot.unknown, ...unknown],
    findings,
    accepted: [],
  };
  return { check, stack };
}

/** Whether there is any sign of a driver or GPU; without one nothing about them can be wrong. */
function showsDriver(inventory: Inventory): boolean {
  const { driver, gpus } = inventory;
  return driver.kernel !== undefined || 0 < gpus.length || driver.wsl === true || hasDriver(inventory);
}

// A compat library is no driver: it needs one below it.
const hasDriver = ({ copies }: Inventory) => copies.some(({ library, stub, file }) => library === "libcuda" && !stub && !isCompat(file));

// A container runtime puts the driver's libraries into a system folder: so do we, in the snapshot.
function provideDriver({ view }: Examination): void {
  const { files } = view.snapshot;
  const folder = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/lib"].find(
    (path) => files[path]?.kind === "folder",
  );
  const machine = folder?.includes("aarch64") ? 183 : 62;
  for (const soname of ["libcuda.so.1", "libnvidia-ml.so.1"]) {
    const known = files[`${folder}/${soname}`];
    if (folder === undefined || (known && known.kind !== "absent")) continue;
    // Larger than any stub.
    files[`${folder}/${soname}`] = {
      kind: "file",
      size: 1 << 26,
      object: { kind: "elf", class: 64, order: "little", machine, type: 3, soname, needed: [], definesAll: true },
    };
  }
}

async function examineRun(
  examination: Examination,
  environment: PythonEnvironment,
  chosen: Framework[],
  wanted: Activity[],
  inventory: Inventory,
): Promise<Run> {
  const { loads, stops, programs } = await foresee(examination, environment, chosen, wanted);
  const run: Run = {
    programs,
    environment,
    activities: wanted,
    loads,
    stops,
    watched: !loads.unknown.some(({ subject }) => chosen.some(({ id }) => subject.startsWith(`${id} `))),
  };
  const isSteered = loads.loads.some(({ library, via }) => library !== undefined && (via === "ld-library-path" || via === "preload"));
  const { LD_LIBRARY_PATH, LD_PRELOAD, PYTHONPATH, ...rest } = examination.view.snapshot.environment;
  if (isSteered || ((LD_LIBRARY_PATH || LD_PRELOAD || PYTHONPATH) && 0 < stops.length)) {
    const calm = { ...examination, view: viewOf({ ...examination.view.snapshot, environment: rest }) };
    const same = await answered(calm, (view) => environmentAt(view, environment.prefix));
    if (same && chosen.every((framework) => installedIn(same, framework))) {
      const undisturbed = await foresee(calm, same, chosen, wanted);
      run.undisturbed = { loads: undisturbed.loads.loads, stops: undisturbed.stops };
    }
  }
  for (const [index, { id, package: found, compiledFor }] of programs.entries())
    if (index === 0 && found)
      inventory.frameworks.push(describeFramework(id, { package: found, environment }, compiledFor, loads, inventory.copies));
  return run;
}

async function foresee(
  examination: Examination,
  environment: PythonEnvironment,
  chosen: Framework[],
  wanted: Activity[],
): Promise<{ loads: Loads; stops: Stop[]; programs: Program[] }> {
  const { loads, stopped } = await answered(examination, (view) => {
    view.needs.clear();
    const ran = tryFrameworks(view, environment, chosen, wanted);
    if ("missing" in ran) throw new Error(`${ran.missing.id} was there a moment ago`);
    return { loads: describeRun(view, environment, ran), stopped: startFailures(ran.started, chosen, wanted) ?? ran.stopped };
  });
  const programs = await answered(examination, (view) =>
    chosen.map((framework): Program => {
      const copy = installedIn(environment, framework)!;
      const kernels = framework.kernels?.(view, copy);
      const cpuOnly = framework.cpuOnly?.(view, copy);
      return {
        id: framework.id,
        package: copy.package,
        compiledFor: framework.compiledFor(view, copy),
        ...(kernels ? { kernels } : {}),
        ...(cpuOnly === undefined ? {} : { cpuOnly }),
      };
    }),
  );
  await withAllVersions(examination, environment, loads);
  const stops = stopped.flatMap(({ framework, activity, failures }) =>
    failures.map((failure) => ({ program: framework, activity, failure })),
  );
  return { loads, stops, programs };
}

// Where Python itself does not start, nothing that it would import does.
function startFailures(
  started: Parameters<typeof describeRun>[2]["started"],
  chosen: Framework[],
  wanted: Activity[],
): StoppedActivity[] | undefined {
  if (started === undefined || !("refused" in started)) return undefined;
  const { failures } = started.refused;
  return chosen.flatMap(({ id }) =>
    [...new Set<Activity>(["import", ...wanted])].map((activity) => ({ framework: id, activity, failures })),
  );
}

async function examineExecutable(examination: Examination, path: string): Promise<Run> {
  const { loads, failures } = await answered(examination, (view) => tryProgram(view, path));
  withVersions(loads, examination.view.snapshot);
  return {
    programs: [{ id: path, compiledFor: loads.program.builtAgainst ?? {} }],
    activities: ["import", "device"],
    loads,
    stops: failures.map((failure) => ({ program: path, activity: failure.activity, failure })),
    watched: true,
  };
}
