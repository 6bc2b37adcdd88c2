// Packages of which no list tells the files: in editable form, as an egg, by setup.py, or from a wheel whose RECORD is gone.
import { isLibraryName } from "../lib/library-names.ts";
import { keptWith } from "../lib/memo.ts";
import { folderOf } from "../lib/path.ts";
import type { PythonPackage } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import { kindAt, namesIn, textAt } from "./python.ts";

/** Its modules lie in its source folder. */
export const isEditable = ({ folder, metadata }: PythonPackage): boolean => folder !== folderOf(metadata);

/** An egg that is one file: nobody has looked into it. */
export const isPacked = ({ metadata }: PythonPackage): boolean => metadata.endsWith(".egg");

/** Whether a RECORD tells its files; undefined while that was not read. */
export function isListed(view: View, found: PythonPackage): boolean | undefined {
  if (isEditable(found) || !found.metadata.endsWith(".dist-info")) return false;
  const list = `${found.metadata}/RECORD`;
  if (textAt(view, list) === undefined) return undefined;
  const at = view.lookup(list);
  // Of a long list a snapshot holds what matters, which may be nothing.
  return "found" in at && at.entry.kind === "file" && (0 < at.entry.size || at.entry.unreadable !== undefined);
}

/** Its modules by `top_level.txt`, which setuptools writes; else the module of its own name; else, in a source folder, the packages there. */
export function unlistedModules(view: View, found: PythonPackage): string[] {
  const { folder, metadata, name } = found;
  if (isPacked(found)) return [];
  const said = kindAt(view, metadata) === "folder" ? textAt(view, `${metadata}/top_level.txt`) : "";
  if (said === undefined) return [];
  const tops = said.split("\n").filter((line) => /^[A-Za-z_]\w*$/.test(line));
  if (0 < tops.length) return tops;
  const own = name.replaceAll("-", "_");
  const there = namesIn(view, folder) ?? [];
  if (there.includes(own) || there.includes(`${own}.py`)) return [own];
  if (!isEditable(found)) return [];
  return there.filter(
    (each) => /^[A-Za-z_]\w*$/.test(each) && !aside.test(each) && kindAt(view, `${folder}/${each}/__init__.py`) === "file",
  );
}

const aside = /^(?:tests?|docs?|examples?|benchmarks?|build|dist|scripts?|tools?)$/;

const mostFolders = 200;
const deepest = 5;

/** ELF files in and beside its modules. */
export function unlistedObjects(view: View, found: PythonPackage): string[] {
  const modules = unlistedModules(view, found);
  const { folder } = found;
  const isBeside = (name: string) => modules.includes(name.split(".")[0]!) || isEditable(found);
  const beside = sharedAmong(namesIn(view, folder) ?? []).filter(isBeside);
  const objects = beside.map((name) => `${folder}/${name}`);
  const open = modules.map((module) => ({ at: `${folder}/${module}`, depth: 1 }));
  for (let seen = 0; seen < mostFolders && 0 < open.length; seen++) {
    const { at, depth } = open.shift()!;
    const names = namesIn(view, at) ?? [];
    objects.push(...sharedAmong(names).map((name) => `${at}/${name}`));
    const inner = depth < deepest ? names.filter((name) => !name.includes(".") && name !== "__pycache__") : [];
    open.push(
      ...inner.filter((name) => kindAt(view, `${at}/${name}`) === "folder").map((name) => ({ at: `${at}/${name}`, depth: depth + 1 })),
    );
  }
  return objects;
}

/** The same folders are gone through for one package after the other, and most have none. */
const sharedAmong = keptWith((names: string[]) => names.filter(isLibraryName));
