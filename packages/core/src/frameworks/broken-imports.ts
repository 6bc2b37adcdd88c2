// A package whose import comes to that of another one which cannot be imported: torchvision for another torch, behind transformers.
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import type { UnknownThing } from "../model/unknown.ts";
import type { View } from "../resolve/view.ts";
import { wayTo } from "../survey/import-way.ts";
import { modulesOf } from "../survey/python-modules.ts";
import { askedBy } from "../survey/requirements.ts";
import type { Framework } from "./framework.ts";
import { installedIn } from "./installed.ts";

/** An installed framework that cannot be imported. */
export interface BrokenImport {
  framework: Framework;
  package: PythonPackage;
  failure: Failure;
}

/** Where the imports of some programs end, by their ids: at one of those, to which their Python code comes. */
export function endsAtBroken(
  view: View,
  environment: PythonEnvironment,
  programs: Framework[],
  broken: BrokenImport[],
): Map<string, Failure> {
  const ends = programs.map((program) => [program.id, endOf(view, environment, program, broken)] as const);
  return new Map(ends.flatMap(([id, failure]) => (failure ? [[id, failure] as const] : [])));
}

function endOf(view: View, environment: PythonEnvironment, framework: Framework, broken: BrokenImport[]): Failure | undefined {
  const { id, upon, imported, modules } = framework;
  // Those below have thousands of files of their own, and nothing that imports what stands upon them.
  const others = upon || imported ? broken.filter((each) => each.framework.id !== id && !upon?.includes(each.framework.id)) : [];
  const copy = installedIn(environment, framework);
  if (others.length === 0 || !copy) return undefined;
  const starts = imported ?? modules.slice(0, 1);
  const sought = {
    modules: new Map(others.flatMap((each) => each.framework.modules.map((module) => [module, raisedAt(each.failure)] as const))),
    through: new Set([...starts, ...modulesBefore(view.wishing, environment, copy.package, others)]),
  };
  for (const start of starts) {
    const way = wayTo(view, environment, start, sought);
    const end = way && others.find((each) => each.framework.modules.includes(way.module));
    if (end) return { ...end.failure, through: { program: end.framework.id, files: way.files } };
  }
  return undefined;
}

/** What else of some programs rests on one of those: they ask for it, and come to it later, if at all. */
export function restingOnBroken(
  view: View,
  environment: PythonEnvironment,
  program: Framework,
  broken: BrokenImport[],
  ends: Map<string, Failure>,
): UnknownThing[] {
  const copy =
    broken.length === 0 || ends.has(program.id) || !(program.upon || program.imported) ? undefined : installedIn(environment, program);
  const asked = copy ? askedBy(view.wishing, copy.package) : [];
  return broken
    .filter((each) => each.framework.id !== program.id && asked.includes(each.package.name))
    .map((each) => ({
      subject: `what ${program.id} ${copy!.package.version} does with ${each.framework.id}`,
      kind: "package",
      reason: `${each.framework.id} cannot be imported; the import of ${program.id} does not come to it, and what comes later was not followed`,
    }));
}

/** What says in its own words that it cannot go on raises a RuntimeError; for others it depends on how they open their libraries. */
const raisedAt = ({ message, underlying }: Failure): string => (underlying && underlying.message !== message ? "RuntimeError" : "*");

/** Modules of packages that a package asks for, be it with an extra, and that ask for one of some others in turn. */
function modulesBefore(view: View, { packages }: PythonEnvironment, asker: PythonPackage, others: BrokenImport[]): string[] {
  const found = new Map<string, PythonPackage>();
  const askers = new Map<string, string[]>();
  const open = [asker];
  for (let next = open.shift(); next; next = open.shift()) {
    if (found.has(next.name)) continue;
    found.set(next.name, next);
    for (const name of new Set(askedBy(view, next))) {
      askers.set(name, [...(askers.get(name) ?? []), next.name]);
      const installed = found.has(name) ? undefined : packages.find((each) => each.name === name);
      if (installed) open.push(installed);
    }
  }
  const leading = new Set(others.map((each) => each.package.name));
  for (const name of leading) for (const each of askers.get(name) ?? []) leading.add(each);
  return [...leading].flatMap((name) => (found.has(name) ? modulesOf(view, found.get(name)!) : []));
}
