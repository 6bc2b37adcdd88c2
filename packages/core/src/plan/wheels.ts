// What installing or removing a wheel would do to the facts.
import { hasPip } from "../diagnose/pip.ts";
import { wheels } from "../knowledge/texts/wheels.generated.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { packagesInPlaceOf } from "../knowledge/packages.ts";
import { requiresOf } from "../knowledge/published.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Wheel } from "../model/knowledge.ts";
import type { ElfFact, Snapshot } from "../model/snapshot.ts";
import { libraryLike, withFile, withoutFile, withText } from "./simulate.ts";
import { commandLine } from "../lib/shell.ts";
import { indexOfLabel } from "../model/frameworks.ts";

/** The package that pip would replace: what only PYTHONPATH leads to, or another environment lends, it leaves alone. */
export const ownPackage = ({ packages, kind, prefix }: PythonEnvironment, name: string): PythonPackage | undefined =>
  packages.find(
    (found) => found.name === name && found.pythonPath === undefined && (kind !== "venv" || found.metadata.startsWith(`${prefix}/`)),
  );

export interface WheelChange {
  environment: PythonEnvironment;
  name: string;
  version: string;
}

/** pip, where it is there or must be brought first; else uv: what `uv venv` made has no pip. */
const usesPip = (environment: PythonEnvironment) =>
  hasPip(environment) || (environment.uv === undefined && environment.madeByUv === undefined);

const uvPip = ({ uv = "uv", python }: PythonEnvironment, what: string) => [uv, "pip", what, "--python", python];

/** The line that installs these very versions, with the tool that the environment has. */
export function installCommand(environment: PythonEnvironment, wanted: { name: string; version: string }[]): string[] {
  const names = wanted.map(({ name, version }) => `${name}==${version}`);
  const local = wanted.map(({ name, version }) => indexOfLabel(name, version)).find((each) => each !== undefined);
  const index = local === undefined ? [] : ["--extra-index-url", local];
  // uv's files are other names of those in its cache: what was damaged here may be damaged there.
  const fresh = wanted.some(({ name, version }) => ownPackage(environment, name)?.version === version) ? ["--no-cache"] : [];
  return usesPip(environment)
    ? [environment.python, "-m", "pip", "install", "--force-reinstall", "--no-deps", ...index, ...names]
    : [...uvPip(environment, "install"), "--reinstall", "--no-deps", ...fresh, ...index, ...names];
}

/** Other packages of an environment that fill the same places as this one. */
export const rivalsIn = ({ packages }: PythonEnvironment, name: string): string[] =>
  packagesInPlaceOf(name).filter((rival) => packages.some((found) => found.name === rival));

/** The line as one would type it: in a notebook of Colab, a cell. */
export function typed(command: string[], variables: { [name: string]: string }): string[] {
  const isColab = Object.keys(variables).some((name) => name.startsWith("COLAB_"));
  const at = command.indexOf("pip");
  if (!isColab || command[at - 1] !== "-m") return [commandLine(command)];
  return [`%pip ${commandLine(command.slice(at + 1))}`, "# then Runtime → Restart session"];
}

/** The line that replaces packages together with what they need. */
export function replaceCommand(environment: PythonEnvironment, names: string[]): string[] {
  return usesPip(environment)
    ? [environment.python, "-m", "pip", "install", "--force-reinstall", ...names]
    : [...uvPip(environment, "install"), "--reinstall", ...names];
}

export function removeCommand(environment: PythonEnvironment, name: string): string[] {
  return usesPip(environment) ? [environment.python, "-m", "pip", "uninstall", "--yes", name] : [...uvPip(environment, "uninstall"), name];
}

/** Why nothing can be installed here as it is, and what would come first; undefined where nothing speaks against it. */
export function refusalIn(environment: PythonEnvironment): { because: string; first: string[] } | undefined {
  const { managed, prefix, python, uv, madeByUv } = environment;
  if (managed !== undefined)
    return {
      because: `pip refuses this: ${managed} says that the system looks after this Python; use an environment of your own`,
      first: [],
    };
  if (hasPip(environment) || uv !== undefined) return undefined;
  if (madeByUv) return { because: `uv made ${prefix}, and PATH leads to no uv: put the folder that has it on PATH first`, first: [] };
  return {
    because: `${prefix} has no pip, and PATH leads to no uv: the first line brings pip`,
    first: [commandLine([python, "-m", "ensurepip"])],
  };
}

