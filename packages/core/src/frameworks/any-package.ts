// A package with GPU binaries of which nobody has made a model: its files are opened as Python would, after what they are linked with.
import { packageNamed } from "../survey/python.ts";
import { modulesOf } from "../survey/python-modules.ts";
import { importsOf, isReached, type Imports } from "../survey/imports.ts";
import { askedBy, asksFor } from "../survey/requirements.ts";
import { hintsAtGpu } from "../knowledge/gpu-hints.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { providerOf } from "../knowledge/providers.ts";
import {
  filesOf,
  gpuPackages,
  hasLoader,
  objectsIn,
  wheelLibrary,
  type GpuFile,
  type GpuPackage,
  type WheelLibrary,
} from "../survey/gpu-packages.ts";
import { isPacked } from "../survey/unlisted.ts";
import { normalName } from "../lib/pep508.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import type { UnknownThing } from "../model/unknown.ts";
import { installedIn } from "./installed.ts";
import type { View } from "../resolve/view.ts";
import { defineFramework, type Framework } from "./framework.ts";
import { needCudnnPart } from "./library-habits.ts";
import { frameworks } from "./index.generated.ts";
import { missModules } from "./missing-modules.ts";
import { packageWithoutCuda } from "./operators.ts";
import { followImports, frameworksAmong } from "./python-imports.ts";
import type { PythonProcess } from "./python-process.ts";

/** Every package of an environment with GPU binaries and without a model, as a program; and those that show nothing. */
export function packagesIn(view: View, environment: PythonEnvironment): { programs: Framework[]; silent: UnknownThing[] } {
  const { programs, silent } = gpuPackages(view, environment);
  const all = new Map(programs.map(({ package: found, files }) => [found.name, importsIn(view, environment, found, files)]));
  return { programs: programs.map((found) => programOf(view, environment, found, withOthers(all, found.package.name))), silent };
}

/** What the modules of a package import: those that its files for a GPU belong to. */
function importsIn(view: View, environment: PythonEnvironment, found: PythonPackage, files: GpuFile[]): Imports[] {
  return modulesWith(view, found, files).map((module) => importsOf(view, environment, found, module));
}

function modulesWith(view: View, found: PythonPackage, files: GpuFile[]): string[] {
  // In a folder that several packages share, the module is further in.
  const inner = modulesOf(view.wishing, found).filter((module) => module.includes("."));
  const moduleOf = ({ file }: GpuFile): string | undefined => {
    const inside = file.slice(found.folder.length + 1);
    return inner.find((module) => inside.startsWith(`${module.replaceAll(".", "/")}/`)) ?? /^([A-Za-z_]\w*)\//.exec(inside)?.[1];
  };
  return [...new Set(files.flatMap((each) => moduleOf(each) ?? []))];
}

/** The imports of a package, and of those of its kind that it imports in turn. */
function withOthers(all: Map<string, Imports[]>, name: string): Imports[] {
  const seen = new Set([name]);
  const found = [...(all.get(name) ?? [])];
  for (const { others } of found)
    for (const [next, imports] of all) {
      if (seen.has(next) || !imports.some(({ start }) => others.has(start))) continue;
      seen.add(next);
      found.push(...imports);
    }
  return found;
}

export const packagePrograms = (view: View, environment: PythonEnvironment): Framework[] => packagesIn(view, environment).programs;

/** The one of that name, or of a module by that name. */
export function packageProgram(view: View, environment: PythonEnvironment, name: string): Framework | undefined {
  const wanted = normalName(name);
  return packagePrograms(view, environment).find(({ id }) => id === wanted) ?? pythonProgram(view, environment, wanted);
}

/** Any other package: where somebody asks about it, its import is followed, and what that opens is opened. */
function pythonProgram(view: View, environment: PythonEnvironment, name: string): Framework | undefined {
  const found = packageNamed(environment, name);
  if (!found) return undefined;
  const modules = modulesOf(view, found).filter((module) => !/^(?:tests?|docs?|examples?|benchmarks?|setup)$/.test(module));
  const imports = modules.map((module) => importsOf(view, environment, found, module));
  const files = filesOf(view, environment, found, () => true);
  return modules.length === 0 ? undefined : { ...programOf(view, environment, { package: found, files }, imports), imported: modules };
}

/** Why an installed package is no program. */
export function whyNoProgram(environment: PythonEnvironment, name: string): string {
  const found = packageNamed(environment, normalName(name));
  if (found && isPacked(found)) return "in an egg that is one file, and what is in that is not looked at";
  return "no module of it is there: neither does a list tell one, nor does one lie beside its metadata";
}

