// Modules of Python's own library that rest on one of the system: `import ssl` is what programs meet first where that is shadowed.
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Failure, Load } from "../model/loads.ts";
import { dlopen } from "../resolve/dlopen.ts";
import type { Mapped } from "../resolve/glibc.ts";
import { startProgram } from "../resolve/start.ts";
import type { View } from "../resolve/view.ts";
import { extensionIn } from "../survey/python.ts";

/** A module that cannot be imported, and what the loader says. */
export interface LostModule {
  module: string;
  failure: Failure;
  /** What that process had loaded by then, but the module; and a file that ended the search because it is no library. */
  loads: Load[];
  /** Those of them that may be to blame: what did not have what was asked of it, what asked, the interpreter's own. */
  suspects: Load[];
}

/** By the name of its file. */
const modules: { [extension: string]: string } = {
  _ctypes: "ctypes",
  _ssl: "ssl",
  zlib: "zlib",
  _bz2: "bz2",
  _lzma: "lzma",
  _sqlite3: "sqlite3",
};

/**
 * What of it could not be imported. To be asked where something goes before the libraries that it was built with. Each is tried in a process of its own,
 * so that nothing is said about what a framework loads. It is only wished for: where a snapshot does not hold it, nothing is missing.
 */
export function lostModules({ wishing: view }: View, environment: PythonEnvironment): LostModule[] {
  return Object.entries(modules).flatMap(([extension, module]) => {
    // Built into the interpreter, it is loaded with it.
    const file = extensionIn(view, environment, `${environment.library}/lib-dynload`, extension);
    const lost = file === undefined ? undefined : tryModule(view, environment, file);
    return lost ? [{ module, ...lost }] : [];
  });
}

function tryModule(view: View, { python }: PythonEnvironment, file: string): Omit<LostModule, "module"> | undefined {
  const unusable: Load[] = [];
  const started = startProgram(view, python, ({ path }, name, mapped) => {
    const load = unusableIn(path, name, mapped);
    if (load) unusable.push(load);
  });
  if (started === undefined || "refused" in started) return undefined;
  const { process } = started;
  const ofPython = process.loads.find(({ name }) => isPython(name));
  const interpreter = process.objects.find((object) => object.load !== undefined && object.load === ofPython) ?? process.executable;
  const opened = dlopen(process, interpreter, file);
  if (!("failure" in opened) || process.pending) return undefined;
  const { failure } = opened;
  const loads = [...unusable, ...process.loads].filter(({ path }) => path !== file);
  const loadOf = (path: string | undefined) => loads.find((load) => load.file === path || load.path === path);
  const suspects = [loadOf(failure.file), loadOf(failure.requestedBy), /^_?Py/.test(failure.name) ? ofPython : undefined];
  return { failure, loads, suspects: suspects.filter((load) => load !== undefined) };
}

const isPython = (name: string) => nameOf(name).startsWith("libpython3");

/** A file that ended the search and is no library: the loader never had it. */
function unusableIn(requestedBy: string, name: string, mapped: Mapped): Load | undefined {
  const step = "failure" in mapped && mapped.failure.reason !== "not-found" ? mapped.steps.at(-1) : undefined;
  if (step?.result !== "fatal" && step?.result !== "taken") return undefined;
  const { rule: via, path } = step;
  return { name, file: path, path, requestedBy, via, activity: "import", certainty: "certain", unmapped: true, tried: [] };
}
