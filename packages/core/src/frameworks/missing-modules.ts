// Python modules without which an import ends, and that no text tells of: the framework's own, and those that its compiled modules import.
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import { objectsIn } from "../survey/gpu-packages.ts";
import { absentPart, findModule, hooksOf } from "../survey/python-modules.ts";
import { lackedNames } from "../survey/requirements.ts";
import type { Framework, FrameworkCopy } from "./framework.ts";
import type { PythonProcess } from "./python-process.ts";

/** Ends the import of a framework whose module nobody has, or whose compiled modules name one that it asks for and that is not there. */
export function missModules(
  process: PythonProcess,
  { modules: [own] }: Pick<Framework, "modules">,
  { package: found }: Pick<FrameworkCopy, "package">,
  isImported: (file: string) => boolean = () => true,
): void {
  // Of a framework few compiled modules are opened here, and those import the others.
  const { environment } = process;
  const view = process.view.wishing;
  const isAbsent = (module: string) => findModule(view, environment, environment.path, module)?.kind === "absent";
  const miss = (module: string, requestedBy: string, supposed?: true) =>
    process.stop({
      ...(supposed ? { supposed } : {}),
      name: module,
      requestedBy,
      activity: process.process.activity,
      reason: "no-module",
      message: `No module named '${module}'`,
      tried: [],
    });
  const lacked = lackedNames(view, environment, found)
    .map((name) => name.replaceAll("-", "_"))
    .filter(isAbsent);
  // It is for another package, which brings the module: a redirector of a .pth file makes none of nothing.
  const [first = ""] = own?.split(".") ?? [];
  if (lacked.includes(first)) miss(first, found.name);
  if (0 < hooksOf(environment).length) return;
  for (const module of lacked) {
    const by = compiledIn(view, environment, found).find((file) => isImported(file) && names(view, file, module));
    if (by !== undefined) miss(module, by, true);
  }
}

/** Ends the process where a module is nowhere, or a package around it. */
export function needModule({ view, environment, process, stop }: PythonProcess, requestedBy: string, module: string, said?: string): void {
  const absent = absentPart(view.wishing, environment, environment.path, module);
  if (absent === undefined) return;
  const message = said ?? `No module named '${absent}'`;
  stop({ name: absent, requestedBy, activity: process.activity, reason: "no-module", message, tried: [] });
}

/** Compiled modules that a package has for this Python, or for any. */
function compiledIn(view: View, environment: PythonEnvironment, found: PythonPackage): string[] {
  const tags = [`.cpython-${environment.version.replace(".", "")}-`, ".abi3."];
  return objectsIn(view, found).filter((file) => tags.some((tag) => file.includes(tag)));
}

/** Those that are larger are hardly made from Python. */
const largest = 16 << 20;

/** Whether a compiled module has the name of another one in it. */
function names(view: View, file: string, module: string): boolean {
  const at = view.lookup(file);
  if (!("found" in at) || at.entry.kind !== "file" || largest < at.entry.size) return false;
  const known = at.entry.module?.words?.[module];
  if (known === undefined && at.entry.unreadable === undefined) view.need(at.found, "module", [module]);
  return known === true;
}
