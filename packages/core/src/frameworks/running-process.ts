import type { Failure } from "../model/loads.ts";
import { dlopen, type OpenMode, type Opened } from "../resolve/dlopen.ts";
import type { LoadedObject, Process } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import { onLoaded } from "./library-habits.ts";

/** The program ends here; the failure is noted. */
export class Stop extends Error {}

/** A process after its start: any loaded object may open more, and what is opened may do so by itself. */
export class RunningProcess {
  readonly view: View;
  readonly process: Process;
  /** Why each name could not be opened when it was last asked for: it is absent itself, or something that it needs. */
  readonly #refused = new Map<string, Failure>();

  constructor(view: View, process: Process) {
    this.view = view;
    this.process = process;
    this.#settled(0);
  }

  /** dlopen by code inside a loaded object. What the new objects do when they are initialised is part of it. */
  open(requester: LoadedObject, name: string, mode: OpenMode = {}): Opened {
    const before = this.process.objects.length;
    const opened = dlopen(this.process, requester, name, mode);
    if ("failure" in opened) this.#refused.set(name, opened.failure);
    else this.#refused.delete(name);
    if ("object" in opened) this.#settled(before);
    // Nothing catches this one: the loader touches what is not there, and the kernel kills the process.
    if ("failure" in opened && opened.failure.reason === "truncated") this.stop(opened.failure);
    return opened;
  }

  /** Several names, one after the other, until one is there. Misses on the way are no failure. */
  ladder(requester: LoadedObject, names: string[], mode: OpenMode = {}): LoadedObject | undefined {
    for (const name of names) {
      const opened = this.open(requester, name, mode);
      if ("object" in opened) return opened.object;
      if ("failure" in opened) this.process.missed.push(opened.failure);
      if ("pending" in opened) return undefined;
    }
    return undefined;
  }

  /** Why this name could not be opened; undefined where it could, or was not asked for. */
  whyNot(name: string): Failure | undefined {
    return this.#refused.get(name);
  }

  /** The loaded object that a request for this name would get. */
  loaded(name: string): LoadedObject | undefined {
    return this.process.byName.get(name);
  }

  /** A loaded object by the beginning of its file's name: `libcudnn.so`. */
  loadedLike(start: string): LoadedObject | undefined {
    const begins = (path: string) => path.startsWith(start, path.lastIndexOf("/") + 1);
    return this.process.objects.find(({ file, path }) => begins(path) || begins(file));
  }

  /** Everything loaded from here on follows only for some programs that do this. */
  possibly(act: () => void): void {
    const before = this.process.loads.length;
    act();
    for (const load of this.process.loads.slice(before)) load.certainty = "possible";
  }

  stop(failure: Failure): never {
    this.process.failures.push(failure);
    throw new Stop(failure.message);
  }

  // Constructors run after everything is mapped, dependencies first.
  #settled(before: number): void {
    for (const object of this.process.objects.slice(before).toReversed()) onLoaded(this, object);
  }
}
