// Changes to a copy of the facts. The facts below stay as they are, and may still grow: what is fetched for them is seen here, too.
import { folderOf, nameOf } from "../lib/path.ts";
import { overlay } from "../model/overlay.ts";
import type { ElfFact, FileFact, Snapshot } from "../model/snapshot.ts";

export function withVariable(snapshot: Snapshot, name: string, value: string | undefined): Snapshot {
  const changed = overlay(snapshot);
  if (value === undefined) delete changed.environment[name];
  else changed.environment[name] = value;
  return changed;
}

export function withText(snapshot: Snapshot, file: string, text: string): Snapshot {
  return withFile(snapshot, file, { kind: "file", size: text.length, text });
}

/** Puts a file there; folders on the way come to be, and listings know of it. */
export function withFile(snapshot: Snapshot, path: string, fact: FileFact): Snapshot {
  const changed = overlay(snapshot);
  changed.files[path] = fact;
  for (let below = path, folder = folderOf(path); folder !== ""; below = folder, folder = folder === "/" ? "" : folderOf(folder)) {
    const known = changed.files[folder];
    const names = known?.kind === "folder" ? known.names : known === undefined || known.kind === "absent" ? [] : undefined;
    if (known?.kind === "folder" && (names === undefined || names.includes(nameOf(below)))) break;
    changed.files[folder] = { kind: "folder", names: [...(names ?? []), nameOf(below)].sort() };
  }
  return changed;
}

export const withoutFile = (snapshot: Snapshot, path: string): Snapshot => withoutFiles(snapshot, [path]);

/** Files and folders are gone, and no listing names them. */
export function withoutFiles(snapshot: Snapshot, paths: string[]): Snapshot {
  const changed = overlay(snapshot);
  const gone = new Map<string, Set<string>>();
  for (const path of paths) {
    changed.files[path] = { kind: "absent" };
    gone.set(folderOf(path), (gone.get(folderOf(path)) ?? new Set()).add(nameOf(path)));
  }
  for (const [path, names] of gone) {
    const folder = changed.files[path];
    if (folder?.kind === "folder" && folder.names)
      changed.files[path] = { ...folder, names: folder.names.filter((name) => !names.has(name)) };
  }
  return changed;
}

/** What a library of a package is like that is not there yet: as another copy of it, or as far as its name tells. */
export function libraryLike(path: string, size: number, model: ElfFact | undefined, facts: Partial<ElfFact> = {}): FileFact {
  const base: ElfFact = model ?? { kind: "elf", class: 64, order: "little", machine: 62, type: 3, needed: [], soname: nameOf(path) };
  return { kind: "file", size, object: { ...base, ...facts, definesAll: true } };
}
