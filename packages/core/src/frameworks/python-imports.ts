// What the Python code of a package makes of its import: modules of others that it opens, and statements that cannot work.
import { libraryOf } from "../knowledge/libraries.ts";
import { providerOf } from "../knowledge/providers.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Imports } from "../survey/imports.ts";
import { isElf, type View } from "../resolve/view.ts";
import { frameworks } from "./index.generated.ts";
import { installedIn } from "./installed.ts";
import { checkOperatorTypes } from "./operators.ts";
import type { PythonProcess } from "./python-process.ts";

/** Ids of installed frameworks that these imports come to. */
export const frameworksAmong = (environment: PythonEnvironment, imports: Imports[]): string[] =>
  frameworks
    .filter((framework) => framework.modules.some((module) => imports.some(({ others }) => others.has(module))))
    .filter((framework) => installedIn(environment, framework))
    .map(({ id }) => id);

/** Ends the process where an import could not work, after the modules for a GPU that others have and that are imported by name. */
export function followImports(process: PythonProcess, imports: Imports[]): void {
  const { activity } = process.process;
  for (const { binaries, operators, failure } of imports) {
    for (const file of binaries) {
      const opened = isForGpu(process.view, file) ? process.open(process.interpreter(), file) : undefined;
      if (opened && "failure" in opened) process.stop(opened.failure);
    }
    checkOperatorTypes(process, operators);
    if (!failure) continue;
    const { by, module, name, file } = failure;
    const base = { requestedBy: by, activity, tried: [] };
    if (name === undefined) process.stop({ ...base, name: module, reason: "no-module", message: `No module named '${module}'` });
    process.stop({
      ...base,
      name: `${module}:${name}`,
      reason: "no-name",
      message: `cannot import name '${name}' from '${module}' (${file ?? "unknown location"})`,
      ...(file === undefined ? {} : { file }),
    });
  }
}

function isForGpu(view: View, file: string): boolean {
  const at = view.lookup(file);
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  return isElf(fact) && fact.needed.some((name) => libraryOf(name) ?? providerOf(name));
}
