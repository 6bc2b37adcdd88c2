// Installed packages that bring programs for a GPU, whoever made them: what their files ask of the loader says so.
import { hintsAtGpu } from "../knowledge/gpu-hints.ts";
import { isPlain } from "../knowledge/plain-packages.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { ownsGpuLibraries } from "../knowledge/package-databases.ts";
import { isLibraryName, mayBeLibrary } from "../lib/library-names.ts";
import { keptWith } from "../lib/memo.ts";
import { folderOf, nameOf } from "../lib/path.ts";
import { normalName } from "../lib/pep508.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { providerOf } from "../knowledge/providers.ts";
import { isAmong } from "../model/frameworks.ts";
import type { UnknownThing } from "../model/unknown.ts";
import type { RegularFileFact } from "../model/snapshot.ts";
import { isElf, type View } from "../resolve/view.ts";
import { kindAt, readingText } from "./python.ts";
import { modulesOf, outermostOf } from "./python-modules.ts";
import { askedBy, requirementsFor } from "./requirements.ts";
import { strayModules } from "./stray.ts";
import { isEditable, isListed, isPacked, unlistedObjects } from "./unlisted.ts";

export interface GpuPackage {
  package: PythonPackage;
  /** Its extension modules and libraries that ask for a GPU library, or for one of a framework. */
  files: GpuFile[];
}

export interface GpuFile {
  file: string;
  /** Opened by `import`, or by whoever asks for its operators; a library beside them serves them, or is a plug-in. */
  isModule: boolean;
  /** The framework whose libraries it is linked with. */
  upon?: string;
}

export interface PackagesFound {
  /** Packages with GPU binaries that no model drives. */
  programs: GpuPackage[];
  /** Packages whose names hint at a GPU, with binaries that ask for no library of one: what they carry inside, or open later, is not seen. */
  silent: UnknownThing[];
}

/** What of an environment no model drives. While `view.needs` is not empty the answer is not whole. */
export function gpuPackages(view: View, environment: PythonEnvironment): PackagesFound {
  const answer: PackagesFound = { programs: [], silent: [] };
  const seen = new Set<string>();
  for (const found of environment.packages) {
    const { name, version } = found;
    // The first of a name is the one that `import` finds.
    if (seen.has(name)) continue;
    seen.add(name);
    if (isPlain(name) || isDriven(environment, name) || (isLibraryWheel(name) && !hasModules(view, found))) continue;
    const shown = filesOf(view, environment, found);
    const reason = shown.length === 0 && hintsAtGpu(name) ? silenceOf(view, found) : undefined;
    if (reason !== undefined) answer.silent.push({ subject: `${name} ${version}`, kind: "package", reason });
    // What is inside stays unknown; whether its files can be opened does not.
    const files = reason === undefined ? shown : filesOf(view, environment, found, () => true);
    if (0 < files.length) answer.programs.push({ package: found, files });
  }
  const hidden = environment.notFollowed.filter(({ hides }) => hides);
  answer.silent.push(...hidden.map(({ file, reason }): UnknownThing => ({ subject: file, kind: "file", reason })));
  answer.silent.push(...strayModules(view, environment, broughtIn(view, environment)));
  return answer;
}

function broughtIn({ wishing }: View, { packages }: PythonEnvironment): { listed: Set<string>; modules: Set<string> } {
  // Debian's own, of which there are hundreds, lie where no stray is looked for.
  const brought = packages.filter(({ metadata }) => !metadata.startsWith("/usr/lib/"));
  return {
    listed: new Set(brought.flatMap((found) => objectsIn(wishing, found, true))),
    modules: new Set(brought.flatMap((found) => outermostOf(wishing, found))),
  };
}

/** Why nothing shows of a package that should have something. */
function silenceOf(view: View, found: PythonPackage): string | undefined {
  if (isPacked(found)) return "it lies in an egg that is one file, and nobody has looked into that";
  const isInside = 0 < objectsIn(view, found).length;
  // As `setup.py` and Debian install it, or what was left of it: no list tells its files.
  if (isListed(view, found) === false && (!isInside || !isEditable(found)))
    return `no list says which files it brought: ${found.metadata.endsWith(".dist-info") ? "its RECORD is gone or empty" : "it was not installed from a wheel"}`;
  return isInside ? "no file of it asks for a GPU library; what is inside of them, or is opened when they run, is not known" : undefined;
}

