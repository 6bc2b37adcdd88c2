import { nothingGoneThrough, type FailedImport, type GoneThrough } from "../survey/imports.ts";
import type { Sound } from "../survey/unsound.ts";
import { extensionIn, importFolders, namesIn } from "../survey/python.ts";
import { absolute } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { OpenMode, Opened } from "../resolve/dlopen.ts";
import type { LoadedObject, Process } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import type { Failure } from "../model/loads.ts";
import { runningProcess, type RunningProcess } from "./running-process.ts";

/** A running Python, as a framework's model drives it: extension modules and ctypes. */
export interface PythonProcess extends RunningProcess {
  readonly environment: PythonEnvironment;
  /** Libraries that lie in wheels, and that something is taken to load by itself, as nothing else leads there. */
  readonly assumed: { name: string; file: string }[];
  /** Ids of programs whose import ends at that of another one, and what ends it. */
  readonly ends: Map<string, Failure>;
  /** Of a package with several modules, those that cannot be imported, and why: the others can. */
  readonly partly: { module: string; message: string; unless?: FailedImport["unless"] }[];
  /** Modules that were gone through on paper. */
  readonly gone: GoneThrough;
  /** Whose code calls dlopen. */
  interpreter(): LoadedObject;
  /** `import` of an extension module that is a file in a folder of its package. */
  extension(folder: string, name: string, options?: { required?: boolean }): LoadedObject | undefined;
  /** `ctypes.CDLL`: the search is that of the `_ctypes` extension, and symbols are bound at once. */
  ctypes(name: string, mode?: OpenMode): Opened;
  /** Several names by ctypes, one after the other, until one is there. Misses on the way are no failure. */
  ctypesLadder(names: string[], mode?: OpenMode): LoadedObject | undefined;
  /** Where `import module` would look for its parts. */
  folders(module: string): string[];
  /** The first file on sys.path that matches `below/pattern`, as `glob` finds it; undefined when there is none. */
  globOnPath(belows: string[], pattern: RegExp): string | undefined;
}

export function pythonProcess(
  view: View,
  environment: PythonEnvironment,
  process: Process,
  ends: Map<string, Failure> = new Map(),
  sound?: Sound,
): PythonProcess {
  const running = runningProcess(view, process, environment);
  // Whose code calls dlopen: libpython's where the interpreter is a shared library, as in conda, else the program's own.
  const interpreter = () => running.loadedLike("libpython3") ?? process.executable;
  const ctypes = (name: string, mode: OpenMode = {}): Opened => {
    const file = extensionIn(view, environment, `${environment.library}/lib-dynload`, "_ctypes");
    const opened = file === undefined ? undefined : running.open(interpreter(), file);
    // Whoever calls it has imported it before.
    if (opened && "failure" in opened) running.stop(opened.failure);
    return running.open(opened && "object" in opened ? opened.object : interpreter(), name, mode);
  };
  return {
    ...running,
    environment,
    assumed: [],
    partly: [],
    ends,
    gone: nothingGoneThrough(sound),
    interpreter,
    ctypes,
    extension(folder, name, options = {}) {
      const file = extensionIn(view, environment, folder, name);
      if (file === undefined) return undefined;
      const opened = running.open(interpreter(), file);
      if ("failure" in opened && options.required) running.stop(opened.failure);
      return "object" in opened ? opened.object : undefined;
    },
    ctypesLadder(names, mode = {}) {
      for (const name of names) {
        const opened = ctypes(name, mode);
        if ("object" in opened) return opened.object;
        if ("pending" in opened) return undefined;
        if ("failure" in opened) process.missed.push(opened.failure);
      }
      return undefined;
    },
    folders: (module) => importFolders(view, environment.path, module),
    globOnPath(belows, pattern) {
      for (const place of environment.path) {
        for (const below of belows) {
          const folder = `${absolute(place, view.cwd).replace(/\/$/, "")}/${below}`;
          const found = namesIn(view, folder)?.find((name) => pattern.test(name));
          if (found !== undefined) return `${folder}/${found}`;
        }
      }
      return undefined;
    },
  };
}
