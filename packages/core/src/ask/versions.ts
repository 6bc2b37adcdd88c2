import { twinsIn, versionInName } from "../survey/twins.ts";
import { libraryOf, versionOf, type KnownLibrary } from "../knowledge/libraries.ts";
import type { Copy } from "../model/inventory.ts";
import type { Loads } from "../model/loads.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Why } from "../model/why.ts";

export function withVersions(answer: Loads, snapshot: Snapshot): Loads {
  const twins = twinsIn(snapshot);
  for (const load of answer.loads) {
    const copy = copyAt(snapshot, twins, load.file, load.name);
    if (!copy) continue;
    load.library = copy.library.id;
    if (copy.version !== undefined) load.version = copy.version;
  }
  return answer;
}

/** The known GPU library that a file is a copy of, with its version where the file tells. */
function copyAt(
  snapshot: Snapshot,
  twins: ReturnType<typeof twinsIn>,
  file: string,
  name = file,
): { library: KnownLibrary; version?: string } | undefined {
  const library = libraryOf(name) ?? libraryOf(file);
  if (!library) return undefined;
  const fact = snapshot.files[file];
  const object = fact?.kind === "file" && fact.object?.kind === "elf" ? fact.object : undefined;
  // Where the code does not say, the file's real name does: libcudnn.so.9.14.0.
  const version = (object && versionOf(library, object)) ?? versionInName(file) ?? (object && twins(object)?.version);
  return version === undefined ? { library } : { library, version };
}

/** `copies`: what is installed, whose packages say what neither code nor name does. */
export function nameCopies(why: Why, snapshot: Snapshot, copies: Copy[]): Why {
  const twins = twinsIn(snapshot);
  for (const named of [...why.requests, ...why.losers, ...why.changes]) {
    const copy = named.file === undefined ? undefined : copyAt(snapshot, twins, named.file);
    const version = copy?.version ?? threeOf(copies.find(({ file }) => file === named.file)?.version);
    if (copy && version !== undefined) named.version = `${copy.library.name} ${version}`;
  }
  return why;
}

/** A wheel has a part of its own behind the release of what it brings: 9.19.0.56 is cuDNN 9.19.0. */
export const threeOf = <Version extends string | undefined>(version: Version): Version =>
  version?.split(".").slice(0, 3).join(".") as Version;