/**
 * Packages without GPU binaries that ask for a framework, be it with an extra, or for one of some packages that have them, or by whose name
 * one would think so; and those that ask for one of these in any case: what breaks below breaks their import.
 */
export function pythonPackages({ wishing }: View, environment: PythonEnvironment, programs: PythonPackage[]): PythonPackage[] {
  const known = new Set(programs.map(({ name }) => name));
  const isBelow = (name: string) => known.has(name) || isModelled(name);
  // The first of a name is the one that `import` finds.
  const installed = [...new Map(environment.packages.toReversed().map((found) => [found.name, found])).values()];
  const isOther = ({ name }: PythonPackage) => !known.has(name) && !isDriven(environment, name) && !isPlain(name);
  const others = installed.filter((each) => isOther(each) && !isOfLibrariesAlone(wishing, each));
  const asked = requirementsFor(wishing, environment);
  const isUpon = (each: PythonPackage) => hintsAtGpu(each.name) || askedBy(wishing, each).some((name) => isBelow(name) || hintsAtGpu(name));
  // What has nothing for a GPU itself cannot be imported without the framework that it asks for in any case: xgrammar.
  const plain = installed.filter((each) => isPlain(each.name) && asked(each).some(({ name }) => isModelled(normalName(name))));
  const found = new Set([...others.filter(isUpon), ...plain]);
  for (let before = -1; before < found.size;) {
    before = found.size;
    const names = new Set([...found].map(({ name }) => name));
    for (const each of others) if (!found.has(each) && asked(each).some(({ name }) => names.has(normalName(name)))) found.add(each);
  }
  return [...found];
}

const isModelled = (name: string) =>
  frameworkNames.some(({ packages, parts = [], otherBuilds = [] }) => isAmong(name, [...packages, ...parts, ...otherBuilds]));

/** Whether a model drives a package here: a part of a framework only beside that. pylibraft and cuda-python are used alone, too. */
const isDriven = ({ packages: installed }: PythonEnvironment, name: string) =>
  frameworkNames.some(
    ({ packages, parts = [], otherBuilds = [] }) =>
      isAmong(name, [...packages, ...otherBuilds]) || (isAmong(name, parts) && installed.some((each) => isAmong(each.name, packages))),
  );

/** NVIDIA's wheels of single libraries are opened by whoever needs them. */
const isLibraryWheel = (name: string) => ownsGpuLibraries.test(name) && /^(nvidia-|cuda-toolkit$|cutensor|tensorrt)/.test(name);

/** Not so nvidia-modelopt, whose module is `modelopt`. */
const isOfLibrariesAlone = (view: View, found: PythonPackage) =>
  isLibraryWheel(found.name) && modulesOf(view, found).every((module) => /^(?:nvidia|tensorrt\w*|cutensor)(?:\.|$)/.test(module));

/** Of nvCOMP there is one wheel with the library, and one with modules for Python that need it. */
const hasModules = (view: View, found: PythonPackage) => objectsIn(view, found).some((file) => /\.(?:cpython-\d|abi3)/.test(nameOf(file)));

/** Its files that are for a GPU; `isMeant` chooses others along with them. */
export function filesOf(view: View, environment: PythonEnvironment, found: PythonPackage, isMeant?: (file: string) => boolean): GpuFile[] {
  const needs = new Map<string, string[]>();
  const concerned = new Set<string>();
  const odd = new Set(oddlyNamed(view, found));
  for (const file of [...objectsIn(view, found, isMeant ? true : undefined), ...odd]) {
    if (!isForThis(environment, nameOf(file))) continue;
    const at = view.lookup(file);
    if ("ask" in at) view.need(file, "object");
    const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
    // A program is none; nor is code for a GPU, which is ELF, too.
    if (!isElf(fact) || (odd.has(file) && (fact.interpreter !== undefined || fact.needed.length === 0))) continue;
    if (isForOtherRelease(environment, nameOf(file), fact.needed)) continue;
    needs.set(file, fact.needed);
    if (isMeant?.(file) || ("found" in at && hasGpuCode(view, at.found))) concerned.add(file);
  }
  const uponOf = (file: string) => needs.get(file)!.flatMap((name) => providerHere(view, environment, name) ?? [])[0];
  // A module may ask for a library of its own package, and that for a GPU's.
  const names = new Set([...concerned].map(nameOf));
  for (let before = -1; before < concerned.size;) {
    before = concerned.size;
    for (const [file, needed] of needs) {
      if (concerned.has(file) || !needed.some((name) => libraryOf(name) ?? providerOf(name) ?? names.has(name))) continue;
      concerned.add(file);
      names.add(nameOf(file));
    }
  }
  return (
    [...concerned]
      .filter((file) => !isBundled(file))
      .map((file): GpuFile => {
        const name = nameOf(file);
        const upon = uponOf(file);
        return { file, isModule: !name.startsWith("lib") || /\.(cpython|abi3)/.test(name), ...(upon === undefined ? {} : { upon }) };
      })
      // Libraries come before the modules that ask for them by name.
      .sort((one, other) => Number(one.isModule) - Number(other.isModule))
  );
}

