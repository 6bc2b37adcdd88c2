import { versionByOwner } from "./collect/copies.ts";
import { sharedFiles } from "./collect/owners.ts";
import { readPointers } from "./collect/pointers.ts";
import { environmentAt } from "./collect/python.ts";
import { readRequirements } from "./collect/requirements.ts";
import { unseenPlaces, type Unseen } from "./collect/unseen.ts";
import { diagnose } from "./diagnose/diagnose.ts";
import { readinessOf } from "./diagnose/readiness.ts";
import { rules } from "./diagnose/rules/index.generated.ts";
import type { Program, Run, Stack, Stop } from "./diagnose/stack.ts";
import { answered, rebuildCache, withVersions, type Examination } from "./examination.ts";
import { activities, type Activity } from "./frameworks/activities.ts";
import { isCompat } from "./frameworks/driver.ts";
import { exposedLibraries } from "./knowledge/container.ts";
import type { Framework } from "./frameworks/framework.ts";
import { frameworks } from "./frameworks/index.generated.ts";
import { kernelsIn } from "./frameworks/kernels.ts";
import { tryProgram } from "./frameworks/program.ts";
import { describeRun, tryFrameworks, type StoppedActivity } from "./frameworks/run.ts";
import { libraryOf } from "./knowledge/libraries.ts";
import { nameOf } from "./lib/path.ts";
import { statusOf, type Check } from "./model/check.ts";
import type { Finding } from "./model/finding.ts";
import type { Plan } from "./model/fix.ts";
import type { PythonEnvironment } from "./model/environment.ts";
import type { Copy, Inventory } from "./model/inventory.ts";
import type { Load, Loads } from "./model/loads.ts";
import type { RuleDescription } from "./model/rule.ts";
import type { CacheEntry, RunningFact } from "./model/snapshot.ts";
import type { UnknownThing } from "./model/unknown.ts";
import { overlay } from "./plan/simulate.ts";
import type { Judge, Programs } from "./plan/fix.ts";
import { planFixes } from "./plan/plan.ts";
import { cacheFlags } from "./resolve/cache-lookup.ts";
import { unseenOnTheWay, whyUnseen } from "./resolve/unseen.ts";
import { viewOf } from "./resolve/view.ts";
import { askAhead, chooseFrameworks, describeFramework, installedIn, isFramework, notInstalled, prefixesIn, surveyStack } from "./stack.ts";

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

/** Every rule, as people read about it. */
export const describeRules = (): RuleDescription[] =>
  rules.map(({ id, title, cause, severity, page }) => ({ id, title, cause, severity, page }));

