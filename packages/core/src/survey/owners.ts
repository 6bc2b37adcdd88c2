// Who put a file there: dpkg's lists, rpm's database, pip's RECORD files, conda's metadata.
import { librariesOfConda, ownsGpuLibraries, rpmDatabases } from "../knowledge/package-databases.ts";
import { folderOf, nameOf } from "../lib/path.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Copy, Inventory } from "../model/inventory.ts";
import type { View } from "../resolve/view.ts";
import { mayBring } from "./gpu-packages.ts";
import { kindAt, namesIn, textAt } from "./python.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";

type Owner = NonNullable<Copy["owner"]>;

export interface SharedFile {
  environment: string;
  file: string;
  claims: { package: string; version: string; hash: string; size?: number }[];
  /** The size of the file that is there; undefined when there is none. */
  size?: number;
}

export function ownersOf(view: View, environments: PythonEnvironment[], files: string[]): Map<string, Owner> {
  const wanted: Wanted = { files: new Set(files), names: new Set(files.map(nameOf)) };
  const owners = new Map<string, Owner>();
  addDebian(view, wanted, owners);
  addRpm(view, wanted, owners);
  for (const environment of environments) {
    addPip(view, environment, wanted, owners);
    if (environment.kind === "conda") addConda(view, environment, wanted, owners);
  }
  return owners;
}

/** Most of what packages list is none of these, and its name alone already says so. */
interface Wanted {
  files: Set<string>;
  names: Set<string>;
}

function addDebian(view: View, wanted: Wanted, owners: Map<string, Owner>): void {
  const lists = (namesIn(view, "/var/lib/dpkg/info") ?? []).filter((name) => name.endsWith(".list") && ownsGpuLibraries.test(name));
  if (lists.length === 0) return;
  const versions = new Map<string, string>();
  for (const stanza of (textAt(view, "/var/lib/dpkg/status") ?? "").split("\n\n")) {
    const name = /^Package: (\S+)/m.exec(stanza)?.[1];
    const version = /^Version: (\S+)/m.exec(stanza)?.[1];
    if (name !== undefined && version !== undefined && /^Status: .* installed$/m.test(stanza)) versions.set(name, version);
  }
  for (const list of lists) {
    const name = list.slice(0, -5).replace(/:\w+$/, "");
    for (const path of (textAt(view, `/var/lib/dpkg/info/${list}`) ?? "").split("\n")) {
      // Lists name paths as packed: /usr merges and alternatives are links that we follow.
      const at = wanted.names.has(nameOf(path)) ? view.lookup(path) : undefined;
      // A link of a development package leads to the file, but does not own it.
      if (!at || !("found" in at) || !wanted.files.has(at.found) || nameOf(at.found) !== nameOf(path)) continue;
      const version = versions.get(name);
      owners.set(at.found, { kind: "dpkg", name, ...(version === undefined ? {} : { version }) });
    }
  }
}

function addRpm(view: View, wanted: Wanted, owners: Map<string, Owner>): void {
  const database = rpmDatabases.find((path) => kindAt(view, path) === "file");
  const text = database === undefined ? undefined : textAt(view, database);
  for (const paragraph of text ? text.split("\n\n") : []) {
    const [name = "", version = "", ...files] = paragraph.split("\n");
    for (const path of files) {
      const at = wanted.names.has(nameOf(path)) ? view.lookup(path) : undefined;
      if (!at || !("found" in at) || !wanted.files.has(at.found) || nameOf(at.found) !== nameOf(path)) continue;
      owners.set(at.found, { kind: "rpm", name: name.slice("Package: ".length), version: version.slice("Version: ".length) });
    }
  }
}

function addPip(view: View, environment: PythonEnvironment, wanted: Wanted, owners: Map<string, Owner>): void {
  for (const found of environment.packages) {
    const { name, version, metadata } = found;
    if (!mayOwn(name) && !mayBring(found)) continue;
    const folder = folderOf(metadata);
    for (const line of (textAt(view, `${metadata}/RECORD`) ?? "").split("\n")) {
      const [path, , size] = line.split(",") as [string, string?, string?];
      const at = wanted.names.has(nameOf(path)) ? view.lookup(`${folder}/${path}`) : undefined;
      if (!at || !("found" in at) || !wanted.files.has(at.found)) continue;
      // Of several that claim it, it is of the one whose size it has.
      const isItself = at.entry.kind === "file" && Number(size) === at.entry.size;
      if (isItself || !owners.has(at.found)) owners.set(at.found, { kind: "pip", name, version });
    }
  }
}

