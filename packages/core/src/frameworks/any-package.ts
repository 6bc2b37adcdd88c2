// A package with GPU binaries of which nobody has made a model: its files are opened as Python would, after what they are linked with.
import { kindAt, namesIn, packageNamed } from "../survey/python.ts";
import { modulesOf, outermostOf } from "../survey/python-modules.ts";
import { importsOf, isReached, keepWhole, nothingGoneThrough, type GoneThrough, type Imports } from "../survey/imports.ts";
import { lackedNames, specifierFor } from "../survey/requirements.ts";
import { hintsAtGpu } from "../knowledge/gpu-hints.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { providerOf } from "../knowledge/providers.ts";
import { filesOf, gpuPackages, pythonPackages, objectsIn, wheelLibrary, type GpuFile, type GpuPackage } from "../survey/gpu-packages.ts";
import { isPacked } from "../survey/unlisted.ts";
import { normalName } from "../lib/pep508.ts";
import { absolute, nameOf } from "../lib/path.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Failure } from "../model/loads.ts";
import type { UnknownThing } from "../model/unknown.ts";
import { installedIn } from "./installed.ts";
import { isElf, type View } from "../resolve/view.ts";
import { defineFramework, type Framework } from "./framework.ts";
import { needCudnnPart } from "./library-habits.ts";
import { frameworks } from "./index.generated.ts";
import { missModules } from "./missing-modules.ts";
import { packageWithoutCuda } from "./operators.ts";
import { openWithHelp } from "./helped-opening.ts";
import { followImports, frameworksAmong } from "./python-imports.ts";
import type { PythonProcess } from "./python-process.ts";

/** Every package of an environment with GPU binaries and without a model, as a program; and those that show nothing. */
export function packagesIn(
  view: View,
  environment: PythonEnvironment,
  gone: GoneThrough = nothingGoneThrough(),
): { programs: Framework[]; silent: UnknownThing[] } {
  keepWhole(gone);
  const { programs, silent } = gpuPackages(view, environment);
  const below = programs.map((each) => each.package);
  const inPythonAlone = pythonPackages(view, environment, below);
  gone.judged = new Set([...below, ...inPythonAlone].flatMap((found) => outermostOf(view.wishing, found)));
  const all = new Map(
    programs.map(({ package: found, files }) => [found.name, importsIn(view, environment, found, modulesWith(view, found, files), gone)]),
  );
  const python = inPythonAlone.flatMap((found) => {
    const modules = importedOf(view.wishing, found);
    return modules.length === 0 ? [] : inPython(view, environment, found, modules, gone);
  });
  return {
    programs: [
      ...programs.map((found) =>
        programOf(view, environment, found, withOthers(all, found.package.name), all.get(found.package.name)!.length),
      ),
      ...python,
    ],
    silent: [...silent, ...programs.flatMap((found) => partFor(environment, found, all.get(found.package.name)!))],
  };
}

const isThere = (environment: PythonEnvironment, id: string): boolean =>
  frameworks.some((framework) => framework.id === id && installedIn(environment, framework));

/** A package whose every file for GPUs is linked with what is not there: its import passes over them, and so does the verdict. */
function partFor(environment: PythonEnvironment, { package: { name, version }, files }: GpuPackage, imports: Imports[]): UnknownThing[] {
  const missing = [...new Set(files.map(({ upon }) => (upon === undefined || isThere(environment, upon) ? undefined : upon)))];
  if (missing.includes(undefined) || imports.some(({ failure }) => failure)) return [];
  const reason = `its files for GPUs are linked with ${missing.join(", ")}, which is not installed: that part of it was not judged`;
  return [{ subject: `${name} ${version}`, kind: "package", reason }];
}

/** What modules of a package import. */
function importsIn(
  view: View,
  environment: PythonEnvironment,
  found: PythonPackage,
  modules: string[],
  gone = nothingGoneThrough(),
): Imports[] {
  return modules.map((module) => importsOf(view, environment, found, module, gone));
}

/** The modules of a package that its users import: of several, those that have its name. */
function importedOf(view: View, found: PythonPackage): string[] {
  const modules = modulesOf(view, found).filter((module) => !aside.test(module));
  const isNamed = (module: string) =>
    found.name.includes(normalName(module)) || found.name.includes(normalName(nameOf(module.replaceAll(".", "/"))));
  const named = modules.filter(isNamed);
  return named.length === 0 ? modules : named;
}

const aside = /^(?:tests?|docs?|examples?|benchmarks?|scripts?|tools?|setup|conftest)(?:\.|$)/;

