// A package whose import comes to that of another one which cannot be imported: torchvision for another torch, behind transformers.
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import type { UnknownThing } from "../model/unknown.ts";
import type { View } from "../resolve/view.ts";
import { wayTo } from "../survey/import-way.ts";
import { modulesOf, type FoundModule } from "../survey/python-modules.ts";
import { askedBy, lackedNames } from "../survey/requirements.ts";
import type { Framework } from "./framework.ts";
import { otherReleases } from "./other-releases.ts";
import { frameworks } from "./index.generated.ts";
import { installedIn } from "./installed.ts";

const modulesOfFramework = ({ imported, modules }: Framework) => imported ?? modules;

/** An installed framework, or a package without a model, that cannot be imported. */
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
  const places = new Map<string, FoundModule>();
  const ends = programs.map((program) => [program.id, endOf(view, environment, program, broken, places)] as const);
  return new Map(ends.flatMap(([id, failure]) => (failure ? [[id, failure] as const] : [])));
}

/** Those below have thousands of files of their own, and nothing that imports what stands upon them. */
export const mayReachOthers = ({ upon, imported }: Framework): boolean => upon !== undefined || imported !== undefined;

function endOf(
  view: View,
  environment: PythonEnvironment,
  framework: Framework,
  broken: BrokenImport[],
  places: Map<string, FoundModule>,
): Failure | undefined {
  const { id, upon, imported, modules } = framework;
  const others = mayReachOthers(framework) ? broken.filter((each) => each.framework.id !== id && !upon?.includes(each.framework.id)) : [];
  const copy = installedIn(environment, framework);
  if (others.length === 0 || !copy) return undefined;
  const starts = imported ?? modules.slice(0, 1);
  const sought = {
    modules: new Map(
      others.flatMap((each) => modulesOfFramework(each.framework).map((module) => [module, raisedAt(each.failure)] as const)),
    ),
    through: new Set([...starts, ...modulesBefore(view.wishing, environment, copy.package, others)]),
  };
  // Of several modules, one that comes there is not the whole.
  let first: Failure | undefined;
  for (const start of starts) {
    const way = wayTo(view, environment, start, sought, places);
    const end = way && others.find((each) => modulesOfFramework(each.framework).includes(way.module));
    if (!end) return undefined;
    first ??= { ...end.failure, through: { program: end.framework.id, files: way.files } };
  }
  return first;
}

/** What else of a program rests on packages that it asks for and that cannot be imported, or are not there: it may come to them later. */
export function restingOn(view: View, environment: PythonEnvironment, program: Framework, broken: BrokenImport[]): UnknownThing[] {
  const installed = installedIn(environment, program);
  const unmet = installed ? otherReleases(view, environment, program, installed.package) : [];
  const copy = mayReachOthers(program) ? installed : undefined;
  if (!copy) return unmet;
  const { wishing } = view;
  const asked = broken.length === 0 ? [] : askedBy(wishing, copy.package);
  const { version } = copy.package;
  const later = `whether ${program.id} comes there after its import was not followed`;
  const unusable = broken
    .filter((each) => each.framework.id !== program.id && asked.includes(each.package.name))
    .map((each) => each.framework.id);
  // NVIDIA's wheels are one way of several to their libraries, and those are looked for.
  // Of what is Python alone the import is all that is judged, and that was followed.
  const isJudged = program.inPython === "followed";
  const absent = (program.isPackage && !isJudged ? lackedNames(wishing, environment, copy.package) : []).filter(
    (name) => !/^(?:nvidia-|cuda-toolkit$)/.test(name),
  );
  const open: UnknownThing[] = unusable.map((name) => ({
    subject: `what ${program.id} ${version} does with ${name}`,
    kind: "package",
    reason: `${name} cannot be imported; ${later}`,
  }));
  if (0 < absent.length)
    open.push({
      subject: `${program.id} ${version}`,
      kind: "package",
      reason: `it asks for ${[...new Set(absent)].join(", ")}, and that is not installed; ${later}`,
    });
  return [...open, ...unmet];
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
  // Large ones have thousands of files, and what they do with what stands beside them was seen: it is caught.
  const large = new Set(frameworks.flatMap(({ isLarge, packages: names }) => (isLarge ? names : [])));
  return [...leading].flatMap((name) => (found.has(name) && !large.has(name) ? modulesOf(view, found.get(name)!) : []));
}
