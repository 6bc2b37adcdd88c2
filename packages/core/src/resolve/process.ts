import type { Failure, Load, Reuse } from "../model/loads.ts";
import type { ElfFact, LoaderFact } from "../model/snapshot.ts";
import type { Mapped } from "./glibc.ts";
import type { Processor } from "./hwcaps.ts";
import type { View } from "./view.ts";

/** A process as its loader sees it: what is loaded, in order, and what happened on the way. */
export interface Process {
  view: View;
  loader: { path: string; file: string; fact: LoaderFact; elf: ElfFact };
  environment: { [name: string]: string };
  /** Runs with another user's rights: the loader then trusts almost nothing. */
  secure: boolean;
  executable: LoadedObject;
  /** All objects of the namespace in load order, the executable first. */
  objects: LoadedObject[];
  /** Names that requests are compared with: as requested, paths, and DT_SONAMEs. */
  byName: Map<string, LoadedObject>;
  /** What the program does while these loads happen. */
  activity: string;
  loads: Load[];
  /** Absent where nobody wants to know. */
  reused: Reuse[] | undefined;
  failures: Failure[];
  missed: Failure[];
  /** Who subscribed to CUPTI first, and keeps it. */
  profiler?: string;
  /** Some fact was not there: the answer so far is only good for finding out what to read next. */
  pending: boolean;
  searchState: SearchState;
  /** The same for what the processor may be, too; see `processorsOf`. */
  otherStates: SearchState[];
  /** Requests whose answer another processor would change. */
  hangOnProcessor: string[];
  /** Told of every request and its answer: how `why` gets to see the search. */
  heard?: (requester: LoadedObject, name: string, mapped: Mapped) => void;
}

export interface SearchState {
  /** The processor for which this search is made. */
  processor: Processor;
  /** Which capability subfolders exist, by search folder: a folder once found missing is not tried again. */
  folders: Map<string, ("unknown" | "existing" | "missing")[]>;
  environmentPath: string[] | undefined;
}

export interface LoadedObject {
  /** As the loader built it; empty for an executable that the kernel started. */
  path: string;
  file: string;
  fact: ElfFact;
  /** Device and inode; undefined for the executable, which the loader never recognises by them. */
  identity: string | undefined;
  /** Whose DT_NEEDED brought it; undefined for anything dlopened and for the executable. */
  loader: LoadedObject | undefined;
  origin: string | undefined;
  isExecutable: boolean;
  /** Names it was asked for by, and its path; DT_SONAME joins them when it first answers a request. */
  names: Set<string>;
  load?: Load;
  /** It is not known that every processor that this may be gets it. */
  hangsOnProcessor?: true;
  /** Search lists, worked out once. */
  rpath?: string[];
  runpath?: string[];
  /** What its own entries asked for, in order, once that was looked for. */
  dependencies?: LoadedObject[];
  /** Opened with RTLD_GLOBAL: serves the symbols of everything loaded later. */
  global?: boolean;
  /** Objects in whose symbols this object's own dlopen root looks, breadth first. */
  scope?: LoadedObject[];
}

/** How messages name an object. */
export function nameOfObject(process: Process, object: LoadedObject): string {
  return object === process.executable ? object.path || object.file : object.path;
}

/** Takes a process back to where it is now, when that is called: what is loaded after this is gone then. */
export function remember(process: Process): () => void {
  const { pending } = process;
  const lists = [
    process.objects,
    process.loads,
    process.failures,
    process.missed,
    process.hangOnProcessor,
    ...(process.reused ? [process.reused] : []),
  ];
  const lengths = lists.map(({ length }) => length);
  const byName = new Map(process.byName);
  return () => {
    lists.forEach((list, index) => (list.length = lengths[index]!));
    process.byName = byName;
    process.pending = pending;
  };
}
