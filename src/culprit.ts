import { beginCollecting, type Collector } from "./collect/collect.ts";
import { readCopies } from "./collect/copies.ts";
import { readDriver, readGpus } from "./collect/driver.ts";
import { chooseEnvironment, findEnvironments } from "./collect/environments.ts";
import { missingFiles } from "./collect/owners.ts";
import { packageNamed } from "./collect/python.ts";
import { readToolkits } from "./collect/toolkits.ts";
import { readVariableSources } from "./collect/variables.ts";
import type { Activity, Framework } from "./frameworks/framework.ts";
import { frameworks } from "./frameworks/index.generated.ts";
import { programLoads } from "./frameworks/program.ts";
import { frameworkLoads, runFrameworks } from "./frameworks/run.ts";
import { libraryOf, versionOf, type KnownLibrary } from "./knowledge/libraries.ts";
import type { Check } from "./model/check.ts";
import type { PythonEnvironment } from "./model/environment.ts";
import type { Copy, InstalledFramework, Inventory } from "./model/inventory.ts";
import type { Loads } from "./model/loads.ts";
import type { Need } from "./model/need.ts";
import type { CpuFact, Snapshot } from "./model/snapshot.ts";
import type { Target } from "./model/target.ts";
import type { Why } from "./model/why.ts";
import { needAhead } from "./resolve/ahead.ts";
import { runLdconfig } from "./resolve/ldconfig.ts";
import { loadsOf } from "./resolve/loads.ts";
import { whyOf } from "./resolve/why.ts";
import { viewOf, type View } from "./resolve/view.ts";
import { version } from "./version.ts";

/** What to answer for, where it differs from the target as it is. */
export interface WhatIf {
  environment?: { [name: string]: string };
  unset?: string[];
  cwd?: string;
  cpu?: CpuFact;
  /** As if `ldconfig` had just been run. */
  ldconfig?: boolean;
}

/** A target under examination: facts so far, and the means to get more. A snapshot has no such means. */
export interface Examination {
  readonly view: View;
  readonly collector: Collector | undefined;
}

export async function beginExamination(target: Target | Snapshot, whatIf: WhatIf = {}): Promise<Examination> {
  const collector = "look" in target ? await beginCollecting(target, version) : undefined;
  const snapshot = collector ? collector.snapshot : ownCopy(target as Snapshot);
  Object.assign(snapshot.environment, whatIf.environment);
  for (const name of whatIf.unset ?? []) delete snapshot.environment[name];
  if (whatIf.cwd !== undefined) snapshot.cwd = whatIf.cwd;
  if (whatIf.cpu) snapshot.cpu = whatIf.cpu;
  const examination = { view: viewOf(snapshot), collector };
  return whatIf.ldconfig ? withFreshCache(examination) : examination;
}

// The cache that ldconfig would write takes the place of the one that is there.
async function withFreshCache(examination: Examination): Promise<Examination> {
  const run = await answered(examination, runLdconfig);
  const { snapshot } = examination.view;
  if (!run) {
    snapshot.unknown.push({ subject: "ldconfig", reason: "the snapshot does not hold the folders that ldconfig would search" });
    return examination;
  }
  for (const { path, to } of run.links) snapshot.files[path] = { kind: "link", to };
  const place = await answered(examination, (view) => view.lookup("/etc/ld.so.cache"));
  snapshot.files["found" in place ? place.found : "/etc/ld.so.cache"] = { kind: "file", size: 1, cache: run.cache };
  return { ...examination, view: viewOf(snapshot) };
}

/** Asks a question over and over, fetching what it lacks, until nothing is missing or nothing more can be had. */
async function answered<T>({ view, collector }: Examination, ask: (view: View) => T): Promise<T> {
  let before = "";
  for (;;) {
    view.needs.clear();
    const answer = ask(view);
    const needs = [...view.needs.values()];
    const key = needs.map(({ as, path }) => `${as} ${path}`).join("\n");
    // Needs that a fetch did not meet (a file that changes under us) would be asked for ever.
    if (needs.length === 0 || !collector || key === before) return answer;
    before = key;
    await fetchAhead(view, collector, needs);
  }
}

// Fetches what is needed, and then what the new objects need in turn, without asking the whole question again for each level.
async function fetchAhead(view: View, collector: Collector, needs: Need[]): Promise<void> {
  const asked = new Set<string>();
  let next = needs;
  while (0 < next.length) {
    const objects = await collector.fetch(next);
    view.needs.clear();
    needAhead(view, objects, asked);
    next = [...view.needs.values()].filter(({ as }) => as === "object");
  }
}

