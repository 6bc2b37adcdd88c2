// Packages that may not find what they import: something that they ask for is not installed, or is another release.
import { isWithin } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import { textAt } from "./python.ts";
import { outermostOf } from "./python-modules.ts";
import { requirementsFor } from "./requirements.ts";

/** `unknown`: facts are lacking, and no more will come. */
export type Sound = Set<string> | "unknown";

/** The outermost modules of sound packages: all that these ask for is there, and is sound in turn. Undefined while that is not known. */
export function soundModules(view: View, environment: PythonEnvironment): Set<string> | undefined {
  // The first of a name is the one that `import` finds.
  const installed = new Map(environment.packages.toReversed().map((found) => [found.name, found]));
  const unsound = unsoundAmong(view, environment, installed);
  const modules = (isSound: boolean) =>
    [...installed.values()].flatMap((found) => (unsound.has(found.name) === isSound ? [] : outermostOf(view, found)));
  const shaky = new Set(modules(false));
  const sound = new Set(modules(true).filter((module) => !shaky.has(module)));
  const isRead = ({ metadata }: PythonPackage) => ["METADATA", "RECORD"].every((name) => textAt(view, `${metadata}/${name}`) !== undefined);
  return [...installed.values()].every(isRead) ? sound : undefined;
}

function unsoundAmong(view: View, environment: PythonEnvironment, installed: Map<string, PythonPackage>): Set<string> {
  const unsound = new Set<string>();
  const askers = new Map<string, string[]>();
  const applying = requirementsFor(view, environment);
  for (const [name, found] of installed) {
    for (const wanted of applying(found)) {
      const needed = normalName(wanted.name);
      const there = installed.get(needed);
      askers.set(needed, [...(askers.get(needed) ?? []), name]);
      // NVIDIA's wheels hold libraries, which come from elsewhere as well.
      const isMet = there ? isWithin(there.version, wanted.specifier) !== false : /^(?:nvidia-|cuda-toolkit$)/.test(needed);
      if (!isMet) unsound.add(name);
    }
  }
  for (const name of unsound) for (const asker of askers.get(name) ?? []) unsound.add(asker);
  return unsound;
}
