import { absolute } from "../lib/path.ts";
import type { Walk } from "../lib/walk.ts";
import type { Aspect, Need } from "../model/need.ts";
import type { ElfFact, FileFact, ObjectFact, RegularFileFact, Snapshot } from "../model/snapshot.ts";
import { placesFor, type Places } from "./places.ts";
import { noting, type Reads } from "./reads.ts";

/**
 * A snapshot as the loader would see it: paths are followed through links, and what is not in it is noted under `needs`.
 * Resolving again after those facts were added gives the next part of the answer; no needs left means the answer is whole.
 */
export interface View {
  readonly snapshot: Snapshot;
  readonly cwd: string;
  /** What the last resolving asked for in vain, by aspect and path. */
  readonly needs: Map<string, Need>;
  /** What would make an answer surer. Fetched like needs where there is somebody to ask; the answer is whole without. */
  readonly wishes: Map<string, Need>;
  /** The same facts, seen by somebody whose needs are only wishes. */
  readonly wishing: View;
  /** What was asked about and could not be seen, with the system's reason: it is neither there nor absent. */
  readonly blind: Map<string, string>;
  lookup(path: string): Walk<FileFact>;
  /** The ELF facts of a regular file; undefined and a need when they were not read. */
  object(path: string, fact: RegularFileFact): ObjectFact | undefined;
  need(path: string, as: Aspect, names?: string[]): void;
  /** Sorted names in a real folder; undefined when it was not listed, none when that was refused. */
  names(folder: string): string[] | undefined;
  /** Whether two files are one to the loader. */
  identity(path: string, fact: RegularFileFact): string;
}

export const viewOf = (snapshot: Snapshot): View => viewAt(snapshot, placesFor(snapshot.files));

/** The same, and all that is read of it is noted. */
export const notingView = (view: View, reads: Reads): View => viewAt(noting(view.snapshot, reads), placesFor(view.snapshot.files), reads);

function viewAt(snapshot: Snapshot, places: () => Places, reads?: Reads): View {
  const blind = new Map<string, string>();
  const wishes = new Map<string, Need>();
  const { cwd } = snapshot;
  const noted = (needs: Map<string, Need>): Omit<View, "wishing"> => {
    // Of one object thousands of names may be asked, one by one.
    const named = new WeakMap<Need, Set<string>>();
    const need = (path: string, as: Aspect, names?: string[]) => {
      const key = `${as} ${path}`;
      let known = needs.get(key);
      if (!known) needs.set(key, (known = names ? { path, as, names: [] } : { path, as }));
      if (!names) return;
      const all = named.get(known) ?? new Set();
      named.set(known, all);
      for (const name of names) if (all.size < all.add(name).size) known.names!.push(name);
    };
    return {
      snapshot,
      cwd,
      needs,
      wishes,
      blind,
      need,
      lookup(path) {
        const { answer: result, trail } = places().walk(absolute(path, cwd));
        reads?.trails.add(trail);
        if ("ask" in result) need(absolute(path, cwd), "entry");
        else if ("error" in result) {
          if (!plainAnswers.has(result.error)) blind.set(absolute(path, cwd), result.error);
        } else if (result.entry.kind === "file" && result.entry.unreadable !== undefined)
          blind.set(absolute(path, cwd), result.entry.unreadable);
        return result;
      },
      object(path, fact) {
        if (fact.object === undefined && fact.unreadable === undefined) need(path, "object");
        return fact.object;
      },
      names(folder) {
        const fact = snapshot.files[folder];
        if (fact?.kind !== "folder") return undefined;
        if (fact.unlistable !== undefined) blind.set(folder, fact.unlistable);
        // Nothing can be found by listing; whether a name is there stays a question.
        return fact.unlistable === undefined ? fact.names : [];
      },
      identity: (path, fact) => fact.id ?? path,
    };
  };
  const wishing = noted(wishes) as View;
  return { ...noted(new Map()), wishing: Object.assign(wishing, { wishing }) };
}

/** Errors that say what is there: nothing, or nothing that can be followed. */
const plainAnswers = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]);

export function isElf(object: ObjectFact | undefined): object is ElfFact {
  return object?.kind === "elf";
}