/** What each program would load, in its own process; answers come in the order of the paths. */
export async function* examineLoads({ view, collector }: Examination, paths: Iterable<string>): AsyncGenerator<Loads> {
  for (const batch of batches(paths, 64)) {
    const answers = new Map<string, Loads>();
    let open = batch;
    let before = "";
    while (0 < open.length) {
      const needs: Need[] = [];
      const still: string[] = [];
      for (const path of open) {
        answers.set(path, loadsOf(view, path));
        if (view.needs.size === 0) continue;
        still.push(path);
        needs.push(...view.needs.values());
      }
      const key = needs.map(({ as, path }) => `${as} ${path}`).join("\n");
      if (!collector || key === before) break;
      before = key;
      await fetchAhead(view, collector, needs);
      open = still;
    }
    for (const path of batch) yield withVersions(answers.get(path)!, view.snapshot);
  }
}

/** Every program and library below folders, in order of path, links not followed; a file stands for itself. */
export async function findObjects(examination: Examination, paths: string[]): Promise<string[] | { problem: string }> {
  return answered(examination, (view) => {
    const found: string[] = [];
    for (const path of paths) {
      const at = view.lookup(path);
      if ("error" in at) return { problem: `there is no file or folder \`${path}\`` };
      if ("found" in at && at.entry.kind !== "folder") found.push(path);
      else if ("found" in at) collectObjects(view, path, at.found, found);
    }
    return found;
  });
}

function collectObjects(view: View, path: string, folder: string, found: string[]): void {
  const names = view.names(folder);
  if (names === undefined) view.need(folder, "listing");
  for (const name of names ?? []) {
    const below = `${folder === "/" ? "" : folder}/${name}`;
    const fact = view.snapshot.files[below];
    if (fact === undefined) view.need(below, "entry");
    else if (fact.kind === "folder") collectObjects(view, `${path.replace(/\/$/, "")}/${name}`, below, found);
    else if (fact.kind === "file") {
      const object = view.object(below, fact);
      // Relocatable and core files are loaded by nobody.
      if (object?.kind === "elf" && (object.type === 2 || object.type === 3)) found.push(`${path.replace(/\/$/, "")}/${name}`);
    }
  }
}

/** What one program would load, what its libraries bring in by themselves, and what it was built against. */
export async function examineProgram(examination: Examination, path: string): Promise<Loads> {
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
  return "missing" in answer ? notInstalled(answer.missing, chosen.environment) : withVersions(answer, examination.view.snapshot);
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
  return missing ? notInstalled(missing, environment) : nameCopies(why, examination.view.snapshot);
}

async function chooseFrameworks(
  examination: Examination,
  { frameworks: names, python }: FrameworkRun,
): Promise<{ frameworks: Framework[]; environment: PythonEnvironment } | { problem: string }> {
  const chosen = names.map((name) => frameworks.find(({ id }) => id === name));
  const unknown = names.find((_, index) => chosen[index] === undefined);
  if (unknown !== undefined)
    return { problem: `there is no framework \`${unknown}\`; known are ${frameworks.map(({ id }) => id).join(", ")}` };
  const environment = await answered(examination, (view) => chooseEnvironment(view, python));
  if (environment) return { frameworks: chosen as Framework[], environment };
  return {
    problem: `there is no Python environment ${0 < python.length ? `at \`${python.join("`, `")}\`` : "in the usual places; `--python DIR` names one"}`,
  };
}

const notInstalled = ({ id }: Framework, { prefix }: PythonEnvironment) => ({ problem: `${id} is not installed in \`${prefix}\`` });

