// What the Python code of a package makes of its import: modules of others that it opens, and statements that cannot work.
import { libraryOf } from "../knowledge/libraries.ts";
import { providerOf } from "../knowledge/providers.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import { broughtBy } from "../survey/gpu-packages.ts";
import type { FailedImport, Imports } from "../survey/imports.ts";
import { outermostOf } from "../survey/python-modules.ts";
import { lackedBy, specifierFor } from "../survey/requirements.ts";
import { isElf, type View } from "../resolve/view.ts";
import { openWithHelp } from "./helped-opening.ts";
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

/**
 * Ends the process where an import could not work, after the modules for a GPU that others have and that are imported by name. The first `own`
 * are modules of the package itself: of several, one that fails is not the whole.
 */
export function followImports(process: PythonProcess, found: PythonPackage, imports: Imports[], own: number = imports.length): void {
  const { activity } = process.process;
  const isWhole = own === 1 || imports.slice(0, own).every(({ failure }) => failure !== undefined);
  for (const [index, { start, binaries, operators, failure, doubted, parts = [] }] of imports.entries()) {
    notePartly(process, parts, index < own ? doubted && { module: start, failure: doubted } : undefined);
    for (const file of binaries) {
      const refused = isForGpu(process.view, file) ? openOther(process, found, imports, file) : undefined;
      if (refused) process.stop(refused);
    }
    checkOperatorTypes(process, operators);
    if (!failure) continue;
    if (index < own && !isWhole) {
      process.partly.push({ module: start, message: messageOf(failure) });
      continue;
    }
    const { by, module, name, file, within, files, refused } = failure;
    const wanted = within === undefined ? [] : lackedWithin(process, within);
    const base = {
      requestedBy: by,
      activity,
      tried: [],
      ...(within === undefined ? {} : { through: { program: within, files: files ?? [] } }),
      ...(wanted.length === 0 ? {} : { wanted }),
    };
    const message = messageOf(failure);
    if (refused) process.stop({ ...base, ...askedOf(process, found, refused), name: refused.name, reason: "refused", message });
    if (name === undefined) process.stop({ ...base, name: module, reason: "no-module", message });
    process.stop({ ...base, name: `${module}:${name}`, reason: "no-name", message, ...(file === undefined ? {} : { file }) });
  }
}

function notePartly({ partly }: PythonProcess, parts: NonNullable<Imports["parts"]>, doubted: (typeof parts)[number] | undefined): void {
  for (const { module, failure } of parts)
    partly.push({ module, message: messageOf(failure), ...(failure.unless ? { unless: failure.unless } : {}) });
  if (doubted)
    partly.push({
      module: doubted.module,
      message: messageOf(doubted.failure),
      unless: doubted.failure.unless ?? { adds: doubted.module },
    });
}

/** Which releases of another package a package asks for. */
function askedOf(
  { view: { wishing }, environment }: PythonProcess,
  found: PythonPackage,
  { name, wanted }: NonNullable<FailedImport["refused"]>,
): { wanted?: string[] } {
  const specifier = wanted ?? specifierFor(wishing, environment, found, name);
  return specifier === undefined ? {} : { wanted: [`${name}${specifier}`] };
}

/** A module of others is helped by what its own package loads: pylibcugraph has its libraries loaded before. */
function openOther(process: PythonProcess, found: PythonPackage, imports: Imports[], file: string): Failure | undefined {
  const owner = broughtBy(process.view, process.environment, file) ?? found;
  return openWithHelp(process, file, new Map(), { found: owner, imports });
}

/** What Python says of it. */
function messageOf({ module, name, file, isAttribute, said }: FailedImport): string {
  if (said !== undefined) return said;
  if (name === undefined) return `No module named '${module}'`;
  if (isAttribute) return `module '${module}' has no attribute '${name}'`;
  return `cannot import name '${name}' from '${module}' (${file ?? "unknown location"})`;
}

/** What the packages that have a module ask for, and that is not installed. */
function lackedWithin({ view: { wishing }, environment }: PythonProcess, module: string): string[] {
  const owners = environment.packages.filter((each) => outermostOf(wishing, each).includes(module));
  return [...new Set(owners.flatMap((each) => lackedBy(wishing, environment, each)))];
}

function isForGpu(view: View, file: string): boolean {
  const at = view.lookup(file);
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  return isElf(fact) && fact.needed.some((name) => libraryOf(name) ?? providerOf(name));
}