/** The size that a package says a file of it has; undefined when it says nothing about it. */
export function sizeSaidBy(view: View, { metadata, folder }: PythonPackage, file: string): number | undefined {
  const line = (textAt(view, `${metadata}/RECORD`) ?? "").split("\n").find((each) => `${folder}/${each.split(",")[0]}` === file);
  return line === undefined ? undefined : Number(line.split(",")[2]);
}

/** What packages for GPUs say they installed, and is not there: a file that was deleted, or overwritten by another package's removal. */
export function missingFiles(view: View, environments: PythonEnvironment[]): Inventory["missing"] {
  return environments.flatMap(({ prefix, packages }) =>
    packages.flatMap(({ name, version, metadata, pythonPath }) => {
      if (!mayOwn(name)) return [];
      const folder = folderOf(metadata);
      const paths = (textAt(view, `${metadata}/RECORD`) ?? "")
        .split("\n")
        .map((line) => line.split(",")[0]!)
        .filter((path) => path.includes(".so"));
      const files = paths.map((path) => `${folder}/${path}`).filter((path) => isGone(view, path));
      const place = pythonPath === undefined ? {} : { pythonPath };
      return files.length === 0 ? [] : [{ package: name, version, environment: prefix, ...place, files }];
    }),
  );
}

/** Files that several packages of one environment say they installed: only one of them can be there. */
export function sharedFiles(view: View, environments: PythonEnvironment[]): SharedFile[] {
  return environments.flatMap(({ prefix, packages }) => {
    const claims = new Map<string, SharedFile["claims"]>();
    for (const { name, version, folder, metadata } of packages) {
      if (!mayOwn(name)) continue;
      for (const line of (textAt(view, `${metadata}/RECORD`) ?? "").split("\n")) {
        const [path, hash, size] = line.split(",");
        if (path === undefined || !hash || !path.includes(".so")) continue;
        const file = `${folder}/${path}`;
        const claim = { package: name, version, hash, ...(size ? { size: Number(size) } : {}) };
        const known = claims.get(file);
        if (known) known.push(claim);
        else claims.set(file, [claim]);
      }
    }
    return [...claims]
      .filter(([, all]) => 1 < new Set(all.map(({ hash }) => hash)).size && 1 < new Set(all.map((claim) => claim.package)).size)
      .map(([file, all]) => {
        const at = view.lookup(file);
        const size = "found" in at && at.entry.kind === "file" ? { size: at.entry.size } : {};
        return { environment: prefix, file, claims: all, ...size };
      });
  });
}

// A folder that may not be entered says nothing about what is in it.
function isGone(view: View, path: string): boolean {
  const at = view.lookup(path);
  return "error" in at && (at.error === "ENOENT" || at.error === "ENOTDIR");
}

const mayOwn = (name: string) => ownsGpuLibraries.test(name) || frameworkNames.some(({ bundling }) => bundling?.packages.includes(name));

function addConda(view: View, environment: PythonEnvironment, wanted: Wanted, owners: Map<string, Owner>): void {
  for (const file of (namesIn(view, `${environment.prefix}/conda-meta`) ?? []).filter(
    (name) => name.endsWith(".json") && ownsGpuLibraries.test(name),
  )) {
    const text = textAt(view, `${environment.prefix}/conda-meta/${file}`) ?? "";
    const [, name, version] = /^(.+)-([^-]+)-[^-]+\.json$/.exec(file) ?? [];
    if (name === undefined || version === undefined) continue;
    for (const path of librariesOfConda(text)) {
      const at = wanted.names.has(nameOf(path)) ? view.lookup(`${environment.prefix}/${path}`) : undefined;
      // Links of a development package lead to the file here, too.
      if (at && "found" in at && wanted.files.has(at.found) && nameOf(at.found) === nameOf(path))
        owners.set(at.found, { kind: "conda", name, version });
    }
  }
}
