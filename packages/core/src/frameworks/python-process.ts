import { extensionIn, importFolders, namesIn } from "../survey/python.ts";
import { absolute } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { OpenMode, Opened } from "../resolve/dlopen.ts";
import type { LoadedObject, Process } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import { RunningProcess } from "./running-process.ts";

/** A running Python, as a framework's model drives it: extension modules and ctypes. */
export class PythonProcess extends RunningProcess {
  readonly environment: PythonEnvironment;

  constructor(view: View, environment: PythonEnvironment, process: Process) {
    super(view, process);
    this.environment = environment;
  }

  /** `import` of an extension module that is a file in a folder of its package. */
  extension(folder: string, name: string, options: { required?: boolean } = {}): LoadedObject | undefined {
    const file = extensionIn(this.view, this.environment, folder, name);
    if (file === undefined) return undefined;
    const opened = this.open(this.#interpreter(), file);
    if ("failure" in opened && options.required) this.stop(opened.failure);
    return "object" in opened ? opened.object : undefined;
  }

  /** `ctypes.CDLL`: the search is that of the `_ctypes` extension, and symbols are bound at once. */
  ctypes(name: string, mode: OpenMode = {}): Opened {
    const folder = `${this.environment.library}/lib-dynload`;
    const file = extensionIn(this.view, this.environment, folder, "_ctypes");
    const opened = file === undefined ? undefined : this.open(this.#interpreter(), file);
    return this.open(opened && "object" in opened ? opened.object : this.#interpreter(), name, mode);
  }

  /** Several names by ctypes, one after the other, until one is there. Misses on the way are no failure. */
  ctypesLadder(names: string[], mode: OpenMode = {}): LoadedObject | undefined {
    for (const name of names) {
      const opened = this.ctypes(name, mode);
      if ("object" in opened) return opened.object;
      if ("pending" in opened) return undefined;
      if ("failure" in opened) this.process.missed.push(opened.failure);
    }
    return undefined;
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

  // Whose code calls dlopen: libpython's where the interpreter is a shared library, as in conda, else the program's own.
  #interpreter(): LoadedObject {
    return this.loadedLike("libpython3") ?? this.process.executable;
  }
}