export async function examineStack(given: Examination, asked: Question): Promise<Judgement | { problem: string }> {
  const { snapshot } = given.view;
  const { running } = snapshot;
  const python = 0 < asked.python.length || !running ? asked.python : prefixesIn(running);
  await askAhead(given, python, (environment, framework) => runAhead(given, asked, environment, framework));
  const { environments, inventory } = await surveyStack(given, python);
  // Of a process that runs, what it has mapped says which programs it is.
  const question =
    running && asked.programs.length === 0 ? { ...asked, python, programs: programsIn(running, environments) } : { ...asked, python };
  const unknown: UnknownThing[] = [];
  // A GPU is assumed with a driver, where the kernel shows none.
  const isAssumed =
    snapshot.assumed?.driver !== undefined || (snapshot.assumed?.gpus !== undefined && inventory.driver.kernel === undefined);
  const isProvided = isAssumed && !hasDriver(inventory);
  const examination = isProvided || !showsDriver(inventory) ? await withDriver(given, isAssumed) : given;
  if (!isProvided && !showsDriver(inventory)) {
    unknown.push({
      subject: "driver and GPU",
      kind: "driver",
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
  if (running) runs.push(describeRunning(running, environments, inventory, wanted));
  for (const run of runs)
    for (const each of run.loads.unknown) if (!unknown.some(({ subject }) => subject === each.subject)) unknown.push(each);
  // Where it runs as it is looked at, which an image tells, what may not be read is as good as absent.
  const unseen = unseenPlaces([...new Set([given.view, examination.view])], environments, question.python);
  const isExact = snapshot.target.kind === "image";
  for (const run of isExact ? [] : runs) run.stops = run.stops.filter((stop) => !restsOnUnseen(stop, run));
  function restsOnUnseen({ failure }: Stop, { environment }: Run): boolean {
    const isMissing = failure.reason === "not-found" || failure.reason === "cannot-read" || failure.refusal?.kind === "part";
    if (isMissing && unseen.some(({ environments: own }) => environment !== undefined && own.includes(environment))) return true;
    const place = snapshot.target.kind === "root" ? unseenOnTheWay(examination.view, failure) : undefined;
    if (place !== undefined && !unseen.some(({ subject }) => subject === place))
      unseen.push({ subject: place, reason: whyUnseen("EACCES"), isNeeded: true, environments: [] });
    return place !== undefined;
  }
  const stack: Stack = {
    target: snapshot.target,
    variables: snapshot.environment,
    inventory,
    environments,
    sharedFiles: await answered(examination, (view) => sharedFiles(view, environments)),
    requirements: await answered(examination, (view) => readRequirements(view, environments)),
    pointers: await answered(examination, readPointers),
    runs,
    replaced: await answered(examination, (view) =>
      (running?.maps ?? [])
        .filter(({ file, deleted }) => deleted && libraryOf(file))
        .map(({ file }) => ({ file, isThere: "found" in view.lookup(file) })),
    ),
    asked: 0 < asked.programs.length,
    askedActivities: question.activities,
  };
  const findings = diagnose(stack).filter((finding) => isExact || !isAbsenceUnseen(finding, runs, unseen));
  const readiness = readinessOf(stack, findings);
  const judged = judgedIn(runs);
  const all: UnknownThing[] = [
    // Most of what was met on the way no verdict rests on, such as a line of a .pth file that would run.
    ...snapshot.unknown.map(({ decides, ...each }) => ({ ...each, kind: "file" as const, ...(decides ? {} : { aside: true as const }) })),
    ...unknown,
  ].filter(({ subject }) => !unseen.some((each) => each.subject === subject));
  for (const { subject, reason, isNeeded } of unseen)
    all.push({ subject, kind: "file", reason, ...(isNeeded ? {} : { aside: true as const }) });
  const check: Check = {
    schema: "culprit/check@2",
    target: snapshot.target,
    ...(snapshot.assumed ? { assumed: snapshot.assumed } : {}),
    status: statusOf({ findings, unknown: all, judged }),
    judged,
    ...(readiness.length === 0 ? {} : { readiness }),
    unknown: all,
    findings,
    accepted: [],
  };
  return { check, stack };
}

function judgedIn(runs: Run[]): Check["judged"] {
  return runs
    .filter(({ running }) => !running)
    .flatMap(({ programs, environment, activities: done }, process) =>
      programs.map(({ id, package: found }) => ({
        program: id,
        ...(found ? { version: found.version } : {}),
        ...(environment ? { environment: environment.prefix } : {}),
        activities: done,
        ...(programs.length === 1 ? {} : { process }),
      })),
    );
}

const absences = new Set(rules.flatMap(({ id, absence }) => (absence ? [id] : [])));

/** Whether a finding says that something is absent where not everything could be seen. */
function isAbsenceUnseen({ rule, breaks, endangers }: Finding, runs: Run[], unseen: Unseen[]): boolean {
  const isBlind = (program: string) =>
    runs
      .filter(({ programs }) => programs.some(({ id }) => id === program))
      .every(({ environment }) => environment && unseen.some((each) => each.environments.includes(environment)));
  const affected = [...breaks, ...endangers].map(({ framework }) => framework);
  return absences.has(rule) && 0 < affected.length && affected.every(isBlind);
}

/** What will be asked of a framework, unless other programs are asked for. */
function runAhead(given: Examination, { programs, activities: wanted }: Question, environment: PythonEnvironment, framework: Framework) {
  if (0 < programs.length && !programs.flat().includes(framework.id)) return [];
  const copy = installedIn(environment, framework)!;
  return [
    ...[given, withDriver(given, given.view.snapshot.assumed !== undefined)].map(async (examination) =>
      answered(await examination, (view) => tryFrameworks(view, environment, [framework], wanted.length === 0 ? [...activities] : wanted)),
    ),
    answered(given, (view) => [
      framework.kernels?.(view, copy),
      framework.compiler?.(view, copy),
      framework.cpuOnly?.(view, copy),
      framework.compiledFor(view, copy),
    ]),
  ];
}

/** One process: the frameworks that it has libraries of; none of those: the executable itself. */
function programsIn({ maps, executable }: RunningFact, environments: PythonEnvironment[]): string[][] {
  const found = frameworks.filter((framework) =>
    environments.some((environment) => {
      const folder = installedIn(environment, framework)?.package.folder;
      return folder !== undefined && maps.some(({ file }) => file.startsWith(`${folder}/${framework.id}`));
    }),
  );
  return [0 < found.length ? found.map(({ id }) => id) : [executable]];
}

/** What a process has really mapped, in the form of a run that went well. */
function describeRunning(
  { maps, executable }: RunningFact,
  environments: PythonEnvironment[],
  { copies }: Inventory,
  wanted: Activity[],
): Run {
  const versions = new Map(copies.map(({ file, version }) => [file, version]));
  const loads = maps.map(({ file }): Load => {
    const library = libraryOf(file)?.id;
    const version = versions.get(file)?.split(".").slice(0, 3).join(".");
    return {
      name: nameOf(file),
      ...(library === undefined ? {} : { library }),
      ...(version === undefined ? {} : { version }),
      file,
      path: file,
      requestedBy: executable,
      via: "path",
      activity: "import",
      certainty: "certain",
      unmapped: false,
      tried: [],
    };
  });
  return {
    programs: programsIn({ maps, executable, pid: 0 }, environments)
      .flat()
      .map((id) => ({ id, compiledFor: {} })),
    ...(environments[0] ? { environment: environments[0] } : {}),
    activities: wanted,
    loads: { schema: "culprit/loads@1", program: { file: executable, path: executable }, loads, failures: [], missed: [], unknown: [] },
    stops: [],
    watched: true,
    running: true,
  };
}

/** Whether there is any sign of a driver or GPU; without one nothing about them can be wrong. */
function showsDriver(inventory: Inventory): boolean {
  const { driver, gpus } = inventory;
  return driver.kernel !== undefined || 0 < gpus.length || driver.wsl === true || hasDriver(inventory);
}

// A compat library is no driver: it needs one below it.
const hasDriver = ({ copies }: Inventory) => copies.some(({ library, stub, file }) => library === "libcuda" && !stub && !isCompat(file));

// A container runtime puts the driver's libraries into a system folder, and into the loader's cache: so do we, in a copy of the facts.
async function withDriver(given: Examination, isAssumed: boolean): Promise<Examination> {
  const snapshot = overlay(given.view.snapshot);
  const { files } = snapshot;
  const folder = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/lib"].find(
    (path) => files[path]?.kind === "folder",
  );
  const machine = folder?.includes("aarch64") ? 183 : 62;
  const flags = cacheFlags(machine, 64);
  const added: CacheEntry[] = [];
  // Where no container is asked about, what a variable would leave out of one is of no matter.
  for (const soname of exposedLibraries(isAssumed || snapshot.target.kind === "image" ? snapshot.environment : {})) {
    const path = `${folder}/${soname}`;
    const known = files[path];
    if (folder === undefined || (known && known.kind !== "absent")) continue;
    // Larger than any stub.
    files[path] = {
      kind: "file",
      size: 1 << 26,
      object: { kind: "elf", class: 64, order: "little", machine, type: 3, soname, needed: [], definesAll: true },
    };
    added.push({ name: soname, path, flags });
  }
  const cache = await answered(given, (view) => {
    const at = view.lookup("/etc/ld.so.cache");
    if ("found" in at && at.entry.kind === "file" && at.entry.cache === undefined) view.need(at.found, "cache");
    return at;
  });
  if ("found" in cache && cache.entry.kind === "file" && cache.entry.cache) {
    const others = cache.entry.cache.entries.filter(({ name }) => !added.some((each) => each.name === name));
    files[cache.found] = { ...cache.entry, cache: { ...cache.entry.cache, entries: [...added, ...others] } };
  }
  return { ...given, view: viewOf(snapshot) };
}

async function examineRun(
  examination: Examination,
  environment: PythonEnvironment,
  chosen: Framework[],
  wanted: Activity[],
  inventory: Inventory,
): Promise<Run> {
  const owners: Owners = new Map(inventory.copies.flatMap(({ file, owner }) => (owner ? [[file, owner] as const] : [])));
  const { loads, stops, programs } = await foresee(examination, environment, chosen, wanted, owners);
  const run: Run = {
    programs,
    environment,
    activities: wanted,
    loads,
    stops,
    watched: !loads.unknown.some(({ kind }) => kind === "release"),
  };
  const isSteered = loads.loads.some(({ library, via }) => library !== undefined && (via === "ld-library-path" || via === "preload"));
  const { LD_LIBRARY_PATH, LD_PRELOAD, PYTHONPATH, ...rest } = examination.view.snapshot.environment;
  if (isSteered || ((LD_LIBRARY_PATH || LD_PRELOAD || PYTHONPATH) && 0 < stops.length)) {
    const calm = { ...examination, view: viewOf({ ...examination.view.snapshot, environment: rest }) };
    const same = await answered(calm, (view) => environmentAt(view, environment.prefix));
    if (same && chosen.every((framework) => installedIn(same, framework))) {
      const undisturbed = await foresee(calm, same, chosen, wanted, owners);
      run.undisturbed = { loads: undisturbed.loads.loads, stops: undisturbed.stops };
    }
  }
  const [program] = programs;
  if (program?.package)
    inventory.frameworks.push(describeFramework(program.id, { package: program.package, environment }, program, loads, inventory.copies));
  return run;
}

type Owners = Map<string, NonNullable<Copy["owner"]>>;

async function foresee(
  examination: Examination,
  environment: PythonEnvironment,
  chosen: Framework[],
  wanted: Activity[],
  owners: Owners,
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
      const compiler = framework.compiler?.(view, copy);
      const cpuOnly = framework.cpuOnly?.(view, copy);
      return {
        id: framework.id,
        package: copy.package,
        compiledFor: framework.compiledFor(view, copy),
        ...(kernels ? { kernels } : {}),
        ...(compiler ? { compiler } : {}),
        ...(cpuOnly === undefined ? {} : { cpuOnly }),
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
      .map((failure) => ({ program: framework, activity, failure })),
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
  const kernels = await answered(examination, (view) => kernelsIn(view, loads.program.file));
  return {
    programs: [{ id: path, compiledFor: loads.program.builtAgainst ?? {}, ...(kernels ? { kernels } : {}) }],
    activities: ["import", "device"],
    loads,
    stops: failures.map((failure) => ({ program: path, activity: failure.activity, failure })),
    watched: true,
  };
}

/** Cures for what is wrong, each proven on a copy of the facts. `named` chooses findings by rule, or by rule and subject. */
export async function examineFixes(
  examination: Examination,
  question: Question,
  named?: string,
): Promise<(Judgement & { plan: Plan }) | { problem: string }> {
  const judged = await examineStack(examination, question);
  if ("problem" in judged) return judged;
  const { check, stack } = judged;
  const isMeant = ({ rule, subject, severity }: Finding) =>
    named === undefined ? severity !== "info" : named === rule || named === `${rule}:${subject}` || named === `${rule} ${subject}`;
  const wanted = check.findings.filter(isMeant);
  if (named !== undefined && wanted.length === 0) {
    const there = [...new Set(check.findings.map(({ rule }) => rule))];
    return {
      problem: `there is no finding \`${named}\` here${there.length === 0 ? ": nothing wrong was found" : `; there are ${there.join(", ")}`}`,
    };
  }
  const programs: Programs = {
    ldconfig: async (snapshot, folders) => {
      const copy = overlay(snapshot);
      return (await rebuildCache({ ...examination, view: viewOf(copy) }, folders)) ? copy : undefined;
    },
  };
  const judge: Judge = async (change, given) => {
    const snapshot = await change(given, programs);
    const changed = snapshot && (await examineStack({ ...examination, view: viewOf(snapshot) }, question));
    // What the question names may be gone with the change: then nothing was proven.
    return snapshot && changed && !("problem" in changed) ? { snapshot, ...changed } : undefined;
  };
  const plan = await planFixes({ snapshot: examination.view.snapshot, check, stack }, judge, wanted);
  for (const { rule, subject, fixes } of plan.findings) {
    const finding = check.findings.find((each) => each.rule === rule && each.subject === subject);
    if (finding) finding.fixes = fixes;
  }
  return { check, stack, plan };
}
