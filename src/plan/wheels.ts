// What installing or removing a wheel would do to the facts.
import { wheels } from "../knowledge/texts/wheels.generated.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Wheel } from "../model/knowledge.ts";
import type { ElfFact, Snapshot } from "../model/snapshot.ts";
import { libraryLike, withFile, withoutFile, withText } from "./simulate.ts";

export interface WheelChange {
  environment: PythonEnvironment;
  name: string;
  version: string;
}

/** The line that installs this very version, with the tool that the environment has. */
export function installCommand({ environment, name, version }: WheelChange): string[] {
  const wanted = `${name}==${version}`;
  return environment.packages.some((found) => found.name === "pip") || environment.kind !== "venv"
    ? [environment.python, "-m", "pip", "install", "--force-reinstall", "--no-deps", wanted]
    : ["uv", "pip", "install", "--python", environment.python, "--reinstall", "--no-deps", wanted];
}

export function removeCommand(environment: PythonEnvironment, name: string): string[] {
  return environment.packages.some((found) => found.name === "pip") || environment.kind !== "venv"
    ? [environment.python, "-m", "pip", "uninstall", "--yes", name]
    : ["uv", "pip", "uninstall", "--python", environment.python, name];
}

/** Folders that pip changes for a package: what it brings, and its metadata. */
export function changedFolders({ environment, name, version }: WheelChange): string[] {
  const installed = environment.packages.find((found) => found.name === name);
  const site = installed?.folder ?? environment.sites[0] ?? "";
  const known = objectsOf(name);
  const tops = new Set(
    Object.keys(known?.objects ?? {}).map(
      (path) =>
        `${site}/${path
          .split("/")
          .slice(0, path.startsWith("nvidia/") ? 2 : 1)
          .join("/")}`,
    ),
  );
  const metadata = `${site}/${name.replaceAll("-", "_")}-${version}.dist-info`;
  // Some of NVIDIA's wheels bring this file, some do not.
  const shared = name.startsWith("nvidia-") ? [`${site}/nvidia/__init__.py`] : [];
  return [...new Set([...tops, ...shared, metadata, ...(installed ? [installed.metadata] : [])])];
}

/** The facts after `pip install --force-reinstall --no-deps name==version`. */
export function withWheel(snapshot: Snapshot, { environment, name, version }: WheelChange, files: string[] = []): Snapshot {
  const installed = environment.packages.find((found) => found.name === name);
  const site = installed?.folder ?? environment.sites[0];
  if (site === undefined) return snapshot;
  const known = objectsOf(name, version);
  const metadata = `${site}/${name.replaceAll("-", "_")}-${version}.dist-info`;
  let changed = snapshot;
  if (installed && installed.metadata !== metadata) changed = withoutFile(changed, installed.metadata);
  const objects = new Map<string, Partial<ElfFact>>(files.map((file) => [file, {}]));
  for (const [path, object] of Object.entries(known?.objects ?? {})) {
    const { soname, needs = [], rpath, runpath } = object;
    objects.set(`${site}/${path}`, {
      needed: needs,
      ...(soname === undefined ? {} : { soname }),
      ...(rpath === undefined ? {} : { rpath }),
      ...(runpath === undefined ? {} : { runpath }),
    });
  }
  const lines: string[] = [];
  for (const [file, facts] of objects) {
    const there = changed.files[file];
    const model = there?.kind === "file" && there.object?.kind === "elf" && !there.object.defect ? there.object : similar(changed, file);
    // An earlier release's constants are not those of the new one.
    const { constants: _constants, buildId: _buildId, ...rest } = model ?? ({} as ElfFact);
    changed = withFile(changed, file, libraryLike(file, 1 << 20, model && (rest as ElfFact), facts));
    lines.push(`${file.slice(site.length + 1)},sha256=,`);
  }
  changed = withText(changed, `${metadata}/METADATA`, `Name: ${name}\nVersion: ${version}`);
  return withText(changed, `${metadata}/RECORD`, lines.join("\n"));
}

/** The facts after `pip uninstall name`: every file that it claims is gone, whoever else claims it. */
export function withoutWheel(snapshot: Snapshot, environment: PythonEnvironment, name: string): Snapshot {
  const installed = environment.packages.find((found) => found.name === name);
  if (!installed) return snapshot;
  const record = snapshot.files[`${installed.metadata}/RECORD`];
  let changed = withoutFile(snapshot, installed.metadata);
  for (const line of (record?.kind === "file" ? (record.text ?? "") : "").split("\n")) {
    const path = line.split(",")[0]!;
    if (path.includes(".so")) changed = withoutFile(changed, `${installed.folder}/${path}`);
  }
  return changed;
}

function objectsOf(name: string, version?: string): Wheel | undefined {
  const all = wheels().wheels.filter((wheel) => wheel.package === name);
  return all.find((wheel) => wheel.version === version) ?? all.at(-1);
}

// The same library elsewhere: what it needs and how it searches is alike.
function similar(snapshot: Snapshot, file: string): ElfFact | undefined {
  const stem = nameOf(file).split(".so")[0]!;
  for (const path in snapshot.files) {
    const fact = snapshot.files[path]!;
    if (fact.kind === "file" && fact.object?.kind === "elf" && !fact.object.defect && nameOf(path).split(".so")[0] === stem)
      return fact.object;
  }
  return undefined;
}
