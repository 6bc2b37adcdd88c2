// A module of a package that needs libraries to which nothing leads: the package may load them before, by their paths.
import { nameOf } from "../lib/path.ts";
import type { PythonPackage } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import { hasFinder, hasLoader, wheelLibrary, type WheelLibrary } from "../survey/gpu-packages.ts";
import type { Imports } from "../survey/imports.ts";
import { askedBy, asksFor } from "../survey/requirements.ts";
import type { PythonProcess } from "./python-process.ts";

export interface Asker {
  found: PythonPackage;
  imports: Imports[];
}

/** Many packages load libraries by path before their own modules need them, of their own or of other wheels: what lies there is taken for loaded. */
export function openWithHelp(
  process: PythonProcess,
  file: string,
  tried: Map<string, string>,
  { found, imports }: Asker,
): Failure | undefined {
  const helped = new Map<string, Failure | undefined>();
  const askers = [found];
  const importsCtypes = imports.some(({ others }) => others.has("ctypes"));
  /** What helps may need help itself: UCX's wheel before that of ucxx. */
  const open = (path: string, global: boolean): Failure | undefined => {
    for (;;) {
      const opened = process.open(process.interpreter(), path, { global });
      if (!("failure" in opened)) return undefined;
      const { reason, name } = opened.failure.underlying ?? opened.failure;
      const mayHelp = reason === "not-found" && !helped.has(name);
      const own = mayHelp ? tried.get(nameOf(name)) : undefined;
      const other = mayHelp && own === undefined ? wheelLibrary(process.view, process.environment, nameOf(name)) : undefined;
      // Of its own libraries it opens first what the others need.
      const help = own === undefined || own === path ? other : { file: own, wheel: found };
      // It is there, and why it could not be loaded is the cause.
      const below = helped.get(name);
      if (help === undefined) return below ? { ...opened.failure, underlying: below.underlying ?? below } : opened.failure;
      const isKnown = askers.some((asker) => loadsItself(process, asker, importsCtypes, help));
      askers.push(help.wheel);
      helped.set(name, undefined);
      process.possibly(() => void helped.set(name, open(help.file, true)));
      const isSaid = isKnown || process.assumed.some((each) => each.file === help.file);
      if (!isSaid) process.assumed.push({ name: nameOf(name), file: help.file });
    }
  };
  return open(file, false);
}

/**
 * Whether a package is as good as certain to have a library of a wheel loaded: it brought that itself, or is a part of what did; or it asks for
 * the wheel, and there are the means, which are a loader in the wheel, ctypes in its own import, or NVIDIA's own finder for its wheels.
 */
function loadsItself({ view, environment }: PythonProcess, asker: PythonPackage, importsCtypes: boolean, help: WheelLibrary): boolean {
  const { wheel } = help;
  if (asker.name === wheel.name || askedBy(view, wheel).includes(asker.name)) return true;
  if (hasLoader(view, wheel, help.file)) return asksFor(view, environment, asker, wheel.name);
  const asked = askedBy(view, asker);
  // It may ask for `cuda-toolkit[nvrtc]`, which asks for the wheel: libcuvs.
  if ((asked.includes("cuda-pathfinder") || hasFinder(view, asker)) && asksFor(view, environment, asker, wheel.name)) return true;
  return asked.includes(wheel.name) && importsCtypes;
}
