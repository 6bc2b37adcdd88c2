import type { FileFact, Snapshot } from "./snapshot.ts";

/**
 * A snapshot over another one: its own facts first, then those below, which stay as they are and may still grow: what is fetched for
 * them is seen here, too. `pathsIn`, `factsIn` and `filesOf` show the facts of all layers; `Object.keys` and `{ ...files }` would show the topmost alone
 * (`tests/overlay.test.ts`).
 */
export function overlay(snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    environment: { ...snapshot.environment },
    files: Object.create(snapshot.files) as Snapshot["files"],
    unknown: [...snapshot.unknown],
  };
}

/** The facts of all layers as one record of their own, to be changed at will. */
export const filesOf = ({ files }: Pick<Snapshot, "files">): Snapshot["files"] =>
  Object.getPrototypeOf(files) === Object.prototype ? { ...files } : Object.fromEntries(factsIn({ files }));

/** Every path that there are facts about. */
export function pathsIn({ files }: Pick<Snapshot, "files">): string[] {
  const paths: string[] = [];
  for (const path in files) paths.push(path);
  return paths;
}

/** Every path with what is known about it. */
export const factsIn = (snapshot: Pick<Snapshot, "files">): [string, FileFact][] =>
  pathsIn(snapshot).map((path) => [path, snapshot.files[path]!]);
