import { beginCollecting, type Collector } from "./collect/collect.ts";
import { versionInName, versionOfTwin } from "./collect/twins.ts";
import { libraryOf, versionOf, type KnownLibrary } from "./knowledge/libraries.ts";
import type { Loads } from "./model/loads.ts";
import { keyOfNeeds, type Need } from "./model/need.ts";
import type { CpuFact, Snapshot } from "./model/snapshot.ts";
import type { Target } from "./model/target.ts";
import type { Why } from "./model/why.ts";
import { needAhead } from "./resolve/ahead.ts";
import { runLdconfig } from "./resolve/ldconfig.ts";
import { viewOf, type View } from "./resolve/view.ts";
import { version } from "./version.ts";

/** What to answer for, where it differs from the target as it is. */
export interface WhatIf {
  environment?: { [name: string]: string };
  unset?: string[];
  cwd?: string;
  /** One without a vendor is the target's own vendor's, where that is known. */
  cpu?: CpuFact;
  /** A driver and GPUs in the place of those that are there. */
  driver?: string;
  gpus?: string[];
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
  if (whatIf.cpu) snapshot.cpu = withVendor(whatIf.cpu, snapshot.cpu);
  if (whatIf.driver !== undefined || whatIf.gpus)
    snapshot.assumed = {
      ...(whatIf.driver === undefined ? {} : { driver: whatIf.driver }),
      ...(whatIf.gpus ? { gpus: whatIf.gpus } : {}),
    };
  const examination = { view: viewOf(snapshot), collector };
  return whatIf.ldconfig ? withFreshCache(examination) : examination;
}

function withVendor(given: CpuFact, { vendor, atomics }: CpuFact): CpuFact {
  return { ...(vendor === undefined ? {} : { vendor }), ...(atomics === undefined ? {} : { atomics }), ...given };
}

async function withFreshCache(examination: Examination): Promise<Examination> {
  const { snapshot } = examination.view;
  if (!(await rebuildCache(examination)))
    snapshot.unknown.push({
      subject: "ldconfig",
      reason: "the snapshot does not hold the folders that ldconfig would search",
      decides: true,
    });
  return { ...examination, view: viewOf(snapshot) };
}

/** The cache that ldconfig would write takes the place of the one that is there; false where the facts do not tell what it would write. */
export async function rebuildCache(examination: Examination, only?: string[]): Promise<boolean> {
  const run = await answered(examination, (view) => runLdconfig(view, only));
  if (!run) return false;
  const { files } = examination.view.snapshot;
  for (const { path, to } of run.links) files[path] = { kind: "link", to };
  const place = await answered(examination, (view) => view.lookup("/etc/ld.so.cache"));
  files["found" in place ? place.found : "/etc/ld.so.cache"] = { kind: "file", size: 1, cache: run.cache };
  return true;
}

/** Asks a question over and over, fetching what it lacks, until nothing is missing or nothing more can be had. */
export async function answered<T>({ view, collector }: Examination, ask: (view: View) => T): Promise<T> {
  let before = "";
  for (;;) {
    view.needs.clear();
    view.wishes.clear();
    const answer = ask(view);
    const needs = [...view.needs.values(), ...view.wishes.values()];
    const key = keyOfNeeds(needs);
    // Needs that a fetch did not meet (a file that changes under us) would be asked for ever.
    if (needs.length === 0 || !collector || key === before) return answer;
    before = key;
    await fetchAhead(view, collector, needs);
  }
}

// Fetches what is needed, and then what the new objects need in turn, without asking the whole question again for each level.
export async function fetchAhead(view: View, collector: Collector, needs: Need[]): Promise<void> {
  const asked = new Set<string>();
  const fetchLevel = async (level: Need[]): Promise<void> => {
    const objects = await collector.fetch(level);
    view.needs.clear();
    needAhead(view, objects, asked);
    await fetchAll([...view.needs.values()].filter(({ as }) => as === "object"));
  };
  // From far away nothing waits for what it does not rest on.
  const fetchAll = async (level: Need[]): Promise<void> => {
    if (collector.isDistant) await Promise.all(level.map(async (need) => fetchLevel([need])));
    else if (0 < level.length) await fetchLevel(level);
  };
  await fetchAll(needs);
}

export function withVersions(answer: Loads, snapshot: Snapshot): Loads {
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
  const object = fact?.kind === "file" && fact.object?.kind === "elf" ? fact.object : undefined;
  // Where the code does not say, the file's real name does: libcudnn.so.9.14.0.
  const version = (object && versionOf(library, object)) ?? versionInName(file) ?? (object && versionOfTwin(snapshot, object)?.version);
  return version === undefined ? { library } : { library, version };
}

export function nameCopies(why: Why, snapshot: Snapshot): Why {
  for (const named of [...why.requests, ...why.changes]) {
    const copy = named.file === undefined ? undefined : copyAt(snapshot, named.file);
    if (copy?.version !== undefined) named.version = `${copy.library.name} ${copy.version}`;
  }
  return why;
}

// A snapshot that was handed in is not changed by a question about it.
function ownCopy(snapshot: Snapshot): Snapshot {
  return { ...snapshot, environment: { ...snapshot.environment }, files: { ...snapshot.files }, unknown: [...snapshot.unknown] };
}
