import { libraryOf } from "../knowledge/libraries.ts";
import type { ElfFact, Snapshot } from "../model/snapshot.ts";

/**
 * The version of a copy that lost its name: one build has one build id, so another file with the same id, whose name still tells,
 * speaks for it.
 */
export function versionOfTwin({ files }: Snapshot, { buildId }: ElfFact): { version: string; file: string } | undefined {
  if (buildId === undefined) return undefined;
  // Inherited ones as well: a simulated snapshot lies over a real one.
  for (const file in files) {
    const fact = files[file]!;
    if (fact.kind !== "file" || fact.object?.kind !== "elf" || fact.object.buildId !== buildId) continue;
    const version = versionInName(file);
    if (version !== undefined && libraryOf(file)) return { version, file };
  }
  return undefined;
}

/** 9.14.0 of libcudnn.so.9.14.0. */
export const versionInName = (file: string) => /\.so\.(\d+\.\d+\.\d+)(?:\.\d+)*$/.exec(file)?.[1];
