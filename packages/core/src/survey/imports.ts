// What `import` of a package runs for certain, as far as its source says so.
import type { PythonPackage } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import { kindAt } from "./python.ts";

/** So many files are gone through at most: packages of thousands import most of them later. */
const mostFiles = 200;

/**
 * Whether `import` of the package that an extension module belongs to comes to that module in any case: by imports that stand at the left
 * margin, one leading to the next. What is behind a test, in a function or caught is not followed.
 */
export function importsReach(view: View, { folder }: PythonPackage, file: string): boolean {
  const inside = file.slice(folder.length + 1).split("/");
  const wanted = inside.join(".").replace(/(\.cpython-[^.]*|\.abi3)?\.so$/, "");
  // A module of its own is what somebody imports.
  return inside.length === 1 || comesTo(view, folder, inside[0]!, wanted);
}

/** Whether `import` of the package that a file belongs to comes to `ctypes` in this way: then it may load libraries by their paths. */
export function importsCtypes(view: View, { folder }: PythonPackage, file: string): boolean {
  const inside = file.slice(folder.length + 1).split("/");
  return 1 < inside.length && comesTo(view, folder, inside[0]!, "ctypes");
}

function comesTo(view: View, folder: string, start: string, wanted: string): boolean {
  const seen = new Set<string>();
  const open = [start];
  while (0 < open.length && seen.size < mostFiles) {
    const module = open.shift()!;
    if (seen.has(module)) continue;
    seen.add(module);
    if (module === wanted) return true;
    for (const next of importsOf(view, folder, module)) if (next === wanted || next.startsWith(`${start}.`)) open.push(next);
  }
  return false;
}

/** Modules that a module imports at its left margin, by their full names; names that are imported from one may be modules, too. */
function importsOf(view: View, folder: string, module: string): string[] {
  const path = `${folder}/${module.replaceAll(".", "/")}`;
  const [file, isPackage] = kindAt(view, path) === "folder" ? [`${path}/__init__.py`, true] : [`${path}.py`, false];
  const at = view.lookup(file);
  if (!("found" in at) || at.entry.kind !== "file") return [];
  if (at.entry.imports === undefined && at.entry.unreadable === undefined) view.need(at.found, "imports");
  const around = (dots: number) => {
    const parts = module.split(".");
    return parts.slice(0, parts.length - dots + (isPackage ? 1 : 0)).join(".");
  };
  return (at.entry.imports ?? []).flatMap((text) => {
    const dots = /^\.*/.exec(text)![0].length;
    const name = dots === 0 ? text : [around(dots), text.slice(dots)].filter((part) => part !== "").join(".");
    // Importing a module imports the packages around it first.
    return name.split(".").map((_, index, parts) => parts.slice(0, index + 1).join("."));
  });
}
