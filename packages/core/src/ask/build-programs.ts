// The programs of a folder: what was built there and needs a GPU library.
import { libraryOf } from "../knowledge/libraries.ts";
import { kernelsIn } from "../frameworks/kernels.ts";
import { nameOf } from "../lib/path.ts";
import { isElf, type View } from "../resolve/view.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";

/** What a build makes on the way, and what was fetched for it: nothing that anybody starts. */
const notWalked = new Set(["CMakeFiles", "Testing", ".git", "node_modules", "__pycache__", ".venv", "venv"]);
/** Files of a build that are surely neither programs nor libraries. */
const notPrograms =
  /\.(?:o|obj|a|d|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|hxx|inl|cmake|make|txt|json|ninja|py|pyc|md|rst|log|ts|js|html|css|xml|yml|yaml|toml|cfg|ini|in|ptx|cubin|fatbin|rsp|internal|sh|bat|png|jpg|svg|gz|zip|tar|onnx|pb|csv|tsv|stamp|pc|gcno|gcda|lock)$|^Makefile|^CMakeCache|^\.ninja/i;

interface Built {
  file: string;
  needed: string[];
  soname?: string;
  isLibrary: boolean;
  /** Holds code for GPUs: what nvcc links needs no GPU library by name. */
  hasKernels: boolean;
}

/**
 * Programs below a folder that need a GPU library, themselves or through a library that was built beside them; and such libraries that no
 * program there loads. In order of path; undefined where that is no folder.
 */
export async function gpuProgramsBelow(examination: Examination, folder: string): Promise<string[] | undefined> {
  const built = await settle(examination, (view) => builtBelow(view, folder));
  if (!built) return undefined;
  const named = new Map(
    built.flatMap((each) => [nameOf(each.file), ...(each.soname === undefined ? [] : [each.soname])].map((name) => [name, each] as const)),
  );
  const usesGpu = (each: Built, seen = new Set<Built>()): boolean => {
    if (seen.has(each)) return false;
    seen.add(each);
    return (
      each.hasKernels || each.needed.some((name) => libraryOf(name) !== undefined || (named.has(name) && usesGpu(named.get(name)!, seen)))
    );
  };
  const chosen = built.filter((each) => usesGpu(each));
  const loaded = new Set(chosen.flatMap(({ needed }) => needed));
  return chosen
    .filter(({ file, soname, isLibrary }) => !isLibrary || !(loaded.has(nameOf(file)) || (soname !== undefined && loaded.has(soname))))
    .map(({ file }) => file);
}

function builtBelow(view: View, folder: string): Built[] | undefined {
  const at = view.lookup(folder);
  if ("ask" in at) return [];
  if (!("found" in at) || at.entry.kind !== "folder") return undefined;
  const found: Built[] = [];
  walk(view, at.found, found);
  return found;
}

function walk(view: View, folder: string, found: Built[]): void {
  const names = view.names(folder);
  if (names === undefined) view.need(folder, "listing");
  for (const name of names ?? []) {
    if (notPrograms.test(name) || notWalked.has(name)) continue;
    const path = `${folder === "/" ? "" : folder}/${name}`;
    const fact = view.snapshot.files[path];
    if (fact === undefined) view.need(path, "object");
    else if (fact.kind === "folder") walk(view, path, found);
    else if (fact.kind === "file" && fact.unreadable === undefined) {
      const object = view.object(path, fact);
      if (!isElf(object) || (object.type !== 2 && object.type !== 3)) continue;
      const isLibrary = object.interpreter === undefined;
      const hasKernels = kernelsIn(view, path) !== undefined;
      found.push({
        file: path,
        needed: object.needed,
        isLibrary,
        hasKernels,
        ...(object.soname === undefined ? {} : { soname: object.soname }),
      });
    }
  }
}