/** The framework whose library that is; none where a wheel has the library without it: libcuvs beside no cuML. */
function providerHere(view: View, environment: PythonEnvironment, library: string): string | undefined {
  const provider = providerOf(library);
  const isThere = environment.packages.some(({ name }) => provider && isAmong(name, provider.packages));
  return !provider || isThere || !wheelLibrary(view.wishing, environment, nameOf(library)) ? provider?.id : undefined;
}

/** Less than this is no module with the CUDA runtime inside. */
const leastWithRuntime = 1 << 19;

/** Code for GPUs in a file that asks for no library: the CUDA runtime is inside, too, as nvcc links it unless it is told otherwise. */
function hasGpuCode({ wishing }: View, file: string): boolean {
  const at = wishing.lookup(file);
  if (!("found" in at) || at.entry.kind !== "file" || at.entry.size < leastWithRuntime) return false;
  const object = wishing.object(at.found, at.entry);
  if (!isElf(object)) return false;
  // It makes the answer surer where somebody can be asked; a snapshot without it is none the worse.
  if (object.architectures === undefined) wishing.need(at.found, "architectures");
  return 0 < (object.architectures?.length ?? 0);
}

/** The ELF files that a package says it installed; where nothing says so, those in its modules. */
export function objectsIn(view: View, found: PythonPackage, isMeant = mayBeWalked(found)): string[] {
  const { metadata } = found;
  if (isEditable(found) || !metadata.endsWith(".dist-info")) return isMeant ? unlistedObjects(view.wishing, found) : [];
  // Most wheels for any platform have none, and a snapshot need not have looked; those of OpenMM's plug-ins and of ctransformers do.
  const asked = isForPlatform(view, metadata) ? view : view.wishing;
  const at = asked.lookup(`${metadata}/RECORD`);
  // A list that is long is gone through once.
  if ("found" in at && at.entry.kind === "file" && at.entry.text) return listedBelow(listsIn(at.entry).named, folderOf(metadata));
  return isListed(asked, found) === false && isMeant ? unlistedObjects(view.wishing, found) : [];
}

/** Debian has hundreds without a list, nearly all for no GPU: of these only the ones whose names hint at one. */
const mayBeWalked = ({ name, metadata }: PythonPackage) =>
  !metadata.startsWith("/usr/") || metadata.endsWith(".dist-info") || hintsAtGpu(name);

const isForPlatform = (view: View, metadata: string): boolean => isWheelForPlatform(view, `${metadata}/WHEEL`);

const isWheelForPlatform = readingText((text) => [...text.matchAll(/^Tag: (\S+)/gm)].some(([, tag]) => !tag!.endsWith("-any")));

interface Listed {
  paths: string[];
  below: Map<string, string[]>;
}

const listed = (lines: string[]): Listed => ({
  paths: lines.map((line) => line.slice(0, line.search(/,[^,]*,[^,]*$/)).replace(/^"|"$/g, "")),
  below: new Map(),
});

const listsIn = keptWith(({ text = "" }: RegularFileFact) => {
  const all = listed(text.split("\n"));
  return { named: { ...all, paths: all.paths.filter(isLibraryName) }, others: listed(text.split("\n").filter(mayBeLibrary)) };
});

function listedBelow({ paths, below }: Listed, folder: string): string[] {
  let files = below.get(folder);
  if (!files) below.set(folder, (files = paths.map((path) => `${folder}/${path}`)));
  return files;
}