function programOf(view: View, environment: PythonEnvironment, { package: found, files }: GpuPackage, imports: Imports[]): Framework {
  // What is linked with a framework that is not there is a part that nobody uses; with several, the first is imported alone.
  const isThere = (id: string) => frameworks.some((framework) => framework.id === id && installedIn(environment, framework));
  const linked = files.map((each) => each.upon).find((id) => id !== undefined && isThere(id));
  const upon = [...new Set([...(linked === undefined ? [] : [linked]), ...frameworksAmong(environment, imports)])];
  const own = files.filter((each) => each.upon === undefined || each.upon === linked);
  const failed = new Map<string, Failure>();
  let bringsCudnn = false;
  return defineFramework({
    id: found.name,
    packages: [found.name],
    modules: [],
    mapped: [],
    isPackage: true,
    imported: modulesWith(view, found, files),
    compiledFor: () => ({}),
    cpuOnly: (seen, copy) => packageWithoutCuda(seen, copy, upon),
    ...(upon.length === 0 ? {} : { upon }),
    steps: {
      import(process) {
        failed.clear();
        const before = process.loadedLike("libcudnn");
        const all = openAll(process, own, found, imports);
        for (const [file, failure] of all) if (isOpenedBy(imports, found, file)) process.stop(failure);
        const refused = meantIn(own, all);
        // Of a package for all machines, the libraries for GPUs are some of several.
        const isForGpus = own.some((each) => each.isModule) || hintsAtGpu(found.name);
        const most = (isForGpus ? meantFor(own) : objectsIn(process.view, found)).length / 2;
        for (const [file, failure] of refused)
          if ((isModule(file, own) && isOfGpu(failure)) || isOfMost(failure, refused, most)) failed.set(file, failure);
        bringsCudnn = !before && process.loadedLike("libcudnn") !== undefined;
        followImports(process, imports);
        missModules(process, { modules: [] }, { package: found }, (file) => isOpenedBy(imports, found, file));
      },
      // What the import passes over is missed where it is used.
      device(process) {
        for (const failure of failed.values()) process.stop(failure);
        // A front of cuDNN is of no use without its parts.
        if (bringsCudnn) needCudnnPart(process, found.name, "graph");
      },
    },
  });
}

/** Whether the import opens a file in any case. A module beside the packages is what somebody imports. */
const isOpenedBy = (imports: Imports[], found: PythonPackage, file: string): boolean =>
  (!file.slice(found.folder.length + 1).includes("/") && !nameOf(file).startsWith("lib")) ||
  imports.some((each) => isReached(each, found, file));

/** What a module lacks besides may be for a part that few use: a codec, a sound library. */
const isOfGpu = (failure: Failure): boolean => {
  const { reason, name } = failure.underlying ?? failure;
  return reason !== "not-found" || libraryOf(name) !== undefined || providerOf(name) !== undefined;
};

const isModule = (file: string, files: GpuFile[]) => files.some((each) => each.file === file && each.isModule);

/** What most of the modules lack is for no part of it, but for the whole: RDMA's library for a package that moves memory between machines. */
function isOfMost({ underlying, name }: Failure, refused: Map<string, Failure>, most: number): boolean {
  const lacking = [...refused.values()].filter((each) => (each.underlying ?? each).name === (underlying?.name ?? name));
  return most < lacking.length;
}

/** Modules; or, of a wheel that holds libraries for others, these. */
const meantFor = (files: GpuFile[]) => (files.some((each) => each.isModule) ? files.filter((each) => each.isModule) : files);

/** Opens the files of a package, and says which cannot be. */
function openAll(process: PythonProcess, files: GpuFile[], found: PythonPackage, imports: Imports[]): Map<string, Failure> {
  const failed = new Map<string, Failure>();
  const tried = new Set(files.map(({ file }) => nameOf(file)));
  for (const { file } of files) {
    const failure = openWithHelp(process, file, tried, { found, imports });
    if (!failure) continue;
    process.process.missed.push(failure);
    // Where a library of its own is not there because it could not be opened, that is the cause.
    const { reason, name } = failure.underlying ?? failure;
    const before = reason === "not-found" ? [...failed].find(([each]) => nameOf(each) === name)?.[1] : undefined;
    failed.set(file, before ?? failure);
  }
  return failed;
}

/** Those that the package is for; of several for one purpose it is enough that one can be opened. */
function meantIn(files: GpuFile[], failed: Map<string, Failure>): Map<string, Failure> {
  const served = new Set(files.filter(({ file }) => !failed.has(file)).map(({ file }) => purposeOf(file)));
  const meant = new Set(meantFor(files).map(({ file }) => file));
  return new Map([...failed].filter(([file]) => meant.has(file) && !served.has(purposeOf(file))));
}

/** `sm90/common_ops.abi3.so` and `sm100/common_ops.abi3.so` are for one purpose. */
const purposeOf = (file: string) => file.replaceAll(/\d+/g, "");

interface Asker {
  found: PythonPackage;
  imports: Imports[];
}

/** Many packages load libraries by path before their own modules need them, of their own or of other wheels: what lies there is taken for loaded. */
function openWithHelp(process: PythonProcess, file: string, tried: Set<string>, { found, imports }: Asker): Failure | undefined {
  const helped = new Map<string, Failure | undefined>();
  const askers = [found];
  const importsCtypes = imports.some(({ others }) => others.has("ctypes"));
  /** What helps may need help itself: UCX's wheel before that of ucxx. */
  const open = (path: string, global: boolean): Failure | undefined => {
    for (;;) {
      const opened = process.open(process.interpreter(), path, { global });
      if (!("failure" in opened)) return undefined;
      const { reason, name } = opened.failure.underlying ?? opened.failure;
      const mayHelp = reason === "not-found" && !helped.has(name) && !tried.has(nameOf(name));
      const help = mayHelp ? wheelLibrary(process.view, process.environment, nameOf(name)) : undefined;
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
 * the wheel, and there are the means, which are a loader in the wheel or ctypes in its own import.
 */
function loadsItself({ view, environment }: PythonProcess, asker: PythonPackage, importsCtypes: boolean, help: WheelLibrary): boolean {
  const { wheel } = help;
  if (asker.name === wheel.name || askedBy(view, wheel).includes(asker.name)) return true;
  if (hasLoader(view, wheel, help.file)) return asksFor(view, environment, asker, wheel.name);
  return askedBy(view, asker).includes(wheel.name) && importsCtypes;
}
