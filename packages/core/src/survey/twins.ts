import { keptWith } from "../lib/memo.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import type { ElfFact, Snapshot } from "../model/snapshot.ts";
import { changedOver, groundOf } from "../resolve/ground.ts";
import { derivedFrom } from "../resolve/reads.ts";

/**
 * The version of a copy that lost its name: one build has one build id, so another file with the same id, whose name still tells,
 * speaks for it. Good for as long as no fact is added: to see whether one was costs more than an answer.
 */
export function twinsIn({ files }: Snapshot): (object: ElfFact) => Twin | undefined {
  let twins: Twins | undefined;
  return ({ buildId }) => (buildId === undefined ? undefined : (twins ??= derivedFrom(files, twinsAmong)).get(buildId));
}

interface Twin {
  version: string;
  file: string;
}

type Twins = Map<string, Twin>;

/** By build id. Where facts stay as they are, it is made once, and anew only for layers with such a file. */
function twinsAmong(files: Snapshot["files"]): Twins {
  const ground = groundOf(files);
  if (!ground) return listTwins(files);
  return changedOver(ground, files).some(tells) ? listTwins(files) : twinsOfGround(ground);
}

const twinsOfGround = keptWith((ground: Snapshot["files"]) => listTwins(ground));

function listTwins(files: Snapshot["files"]): Twins {
  const twins: Twins = new Map();
  for (const file of telling(files)) {
    const fact = files[file]!;
    const buildId = fact.kind === "file" && fact.object?.kind === "elf" ? fact.object.buildId : undefined;
    if (buildId !== undefined && !twins.has(buildId)) twins.set(buildId, { version: versionInName(file)!, file });
  }
  return twins;
}

/** Files whose names tell a version. Thousands of names hold dozens of them, and the question comes for every process. */
function telling(files: Snapshot["files"]): string[] {
  // Inherited ones as well: a simulated snapshot lies over a real one.
  let count = 0;
  for (const _file in files) count += 1;
  const known = tellingOf(files);
  if (known.count === count) return known.names;
  known.count = count;
  known.names = [];
  for (const file in files) if (tells(file)) known.names.push(file);
  return known.names;
}

const tellingOf = keptWith((_files: Snapshot["files"]): { count: number; names: string[] } => ({ count: 0, names: [] }));

const tells = (file: string) => versionInName(file) !== undefined && libraryOf(file) !== undefined;

/** 9.14.0 of libcudnn.so.9.14.0. */
export const versionInName = (file: string) => /\.so\.(\d+\.\d+\.\d+)(?:\.\d+)*$/.exec(file)?.[1];