/** Folders that pip changes for a package: what it brings, what it brought, and its metadata. */
export function changedFolders({ environment, name, version }: WheelChange, files: Snapshot["files"]): string[] {
  const installed = ownPackage(environment, name);
  const site = installed?.folder ?? environment.sites[0] ?? "";
  const record = installed && files[`${installed.metadata}/RECORD`];
  const paths = [
    ...Object.keys(nearestWheel(name, version)?.objects ?? {}),
    ...(record?.kind === "file" ? (record.text ?? "") : "")
      .split("\n")
      .map((line) => line.split(",")[0]!)
      .filter((path) => path.includes(".so")),
  ];
  const isOurs = (path: string) => path !== "" && !path.startsWith("../") && !path.includes(".dist-info/");
  // Packages share the folder `nvidia`, and some of them bring the file in it. Where there is none yet, it comes with the first of them.
  const isNew = (folder: string) => {
    const fact = files[`${site}/${folder}`];
    const names = files[site];
    return fact ? fact.kind === "absent" : names?.kind === "folder" && names.names?.includes(folder) === false;
  };
  const top = (path: string) => {
    const [first = "", second = ""] = path.split("/");
    return /^(nvidia|google|jax_plugins)$/.test(first) && !isNew(first) ? `${first}/${second}` : first;
  };
  const tops = paths.filter((path) => isOurs(path) && path.includes("/")).map((path) => `${site}/${top(path)}`);
  const metadata = `${site}/${name.replaceAll("-", "_")}-${version}.dist-info`;
  const shared = name.startsWith("nvidia-") && !isNew("nvidia") ? [`${site}/nvidia/__init__.py`, `${site}/nvidia/__pycache__`] : [];
  // Wheels with programs write them here; NVIDIA's libraries have none.
  const programs = name.startsWith("nvidia-") || environment.kind !== "venv" ? [] : [`${environment.prefix}/bin`];
  // What uv keeps others out with stays there.
  const lock = hasPip(environment) || environment.kind !== "venv" ? [] : [`${environment.prefix}/.lock`];
  return [...new Set([...tops, ...shared, metadata, ...programs, ...lock, ...(installed ? [installed.metadata] : [])])];
}

/**
 * The facts after `pip install --force-reinstall --no-deps name==version`. `before` is what was there before another package was removed: what
 * fills the same place is alike.
 */
export function withWheel(
  snapshot: Snapshot,
  { environment, name, version }: WheelChange,
  files: string[] = [],
  before: Snapshot = snapshot,
): Snapshot {
  const installed = ownPackage(environment, name);
  const site = installed?.folder ?? environment.sites[0];
  if (site === undefined) return snapshot;
  const metadata = `${site}/${name.replaceAll("-", "_")}-${version}.dist-info`;
  const exact = wheelsOf(name).find((wheel) => wheel.version === version);
  // What a wheel holds is known by its very version, or by the record that it left here; another release of it is the next best.
  const own = installed?.version === version ? librariesIn(snapshot, installed) : [];
  const layout = exact ?? (own.length === 0 && files.length === 0 ? nearestWheel(name, version) : undefined);
  let changed = snapshot;
  if (installed && installed.metadata !== metadata) changed = withoutFile(changed, installed.metadata);
  const paths = new Set([...files, ...own, ...Object.keys(layout?.objects ?? {}).map((path) => `${site}/${path}`)]);
  const lines: string[] = [];
  const machine = machineOf(snapshot);
  for (const file of paths) {
    const there = changed.files[file]?.kind === "file" ? changed.files[file] : before.files[file];
    const isWhole = there?.kind === "file" && there.object?.kind === "elf" && !there.object.defect && there.object.machine === machine;
    const model = isWhole ? (there.object as ElfFact) : similar(changed, file, machine);
    const object = layout?.objects?.[file.slice(site.length + 1)];
    changed = withFile(changed, file, libraryLike(file, 1 << 20, model && asReleased(model), object && factsOf(object, model, exact)));
    lines.push(`${file.slice(site.length + 1)},sha256=,`);
  }
  // Another release of what nobody has looked into: its files are the same, and fit what it says that it is for.
  if (installed && paths.size === 0)
    for (const file of librariesIn(snapshot, installed)) {
      const there = changed.files[file];
      if (there?.kind !== "file" || there.object?.kind !== "elf") continue;
      const { undefined: _asked, bindings: _bindings, ...rest } = asReleased(there.object);
      changed = withFile(changed, file, { ...there, object: rest });
      lines.push(`${file.slice(site.length + 1)},sha256=,`);
    }
  // What was installed keeps its own words; another release asks for what PyPI says.
  const isSame = installed?.metadata === metadata && snapshot.files[`${metadata}/METADATA`]?.kind === "file";
  const asks = (requiresOf(name, version) ?? []).map((each) => `\nRequires-Dist: ${each}`);
  if (!isSame) changed = withText(changed, `${metadata}/METADATA`, `Name: ${name}\nVersion: ${version}${asks.join("")}`);
  return withText(changed, `${metadata}/RECORD`, lines.join("\n"));
}

