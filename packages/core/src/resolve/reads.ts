// All that an answer was made of, so that it can be told whether other facts would give the same.
import { keptWith } from "../lib/memo.ts";
import type { Trail } from "../lib/walk.ts";
import type { FileFact, Snapshot } from "../model/snapshot.ts";
import { changedOver } from "./ground.ts";

type Files = Snapshot["files"];

export interface Reads {
  /** Ways that were gone, and what lies on those of them that were laid out. */
  readonly trails: Set<Trail>;
  readonly walked: Set<string>;
  /** Facts that were asked for by their path. */
  readonly paths: Set<string>;
  /** Whether somebody went through all files. */
  everything: boolean;
  /** Variables that were asked for; `whole`: all of them were gone through. */
  readonly variables: Map<string, string | undefined>;
  whole: Snapshot["environment"] | undefined;
  /** Whatever else of the snapshot, as it was. */
  readonly fields: Map<string, unknown>;
  /** What was worked out from all files, and would be another object if it came out differently. */
  readonly derived: Map<(files: Files) => unknown, unknown>;
}

export const noReads = (): Reads => ({
  trails: new Set(),
  walked: new Set(),
  paths: new Set(),
  everything: false,
  variables: new Map(),
  whole: undefined,
  fields: new Map(),
  derived: new Map(),
});

/** A snapshot that notes what is read of it. */
export function noting(snapshot: Snapshot, reads: Reads): Snapshot {
  const files = notingFiles(snapshot.files, reads);
  const environment = notingVariables(snapshot.environment, reads);
  // What is behind it may be frozen, and then nothing else could stand for it.
  return new Proxy(
    { ...snapshot },
    {
      get(target, name) {
        if (name === "files") return files;
        if (name === "environment") return environment;
        const value = target[name as keyof Snapshot];
        reads.fields.set(name as string, value);
        return value;
      },
      ownKeys(target) {
        for (const name of Object.keys(target))
          if (name !== "files" && name !== "environment") reads.fields.set(name, target[name as keyof Snapshot]);
        return Reflect.ownKeys(target);
      },
    },
  );
}

const notingFiles = (files: Files, reads: Reads): Files =>
  new Proxy(files, {
    get(target, path) {
      if (path === told) return { files, reads };
      reads.paths.add(path as string);
      return target[path as string];
    },
    has(target, path) {
      reads.paths.add(path as string);
      return path in target;
    },
    ownKeys(target) {
      reads.everything = true;
      return Reflect.ownKeys(target);
    },
    // A layer over it sees further changes only through what it asks for.
    getPrototypeOf(target) {
      reads.everything = true;
      return Reflect.getPrototypeOf(target);
    },
  });

const notingVariables = (environment: Snapshot["environment"], reads: Reads): Snapshot["environment"] =>
  new Proxy(environment, {
    get(target, name) {
      const value = Object.hasOwn(target, name) ? target[name as string] : undefined;
      reads.variables.set(name as string, value);
      return value;
    },
    has(target, name) {
      reads.variables.set(name as string, target[name as string]);
      return name in target;
    },
    ownKeys(target) {
      reads.whole = { ...target };
      return Reflect.ownKeys(target);
    },
  });

const told = Symbol("who notes what is read of these files");

/** Works something out from all files; noted as what came of it, so that a change that makes no difference to it does not count. */
export function derivedFrom<T>(files: Files, work: (files: Files) => T): T {
  const noted = (files as { [told]?: { files: Files; reads: Reads } })[told];
  if (!noted) return work(files);
  const value = work(noted.files);
  noted.reads.derived.set(work, value);
  return value;
}

/** What was read of layers over the ground, as it was. */
export function ownFacts(reads: Reads, ground: Files, files: Files): Map<string, FileFact | undefined> {
  const own = new Map<string, FileFact | undefined>();
  const changed = new Set(changedOver(ground, files));
  for (const path of changed) if (isRead(reads, path, { ground, files, changed })) own.set(path, files[path]);
  return own;
}

/** Whether a snapshot over the same ground has all that was read, as it was. */
export function isUnchanged(reads: Reads, own: Map<string, FileFact | undefined>, ground: Files, snapshot: Snapshot): boolean {
  const { environment, files } = snapshot;
  for (const [name, value] of reads.variables)
    if ((Object.hasOwn(environment, name) ? environment[name] : undefined) !== value) return false;
  if (reads.whole && !isSameRecord(reads.whole, environment)) return false;
  for (const [name, value] of reads.fields) if (!isSame(snapshot[name as keyof Snapshot], value)) return false;
  for (const [path, fact] of own) if (files[path] !== fact) return false;
  const changed = new Set(changedOver(ground, files));
  for (const path of changed)
    if (!own.has(path) && files[path] !== ground[path] && isRead(reads, path, { ground, files, changed })) return false;
  for (const [work, value] of reads.derived) if (work(files) !== value) return false;
  return true;
}

interface Change {
  ground: Files;
  files: Files;
  changed: Set<string>;
}

function isRead(reads: Reads, path: string, change: Change): boolean {
  if (reads.everything || reads.paths.has(path)) return true;
  // Most answers are never compared with other files: only then are all their ways laid out.
  if (0 < reads.trails.size) {
    for (const first of reads.trails)
      for (let trail: Trail | undefined = first; trail; trail = trail.before) for (const each of trail.reads) reads.walked.add(each);
    reads.trails.clear();
  }
  return reads.walked.has(path) && !isListedAnew(path, change);
}

/** Who goes through a folder asks for one name in it; of others that came or went there, each is a change of its own. */
function isListedAnew(path: string, { ground, files, changed }: Change): boolean {
  const [before, now] = [ground[path], files[path]];
  if (before?.kind !== "folder" || now?.kind !== "folder") return false;
  const known = otherNames(now);
  if (!known.has(before)) known.set(before, namesThatDiffer(before, now));
  const differing = known.get(before);
  return differing?.every((name) => changed.has(`${path === "/" ? "" : path}/${name}`)) ?? false;
}

const otherNames = keptWith((_now: FileFact) => new Map<FileFact, string[] | undefined>());

/** Undefined where more than its names is otherwise. */
function namesThatDiffer(before: FileFact & { kind: "folder" }, now: FileFact & { kind: "folder" }): string[] | undefined {
  if (!before.names || !now.names || !isSame({ ...before, names: [] }, { ...now, names: [] })) return undefined;
  const [had, has] = [new Set(before.names), new Set(now.names)];
  return [...before.names.filter((name) => !has.has(name)), ...now.names.filter((name) => !had.has(name))];
}

const isSameRecord = (one: Snapshot["environment"], other: Snapshot["environment"]): boolean => {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && one[name] === other[name]);
};

/** What a what-if puts in the place of something is a new object, small, and perhaps equal. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === "object" && typeof other === "object" && JSON.stringify(one) === JSON.stringify(other));
