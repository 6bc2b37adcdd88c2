// RAPIDS' libraries come in wheels of their own (libcudf-cu12 …). Each has a load.py, which loads what it stands upon in the same way and then
// its own library, by its path in the wheel, else by its name. Read in releases 25.2 to 26.10.
import { asksFinder } from "../survey/gpu-packages.ts";
import { kindAt, namesIn } from "../survey/python.ts";
import { nameOf } from "../lib/path.ts";
import type { Failure } from "../model/loads.ts";
import type { LoadedObject } from "../resolve/process.ts";
import type { View } from "../resolve/view.ts";
import type { CompiledFor, FrameworkCopy } from "./framework.ts";
import { loadWithPathfinder } from "./pathfinder.ts";
import type { PythonProcess } from "./python-process.ts";

interface Wheel {
  /** Its libraries, in order. */
  libraries: string[];
  /** Modules whose own are loaded before. */
  upon: string[];
  /** NVIDIA's libraries that it has found before, since it no longer holds them. */
  found?: string[];
}

const wheels: { [module: string]: Wheel } = {
  rapids_logger: { libraries: ["librapids_logger.so"], upon: [] },
  librmm: { libraries: ["librmm.so"], upon: ["rapids_logger"] },
  // The first up to 25.10: since then it is a wheel of NVIDIA's.
  libkvikio: { libraries: ["libnvcomp.so.4", "libkvikio.so"], upon: ["rapids_logger"], found: ["cufile"] },
  libcudf: { libraries: ["libcudf.so"], upon: ["rapids_logger", "librmm", "libkvikio", "nvidia.libnvcomp"], found: ["nvJitLink", "nvrtc"] },
  "nvidia.libnvcomp": { libraries: ["libnvcomp.so.5"], upon: [] },
  libucx: { libraries: ["libucs.so", "libucs_signal.so", "libuct.so", "libucp.so"], upon: [] },
  libucxx: { libraries: ["libucxx.so"], upon: ["librmm", "libucx"] },
  libraft: { libraries: ["libraft.so"], upon: ["librmm", "rapids_logger"] },
  libcuvs: { libraries: ["libcuvs.so"], upon: ["libkvikio", "libraft", "librmm", "rapids_logger"], found: ["nvrtc"] },
  libnvforest: { libraries: ["libnvforest.so"], upon: ["rapids_logger", "librmm", "libraft"] },
  // `libcuml++.so` up to 26.8.
  libcuml: { libraries: ["libcumlprims_mg.so", "libcuml++.so"], upon: ["rapids_logger", "librmm", "libraft", "libcuvs", "libnvforest"] },
};

/** Its wheels say in their names for which CUDA they are: `cudf-cu12`. */
export function compiledForInName(_: View, { package: { name } }: FrameworkCopy): CompiledFor {
  const major = /-cu(\d{2})$/.exec(name)?.[1];
  return major === undefined ? {} : { cuda: { version: major, evidence: `package ${name}` } };
}

/** `libcudf.load_library()`: what fails is passed over there, and met again by the first module that needs the library. */
export function loadRapids(process: PythonProcess, module: string): void {
  const wheel = wheels[module];
  const folder = process.folders(module)[0];
  if (!wheel || folder === undefined) return;
  if (asksFinder(process.view, folder)) for (const name of wheel.found ?? []) loadWithPathfinder(process, name);
  for (const below of wheel.upon) loadRapids(process, below);
  const held = heldIn(process, folder);
  for (const library of librariesOf(wheel, held)) {
    const file = held.get(library);
    // By its name only where the wheel has none, which is no miss of a part that later releases hold no more.
    const isOwn = library.startsWith("lib") && !library.startsWith("libnvcomp") && !library.startsWith("libcumlprims");
    if (file !== undefined || isOwn) process.ctypesLadder([file ?? library]);
  }
}

/** The libraries of a wheel, with their files. */
function heldIn({ view }: PythonProcess, folder: string): Map<string, string> {
  const paths = ["lib", "lib64"].flatMap((name) => (namesIn(view, `${folder}/${name}`) ?? []).map((each) => `${folder}/${name}/${each}`));
  return new Map(paths.filter((path) => kindAt(view, path) === "file").map((path) => [nameOf(path), path]));
}

/** What a wheel loads: the names that it had, or, where it has none of these any more, all libraries that are not another's part. */
function librariesOf({ libraries }: Wheel, held: Map<string, string>): string[] {
  if (libraries.some((library) => held.has(library))) return libraries;
  const renamed = [...held.keys()].filter((name) => /^lib[\w+-]+\.so$/.test(name)).sort();
  return renamed.length === 0 ? libraries : renamed;
}

/**
 * The modules of a package of RAPIDS, which say that the library is not there whatever had befallen it: what the loader had said of the
 * library itself is the reason.
 */
export function importRapids(process: PythonProcess, folder: string, names: string[]): LoadedObject | undefined {
  let last: LoadedObject | undefined;
  for (const name of names) {
    const before = process.process.failures.length;
    try {
      last = process.extension(folder, name, { required: true }) ?? last;
    } finally {
      const failure = process.process.failures[before];
      const reason = failure && underlying(process, failure.name);
      if (failure && reason) process.process.failures[before] = { ...failure, underlying: reason };
    }
  }
  return last;
}

/** Why the wheel's own copy could not be loaded. */
function underlying(process: PythonProcess, name: string): Failure | undefined {
  return process.process.missed.findLast((miss) => miss.name.endsWith(`/${name}`) || miss.requestedBy.endsWith(`/${name}`));
}