/** The facts after `pip uninstall name`: every file that it claims is gone, whoever else claims it. */
export function withoutWheel(snapshot: Snapshot, environment: PythonEnvironment, name: string): Snapshot {
  const installed = ownPackage(environment, name);
  if (!installed) return snapshot;
  return librariesIn(snapshot, installed).reduce(withoutFile, withoutFile(snapshot, installed.metadata));
}

/** The last one of the same major that was looked into: names of objects go with it. */
function nearestWheel(name: string, version: string): Wheel | undefined {
  const major = (each: string) => each.split(".")[0];
  return wheelsOf(name).findLast((wheel) => major(wheel.version) === major(version)) ?? wheelsOf(name).at(-1);
}

const wheelsOf = (name: string) => wheels().wheels.filter((wheel) => wheel.package === name);

/** Libraries that a package says it brought. */
const librariesIn = (snapshot: Snapshot, found: PythonPackage): string[] =>
  packagedFiles(snapshot, found).filter((path) => path.slice(found.folder.length).includes(".so"));

/** Files that a package says it brought, within the folder that it was installed into. */
export function packagedFiles(snapshot: Snapshot, { metadata, folder }: PythonPackage): string[] {
  const record = snapshot.files[`${metadata}/RECORD`];
  const paths = (record?.kind === "file" ? (record.text ?? "") : "").split("\n").map((line) => line.split(",")[0]!);
  return paths.filter((path) => path !== "" && !path.startsWith("..")).map((path) => `${folder}/${path}`);
}

/** Whether somebody has looked into this very wheel: installing it can be tried out on the facts. */
export const isLookedInto = (name: string, version: string): boolean => wheelsOf(name).some((wheel) => wheel.version === version);

/** Facts of one release that another need not share. */
function asReleased({ constants: _constants, buildId: _buildId, ...rest }: ElfFact): ElfFact {
  return rest;
}

/** What is known of a wheel's object is about GPU libraries: what it needs of the system, a model knows. */
function factsOf(
  { soname, needs = [], rpath, runpath }: NonNullable<Wheel["objects"]>[string],
  model: ElfFact | undefined,
  exact: Wheel | undefined,
): Partial<ElfFact> {
  if (model && !exact) return {};
  const needed = [...needs, ...(model?.needed ?? []).filter((each) => !libraryOf(each) && !needs.includes(each))];
  return {
    needed,
    ...(model?.requires ? { requires: model.requires.filter(({ file }) => needed.includes(file)) } : {}),
    ...(soname === undefined ? {} : { soname }),
    ...(rpath === undefined ? {} : { rpath }),
    ...(runpath === undefined ? {} : { runpath }),
  };
}

/** The kind of machine that this is, as its loader shows it. */
function machineOf({ files }: Snapshot): number | undefined {
  for (const path in files) {
    const fact = files[path]!;
    if (fact.kind === "file" && fact.loader && fact.object?.kind === "elf") return fact.object.machine;
  }
  return undefined;
}

// The same library elsewhere, under the same name: what it needs and how it searches is alike. Another major is another library.
function similar(snapshot: Snapshot, file: string, machine: number | undefined): ElfFact | undefined {
  for (const path in snapshot.files) {
    const fact = snapshot.files[path]!;
    const object = fact.kind === "file" && fact.object?.kind === "elf" && !fact.object.defect ? fact.object : undefined;
    if (object?.machine === machine && (object?.soname ?? nameOf(path)) === nameOf(file)) return object;
  }
  return undefined;
}