/** Everything of the GPU stack that is there, and what each framework was compiled for and would load. */
export async function examineInventory(examination: Examination, places: string[]): Promise<Inventory> {
  const { snapshot } = examination.view;
  const seen = await answered(examination, (view) => {
    const environments = findEnvironments(view, places);
    const toolkits = readToolkits(view);
    const prefixes = environments.map(({ prefix }) => prefix);
    return {
      environments,
      toolkits,
      driver: readDriver(view),
      gpus: readGpus(view),
      copies: readCopies(view, toolkits, environments),
      variables: readVariableSources(view, prefixes),
      missing: missingFiles(view, environments),
    };
  });
  const installed: InstalledFramework[] = [];
  for (const environment of seen.environments) {
    for (const framework of frameworks) {
      const copy = framework.packages.map((name) => packageNamed(environment, name)).find((found) => found !== undefined);
      if (!copy) continue;
      const loads = await answered(examination, (view) => frameworkLoads(view, environment, [framework], ["convolution", "profile"]));
      const compiledFor = await answered(examination, (view) => framework.compiledFor(view, { package: copy, environment }));
      if ("missing" in loads) continue;
      installed.push({
        framework: framework.id,
        version: copy.version,
        environment: environment.prefix,
        compiledFor,
        wouldLoad: byLibrary(withVersions(loads, snapshot), seen.copies),
        failures: loads.failures,
      });
    }
  }
  return {
    schema: "culprit/list@1",
    target: snapshot.target,
    driver: seen.driver,
    gpus: seen.gpus,
    toolkits: seen.toolkits,
    environments: seen.environments.map(({ prefix, kind, python, version: release, notFollowed, packages }) => ({
      prefix,
      kind,
      python,
      version: release,
      notFollowed,
      packages: packages.map((found) => ({ name: found.name, version: found.version })),
    })),
    copies: seen.copies,
    frameworks: installed,
    variables: seen.variables,
    missing: seen.missing,
    unknown: snapshot.unknown,
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

/** Why a library is found where it is, for a program or for one without search paths of its own. */
export async function examineWhy(examination: Examination, library: string, program?: string): Promise<Why> {
  return nameCopies(await answered(examination, (view) => whyOf(view, library, program)), examination.view.snapshot);
}

function nameCopies(why: Why, snapshot: Snapshot): Why {
  for (const named of [...why.requests, ...why.changes]) {
    const copy = named.file === undefined ? undefined : copyAt(snapshot, named.file);
    if (copy?.version !== undefined) named.version = `${copy.library.name} ${copy.version}`;
  }
  return why;
}

/**
 * The facts that answer for these programs; without any, for every program and library of the system's own folders.
 * What was asked before is in it as well.
 */
export async function takeSnapshot(examination: Examination, programs: string[]): Promise<Snapshot> {
  const { view, collector } = examination;
  // Going through the answers collects what they rest on.
  for (const program of programs) await examineProgram(examination, program);
  if (programs.length === 0) for await (const _answer of examineLoads(examination, await systemObjects(examination))) continue;
  await answered(examination, (current) => whyOf(current, "libc.so.6"));
  return collector?.snapshot ?? view.snapshot;
}

async function systemObjects(examination: Examination): Promise<string[]> {
  const { environment } = examination.view.snapshot;
  const folders = new Set([
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    ...(environment["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/")),
  ]);
  const programs = await answered(examination, (view) => {
    const paths = new Set<string>();
    for (const folder of folders) {
      const at = view.lookup(folder);
      if (!("found" in at) || at.entry.kind !== "folder") continue;
      const names = view.names(at.found);
      if (names === undefined) view.need(at.found, "listing");
      for (const name of names ?? []) {
        const file = view.lookup(`${at.found}/${name}`);
        if ("found" in file && file.entry.kind === "file") paths.add(file.found);
      }
    }
    return [...paths];
  });
  const cache = await answered(examination, (view) => {
    const at = view.lookup("/etc/ld.so.cache");
    if ("found" in at && at.entry.kind === "file" && !at.entry.cache && !at.entry.unreadable) view.need(at.found, "cache");
    return "found" in at && at.entry.kind === "file" ? (at.entry.cache?.entries ?? []) : [];
  });
  return [...programs, ...new Set(cache.map(({ path }) => path))];
}

/** Every mismatch in a target's GPU stack. The rules come with later releases; until then nothing is judged. */
export async function examine(target: Target | Snapshot, whatIf: WhatIf = {}): Promise<Check> {
  const { view } = await beginExamination(target, whatIf);
  return explain(view.snapshot);
}

export function explain(snapshot: Snapshot): Check {
  return {
    schema: "culprit/check@1",
    target: snapshot.target,
    unknown: [
      ...snapshot.unknown,
      {
        subject: "rules",
        reason: "this version of culprit has no rules yet: nothing was judged; `culprit loads` and `culprit why` answer for single files",
      },
    ],
    findings: [],
  };
}

function withVersions(answer: Loads, snapshot: Snapshot): Loads {
  for (const load of answer.loads) {
    const copy = copyAt(snapshot, load.file, load.name);
    if (!copy) continue;
    load.library = copy.library.id;
    if (copy.version !== undefined) load.version = copy.version;
  }
  return answer;
}

/** The known GPU library that a file is a copy of, with its version where the file tells. */
function copyAt(snapshot: Snapshot, file: string, name = file): { library: KnownLibrary; version?: string } | undefined {
  const library = libraryOf(name) ?? libraryOf(file);
  if (!library) return undefined;
  const fact = snapshot.files[file];
  const version = fact?.kind === "file" && fact.object?.kind === "elf" ? versionOf(library, fact.object) : undefined;
  return version === undefined ? { library } : { library, version };
}

function* batches(paths: Iterable<string>, size: number): Generator<string[]> {
  let batch: string[] = [];
  for (const path of paths) {
    batch.push(path);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (0 < batch.length) yield batch;
}

// A snapshot that was handed in is not changed by a question about it.
function ownCopy(snapshot: Snapshot): Snapshot {
  return { ...snapshot, environment: { ...snapshot.environment }, files: { ...snapshot.files }, unknown: [...snapshot.unknown] };
}
