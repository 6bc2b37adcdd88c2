import { keptWith } from "../lib/memo.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import type { ElfFact, Snapshot } from "../model/snapshot.ts";

/**
 * The version of a copy that lost its name: one build has one build id, so another file with the same id, whose name still tells,
 * speaks for it. Good for as long as no fact is added: to see whether one was costs more than an answer.
 */
export function twinsIn({ files }: Snapshot): (object: ElfFact) => { version: string; file: string } | undefined {
  let names: string[] | undefined;
  return ({ buildId }) => {
    if (buildId === undefined) return undefined;
    for (const file of (names ??= telling(files))) {
      const fact = files[file]!;
      if (fact.kind === "file" && fact.object?.kind === "elf" && fact.object.buildId === buildId)
        return { version: versionInName(file)!, file };
    }
    return undefined;
  };
}

/** Files whose names tell a version. Thousands of names hold dozens of them, and the question comes for every load. */
function telling(files: Snapshot["files"]): string[] {
  // Inherited ones as well: a simulated snapshot lies over a real one.
  let count = 0;
  for (const _file in files) count += 1;
  const known = tellingOf(files);
  if (known.count === count) return known.names;
  known.count = count;
  known.names = [];
  for (const file in files) if (versionInName(file) !== undefined && libraryOf(file)) known.names.push(file);
  return known.names;
}

const tellingOf = keptWith((_files: Snapshot["files"]): { count: number; names: string[] } => ({ count: 0, names: [] }));

/** 9.14.0 of libcudnn.so.9.14.0. */
export const versionInName = (file: string) => /\.so\.(\d+\.\d+\.\d+)(?:\.\d+)*$/.exec(file)?.[1];
