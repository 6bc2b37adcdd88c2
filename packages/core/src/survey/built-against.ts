import { libraryOf } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { BuiltAgainst } from "../model/loads.ts";
import type { ElfFact } from "../model/snapshot.ts";
import type { View } from "../resolve/view.ts";
import { buildFolderOf, readBuild, type Build } from "./build.ts";

/** Libraries whose names count the releases that programs are built against. */
const counted = new Set([
  "cudart",
  "cudnn",
  "cublas",
  "cublaslt",
  "cupti",
  "nvrtc",
  "nccl",
  "tensorrt",
  "cufft",
  "cusolver",
  "cusparse",
  "curand",
]);

/** What a program was built against, library by library, and the build that tells. */
export interface Built {
  against: { [library: string]: BuiltAgainst };
  build?: Build;
}

/**
 * What a program of one's own was built against, where that can still be seen: the names that it asks for, and in the folder of its build
 * the headers and libraries that were taken. `objects` are the program and what it has loaded: those beside it are its own.
 */
export function builtAgainst(view: View, objects: { file: string; fact: ElfFact }[], hasKernels: boolean): Built {
  const [program] = objects;
  // Only a program that needs a GPU library, or has code for GPUs, was built against one.
  const folder = program && (hasKernels || 0 < gpuNames(objects).length) ? buildFolderOf(view, program.file) : undefined;
  const own = objects.filter((each) => each === program || (folder !== undefined && each.file.startsWith(`${folder}/`)));
  const against = byName(own);
  if (folder === undefined || (!hasKernels && Object.keys(against).length === 0)) return { against };
  const build = readBuild(
    view,
    folder,
    own.map(({ file }) => file),
    Object.keys(against),
  );
  addLinked(against, build, new Set(own.flatMap(({ fact }) => fact.needed)));
  for (const [library, { version, file }] of Object.entries(build.headers))
    if (library !== "cuda" || !build.headers["cudart"]) against[library] = { ...against[library], version, evidence: file, header: file };
  return { against, build };
}

/** The names that are asked for carry the major at least. */
function byName(objects: { file: string; fact: ElfFact }[]): Built["against"] {
  const against: Built["against"] = {};
  for (const { file, fact } of objects)
    for (const name of gpuNames([{ fact }])) {
      const { id } = libraryOf(name)!;
      const version = /\.so\.(\d+(?:\.\d+)*)$/.exec(name)?.[1];
      if (version !== undefined && counted.has(id)) against[id] ??= { version, evidence: `${nameOf(file)} needs ${name}` };
    }
  return against;
}

function addLinked(against: Built["against"], { linked: all }: Build, needed: Set<string>): void {
  for (const [library, { file, soname, version }] of Object.entries(all)) {
    const known = against[library];
    if (!known) continue;
    // A file that has another name by now is not the one that it was linked against.
    const isSame = soname !== undefined && needed.has(soname);
    if (isSame && version !== undefined) Object.assign(known, { version, evidence: file });
    known.linked = { file, ...(version === undefined ? {} : { version }), ...(isSame ? {} : { replaced: true }) };
  }
}

const gpuNames = (objects: { fact: ElfFact }[]): string[] =>
  objects.flatMap(({ fact }) => fact.needed.filter((name) => libraryOf(name) !== undefined));
