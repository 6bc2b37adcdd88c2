// Compiled modules on Python's path that no package lists: copied there, built in place, or of a package whose metadata is gone or lies.
import { libraryOf } from "../knowledge/libraries.ts";
import { providerOf } from "../knowledge/providers.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { UnknownThing } from "../model/unknown.ts";
import { isElf, type View } from "../resolve/view.ts";
import { kindAt, namesIn } from "./python.ts";

/** Somebody's whole project may be on the path: within folders that no package is known to have brought, so many are looked at. */
const mostFolders = 200;
const deepest = 4;

/**
 * What asks for a GPU library or for one of a framework, and belongs to nobody: it can be imported, and was not judged. `listed` are the
 * objects of packages, `modules` the names of what they brought.
 */
export function strayModules(
  view: View,
  { path, library, version }: PythonEnvironment,
  { listed, modules }: { listed: Set<string>; modules: Set<string> },
): UnknownThing[] {
  const { wishing } = view;
  // Debian's own have no lists, and dpkg answers for them.
  const isOfPython = (folder: string) => folder === library || folder === `${library}/lib-dynload`;
  const folders = path.filter((each) => each.startsWith("/") && !isOfPython(each) && !each.startsWith("/usr/lib/"));
  return [...new Set(folders)].flatMap((folder) => {
    const names = namesIn(wishing, folder) ?? [];
    const inside = names
      .filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== "__pycache__")
      .map((name) => ({ name, files: objectsBelow(wishing, `${folder}/${name}`, modules.has(name) ? 1 : deepest) }));
    const beside = names.filter((name) => /^\w+(?:\.[\w-]+)?\.so$/.test(name)).map((name) => ({ name, files: [`${folder}/${name}`] }));
    return [...inside, ...beside].flatMap(({ name, files }): UnknownThing[] => {
      const [first] = files.filter((file) => !listed.has(file) && isFor(version, file)).flatMap((file) => askingFor(wishing, file, listed));
      if (!first) return [];
      const reason = `no package lists ${nameOf(first.file)}, which asks for ${first.wanted}: whose it is, and whether it fits, was not judged`;
      return [{ subject: `${folder}/${name}`, kind: "package", reason }];
    });
  });
}

/** In a folder, and in those within it. */
function objectsBelow(view: View, top: string, depths: number): string[] {
  const objects: string[] = [];
  const open = [{ at: top, depth: 1 }];
  for (let seen = 0; seen < mostFolders && 0 < open.length; seen++) {
    const { at, depth } = open.shift()!;
    if (kindAt(view, at) !== "folder") continue;
    const names = namesIn(view, at) ?? [];
    objects.push(...names.filter((name) => name.endsWith(".so")).map((name) => `${at}/${name}`));
    const inner = depth < depths ? names.filter((name) => !name.includes(".") && name !== "__pycache__") : [];
    open.push(...inner.map((name) => ({ at: `${at}/${name}`, depth: depth + 1 })));
  }
  return objects;
}

const isFor = (version: string, file: string): boolean => {
  const tag = /\.cpython-(\d+)t?-/.exec(nameOf(file))?.[1];
  return tag === undefined || tag === version.replace(".", "");
};

function askingFor(view: View, file: string, listed: Set<string>): { file: string; wanted: string }[] {
  const at = view.lookup(file);
  // By another name, where a folder is a link.
  if ("found" in at && listed.has(at.found)) return [];
  if ("ask" in at) view.need(file, "object");
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  const wanted = isElf(fact) ? fact.needed.find((name) => libraryOf(name) ?? providerOf(name)) : undefined;
  return wanted === undefined ? [] : [{ file, wanted }];
}
