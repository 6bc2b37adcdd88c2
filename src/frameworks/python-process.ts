import { extensionIn, importFolders, namesIn } from "../collect/python.ts";
import { absolute, nameOf } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import { dlopen, type OpenMode, type Opened } from "../resolve/dlopen.ts";
import type { LoadedObject, Process } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import { Stop } from "./framework.ts";
import { onLoaded } from "./library-habits.ts";

/** A running Python, as a framework's model drives it: extension modules, ctypes, and dlopen by any loaded object. */
export class PythonProcess {
  readonly view: View;
  readonly environment: PythonEnvironment;
  readonly process: Process;

  constructor(view: View, environment: PythonEnvironment, process: Process) {
    this.view = view;
    this.environment = environment;
    this.process = process;
    this.#settled(0);
  }

  /** `import` of an extension module that is a file in a folder of its package. */
  extension(folder: string, name: string, options: { required?: boolean } = {}): LoadedObject | undefined {
    const file = extensionIn(this.view, this.environment, folder, name);
    if (file === undefined) return undefined;
    const opened = this.open(this.process.executable, file);
    if ("failure" in opened && options.required) this.stop(opened.failure);
    return "object" in opened ? opened.object : undefined;
  }

  /** `ctypes.CDLL`: the search is that of the `_ctypes` extension, and symbols are bound at once. */
  ctypes(name: string, mode: OpenMode = {}): Opened {
    const folder = `${this.environment.library}/lib-dynload`;
    const file = extensionIn(this.view, this.environment, folder, "_ctypes");
    const opened = file === undefined ? undefined : this.open(this.process.executable, file);
    return this.open(opened && "object" in opened ? opened.object : this.process.executable, name, mode);
  }

  /** dlopen by code inside a loaded object. What the new objects do when they are initialised is part of it. */
  open(requester: LoadedObject, name: string, mode: OpenMode = {}): Opened {
    const before = this.process.objects.length;
    const opened = dlopen(this.process, requester, name, mode);
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

  /** The loaded object that a request for this name would get. */
  loaded(name: string): LoadedObject | undefined {
    return this.process.byName.get(name);
  }

  /** A loaded object by the beginning of its file's name: `libcudnn.so`. */
  loadedLike(start: string): LoadedObject | undefined {
    return this.process.objects.find(({ file, path }) => nameOf(path).startsWith(start) || nameOf(file).startsWith(start));
  }

  /** Where `import module` would look for its parts. */
  folders(module: string): string[] {
    return importFolders(this.view, this.environment.path, module);
  }

  /** The first file on sys.path that matches `below/pattern`, as `glob` finds it; undefined when there is none. */
  globOnPath(belows: string[], pattern: RegExp): string | undefined {
    for (const place of this.environment.path) {
      for (const below of belows) {
        const folder = `${absolute(place, this.view.cwd).replace(/\/$/, "")}/${below}`;
        const found = namesIn(this.view, folder)?.find((name) => pattern.test(name));
        if (found !== undefined) return `${folder}/${found}`;
      }
    }
    return undefined;
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