function modulesWith(view: View, found: PythonPackage, files: GpuFile[]): string[] {
  // In a folder that several packages share, the module is further in.
  const inner = modulesOf(view.wishing, found).filter((module) => module.includes("."));
  const moduleOf = ({ file }: GpuFile): string | undefined => {
    const inside = file.slice(found.folder.length + 1);
    return inner.find((module) => inside.startsWith(`${module.replaceAll(".", "/")}/`)) ?? /^([A-Za-z_]\w*)\//.exec(inside)?.[1];
  };
  const own = modulesOf(view.wishing, found);
  const isModule = (name: string) => own.length === 0 || own.some((module) => `${module}.`.startsWith(`${name}.`));
  const around = [...new Set(files.flatMap((each) => moduleOf(each) ?? []))].filter(isModule);
  // Those that lie beside all packages, or in a folder of libraries, may be opened by one, or by nobody.
  return 0 < around.length ? around : importedOf(view.wishing, found);
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

export const packagePrograms = (view: View, environment: PythonEnvironment, gone?: GoneThrough): Framework[] =>
  packagesIn(view, environment, gone).programs;

/** The one of that name, or of a module by that name. */
export function packageProgram(view: View, environment: PythonEnvironment, name: string): Framework | undefined {
  const wanted = normalName(name);
  return packagePrograms(view, environment).find(({ id }) => id === wanted) ?? pythonProgram(view, environment, wanted);
}

/** Any other package: where somebody asks about it, its import is followed, and what that opens is opened. */
function pythonProgram(view: View, environment: PythonEnvironment, name: string): Framework | undefined {
  const found = packageNamed(environment, name);
  if (!found) return undefined;
  const modules = importedOf(view, found);
  return modules.length === 0 ? undefined : inPython(view, environment, found, modules);
}

/** A package that has nothing for a GPU, with the files that it has besides. */
function inPython(
  view: View,
  environment: PythonEnvironment,
  found: PythonPackage,
  imported: string[],
  gone: GoneThrough = nothingGoneThrough(),
): Framework {
  const imports = importsIn(view, environment, found, imported, gone).map((each) => ({
    ...each,
    parts: partsMissing(view, environment, found, each, gone),
  }));
  const files = filesOf(view, environment, found, () => true);
  const isUnsure = imports.some((each) => each.isUnsure || each.mayFindMore || each.mayChange || each.hooks !== undefined);
  const said = files.length === 0 ? { inPython: isUnsure ? ("partly" as const) : ("followed" as const) } : {};
  return { ...programOf(view, environment, { package: found, files }, imports), imported, ...said };
}

/** Few packages have more parts at their top that people import. */
const mostParts = 40;

/** Parts of a module that are imported by themselves, and miss what the package asks for (`modelopt.torch`), or were made for another release of what is there. */
function partsMissing(
  view: View,
  environment: PythonEnvironment,
  found: PythonPackage,
  { start, reached, failure }: Imports,
  gone: GoneThrough,
): NonNullable<Imports["parts"]> {
  const { wishing } = view;
  const lacked = new Set(lackedNames(wishing, environment, found).map((name) => name.replaceAll("-", "_")));
  if (failure) return [];
  const folder = `${found.folder}/${start.replaceAll(".", "/")}`;
  const names = (namesIn(wishing, folder) ?? []).filter((name) => /^[A-Za-z]\w*$/.test(name) && !aside.test(name));
  const isPart = (name: string) => !reached.has(`${start}.${name}`) && kindAt(wishing, `${folder}/${name}/__init__.py`) === "file";
  // What imports nothing itself is used by its files: `from deepface import DeepFace`.
  const files = reached.size === 1 ? (namesIn(wishing, folder) ?? []).flatMap((name) => /^([A-Za-z]\w*)\.py$/.exec(name)?.[1] ?? []) : [];
  const modules = [...names.filter(isPart), ...files.filter((name) => !aside.test(name))].map((name) => `${start}.${name}`);
  return modules.slice(0, mostParts).flatMap((module) => {
    const part = importsOf(view, environment, found, module, gone);
    const ended = part.failure ?? (0 < files.length ? part.doubted : undefined);
    // What else a part may want is for few, and need not be there.
    const isTold =
      ended?.name !== undefined ||
      ended?.refused !== undefined ||
      ended?.unless !== undefined ||
      lacked.has(ended?.module.split(".")[0] ?? "");
    return ended && isTold ? [{ module, failure: ended }] : [];
  });
}

/** Why an installed package is no program. */
export function whyNoProgram(environment: PythonEnvironment, name: string): string {
  const found = packageNamed(environment, normalName(name));
  if (found && isPacked(found)) return "in an egg that is one file, and what is in that is not looked at";
  return "no module of it is there: neither does a list tell one, nor does one lie beside its metadata";
}

function programOf(
  view: View,
  environment: PythonEnvironment,
  { package: found, files }: GpuPackage,
  imports: Imports[],
  ownImports = imports.length,
): Framework {
  // What is linked with a framework that is not there is a part that nobody uses; with several, the first is imported alone.
  const linked = files.map((each) => each.upon).find((id) => id !== undefined && isThere(environment, id));
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
        for (const file of imports.slice(0, ownImports).flatMap(({ unnamed }) => [...unnamed])) {
          const failure = openWithHelp(process, file, new Map(), { found, imports });
          if (failure) process.stop(failure);
        }
        const refused = meantIn(own, all);
        // Of a package for all machines, the libraries for GPUs are some of several.
        const isForGpus = own.some((each) => each.isModule) || hintsAtGpu(found.name);
        const most = (isForGpus ? meantFor(own) : objectsIn(process.view, found)).length / 2;
        for (const [file, failure] of refused)
          if ((isModule(file, own) && isOfGpu(failure)) || isOfMost(failure, refused, most)) failed.set(file, failure);
        bringsCudnn = !before && process.loadedLike("libcudnn") !== undefined;
        followImports(process, found, imports, ownImports);
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

/** Whether the import opens a file in any case. */
const isOpenedBy = (imports: Imports[], found: PythonPackage, file: string): boolean =>
  isImportedBeside(imports, found, file) || imports.some((each) => isReached(each, found, file));

/** A module beside the packages is what somebody imports, unless there are packages that do not: then it is for few. */
function isImportedBeside(imports: Imports[], found: PythonPackage, file: string): boolean {
  const inside = file.slice(found.folder.length + 1);
  if (inside.includes("/") || inside.startsWith("lib")) return false;
  const [module = ""] = inside.split(".");
  return imports.length === 0 || normalName(module) === found.name || imports.some(({ others }) => others.has(module));
}

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
  const tried = new Map(files.map(({ file }) => [nameOf(file), file]));
  for (const { file } of files) {
    const failure = openWithHelp(process, file, tried, { found, imports });
    if (!failure) {
      askForSymbols(process, found, file);
      continue;
    }
    process.process.missed.push(failure);
    // Where a library of its own is not there because it could not be opened, that is the cause.
    const { reason, name } = failure.underlying ?? failure;
    const before = reason === "not-found" ? [...failed].find(([each]) => nameOf(each) === name)?.[1] : undefined;
    failed.set(file, before ?? withLinked(process, found, file, failure));
  }
  return failed;
}

/** What is linked with a library that another package brought may be of another release than that: mlx and mlx-cuda-12. */
function askForSymbols({ view, environment, process }: PythonProcess, found: PythonPackage, file: string): void {
  const at = view.lookup(file);
  const opened = "found" in at ? process.objects.find((object) => object.file === at.found) : undefined;
  if (!opened || opened.fact.undefinedOfAny) return;
  const own = new Set(objectsIn(view, found));
  const isOfOthers = (other: string) =>
    environment.sites.some((site) => other.startsWith(`${absolute(site, view.cwd)}/`)) &&
    !own.has(other) &&
    !libraryOf(other) &&
    !providerOf(other);
  if (opened.dependencies?.some((each) => isOfOthers(each.file))) view.wishing.need(opened.file, "undefined");
}

/** Says with whose library a module is linked that lacks a symbol. */
function withLinked({ view, environment }: PythonProcess, found: PythonPackage, file: string, failure: Failure): Failure {
  const { reason, requestedBy } = failure.underlying ?? failure;
  const at = view.lookup(file);
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  if (reason !== "undefined-symbol" || !isElf(fact) || !fact.undefinedOfAny || !("found" in at) || at.found !== requestedBy) return failure;
  const names = fact.needed.filter((name) => !libraryOf(name) && !providerOf(name));
  const wheels = names.flatMap((name) => wheelLibrary(view, environment, name)?.wheel ?? []);
  const wheel = wheels.find(({ name }) => name !== found.name);
  if (!wheel) return failure;
  const asked = specifierFor(view, environment, found, wheel.name);
  return { ...failure, linkedWith: { name: wheel.name, version: wheel.version, ...(asked === undefined ? {} : { asked }) } };
}

/** Those that the package is for; of several for one purpose it is enough that one can be opened. */
function meantIn(files: GpuFile[], failed: Map<string, Failure>): Map<string, Failure> {
  const served = new Set(files.filter(({ file }) => !failed.has(file)).map(({ file }) => purposeOf(file)));
  const meant = new Set(meantFor(files).map(({ file }) => file));
  return new Map([...failed].filter(([file]) => meant.has(file) && !served.has(purposeOf(file))));
}

/** `sm90/common_ops.abi3.so` and `sm100/common_ops.abi3.so` are for one purpose. */
const purposeOf = (file: string) => file.replaceAll(/\d+/g, "");