/** Large files of a wheel for a platform that are not called libraries, and may be: their first bytes tell. */
function oddlyNamed(view: View, { metadata }: PythonPackage): string[] {
  const at = isForPlatform(view.wishing, metadata) ? view.wishing.lookup(`${metadata}/RECORD`) : undefined;
  const isRead = at && "found" in at && at.entry.kind === "file" && at.entry.text;
  return isRead ? listedBelow(listsIn(at.entry as RegularFileFact).others, folderOf(metadata)) : [];
}

/** `x.cpython-312-x86_64-linux-gnu.so` is for Python 3.12 alone. */
function isForThis({ version }: PythonEnvironment, name: string): boolean {
  const tag = /\.cpython-(\d+t?)-/.exec(name)?.[1];
  return tag === undefined || tag === version.replace(".", "");
}

/** `nixl_ep_cpp_torch211` and `pg_2_12_1`: such packages choose among them by the framework's release, and have none for most. */
function isForOtherRelease({ packages }: PythonEnvironment, name: string, needed: string[]): boolean {
  const upon = needed.flatMap((each) => providerOf(each)?.id ?? [])[0];
  const behind = upon !== undefined && name.includes(upon) ? name.slice(name.indexOf(upon) + upon.length) : "";
  const said = /^_?(\d)_?(\d{1,2})\./.exec(behind) ?? /_(\d)_(\d{1,2})_\d\./.exec(name);
  if (upon === undefined || said === null) return false;
  const names = frameworkNames.find(({ id }) => id === upon)?.packages ?? [];
  const there = packages.find((each) => names.includes(each.name));
  return there !== undefined && !there.version.startsWith(`${said[1]}.${said[2]}.`);
}

/** What auditwheel put beside a package, and copies of known libraries, are opened by what needs them. */
const isBundled = (file: string) => /\.libs\/[^/]+$/.test(file) || libraryOf(file) !== undefined;

/** Where packages that bring binaries have copies of GPU libraries among them. */
export function foldersInPackages(view: View, { packages }: PythonEnvironment): string[] {
  const found = packages.filter(mayBring).flatMap((each) => objectsIn(view, each).filter((file) => libraryOf(file)));
  return [...new Set(found.map(folderOf))];
}

/** Whether a package may have brought a GPU library: by its name, or as it brings binaries that nothing is known of. */
export const mayBring = ({ name }: PythonPackage): boolean => !isPlain(name);

/** The package of an environment that says it brought an object. */
export const broughtBy = ({ wishing }: View, { packages }: PythonEnvironment, file: string): PythonPackage | undefined =>
  packages.find((found) => file.startsWith(`${found.folder}/`) && objectsIn(wishing, found).includes(file));

export interface WheelLibrary {
  file: string;
  wheel: PythonPackage;
}

/** A library in a wheel of an environment: what a package may load by itself before its own files need it. */
export function wheelLibrary(view: View, environment: PythonEnvironment, name: string): WheelLibrary | undefined {
  for (const wheel of environment.packages) {
    if (!mayBring(wheel)) continue;
    const file = objectsIn(view, wheel).find((each) => each.endsWith(name) && nameOf(each) === name);
    if (file !== undefined && kindAt(view, file) === "file") return { file, wheel };
  }
  return undefined;
}

/** RAPIDS' wheels of libraries bring a `load_library()` for whoever needs them: `libucx/load.py`. */
export function hasLoader(view: View, { folder }: PythonPackage, file: string): boolean {
  const module = file.slice(folder.length + 1).split("/")[0]!;
  return kindAt(view, `${folder}/${module}/load.py`) === "file";
}

/** NVIDIA's own finder for its wheels, by which RAPIDS' since 26 load what they do not hold. */
const finder = "load_nvidia_dynamic_lib";

/** Whether the loader beside a module, `libcuvs/load.py`, asks that finder. */
export function asksFinder({ wishing }: View, folder: string): boolean {
  const path = `${folder}/load.py`;
  if (kindAt(wishing, path) !== "file") return false;
  const at = wishing.lookup(path);
  if (!("found" in at) || at.entry.kind !== "file") return false;
  const known = at.entry.module?.words?.[finder];
  if (known === undefined && at.entry.unreadable === undefined) wishing.need(at.found, "module", [finder]);
  return known === true;
}

/** The same of any module of a package. */
export const hasFinder = (view: View, found: PythonPackage): boolean =>
  modulesOf(view.wishing, found).some((module) => asksFinder(view, `${found.folder}/${module.replaceAll(".", "/")}`));
