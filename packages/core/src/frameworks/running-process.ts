import type { PythonEnvironment } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import { dlopen, type OpenMode, type Opened } from "../resolve/dlopen.ts";
import type { LoadedObject, Process } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import { onLoaded } from "./library-habits.ts";

/** The program ends here; the failure is noted. */
export class Stop extends Error {}

/** A process after its start: any loaded object may open more, and what is opened may do so by itself. */
export interface RunningProcess {
  readonly view: View;
  readonly process: Process;
  /** Of a Python: where its packages are. */
  readonly environment?: PythonEnvironment | undefined;
  /** dlopen by code inside a loaded object. What the new objects do when they are initialised is part of it. */
  open(requester: LoadedObject, name: string, mode?: OpenMode): Opened;
  /** Several names, one after the other, until one is there. Misses on the way are no failure. */
  ladder(requester: LoadedObject, names: string[], mode?: OpenMode): LoadedObject | undefined;
  /** Why this name could not be opened when it was last asked for: it is absent itself, or something that it needs. */
  whyNot(name: string): Failure | undefined;
  /** The loaded object that a request for this name would get. */
  loaded(name: string): LoadedObject | undefined;
  /** A loaded object by the beginning of its file's name: `libcudnn.so`. */
  loadedLike(start: string): LoadedObject | undefined;
  /** Everything loaded from here on follows only for some programs that do this. */
  possibly(act: () => void): void;
  stop(failure: Failure): never;
}

export function runningProcess(view: View, process: Process, environment?: PythonEnvironment): RunningProcess {
  // Constructors run after everything is mapped, dependencies first.
  const settled = (before: number) => {
    for (const object of process.objects.slice(before).toReversed()) onLoaded(running, object);
  };
  const refused = new Map<string, Failure>();
  const running: RunningProcess = {
    view,
    process,
    environment,
    open(requester, name, mode = {}) {
      const before = process.objects.length;
      const opened = dlopen(process, requester, name, mode);
      if ("failure" in opened) refused.set(name, opened.failure);
      else refused.delete(name);
      if ("object" in opened) settled(before);
      // Nothing catches this one: the loader touches what is not there, and the kernel kills the process.
      if ("failure" in opened && opened.failure.reason === "truncated") running.stop(opened.failure);
      return opened;
    },
    ladder(requester, names, mode = {}) {
      for (const name of names) {
        const opened = running.open(requester, name, mode);
        if ("object" in opened) return opened.object;
        if ("failure" in opened) process.missed.push(opened.failure);
        if ("pending" in opened) return undefined;
      }
      return undefined;
    },
    whyNot: (name) => refused.get(name),
    loaded: (name) => process.byName.get(name),
    loadedLike(start) {
      const begins = (path: string) => path.startsWith(start, path.lastIndexOf("/") + 1);
      return process.objects.find(({ file, path }) => begins(path) || begins(file));
    },
    possibly(act) {
      const before = process.loads.length;
      act();
      for (const load of process.loads.slice(before)) load.certainty = "possible";
    },
    stop(failure) {
      process.failures.push(failure);
      throw new Stop(failure.message);
    },
  };
  settled(0);
  return running;
}
