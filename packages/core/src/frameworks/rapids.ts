// RAPIDS' libraries come in wheels of their own (libcudf-cu12 …). Each has a load.py, which loads what it stands upon in the same way and then
// its own library, by its path in the wheel, else by its name. Read in releases 25.2 to 26.8.
import { asksFinder } from "../survey/gpu-packages.ts";
import { kindAt } from "../survey/python.ts";
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
  libkvikio: { libraries: ["libnvcomp.so.4", "libkvikio.so"], upon: ["rapids_logger"] },
  libcudf: { libraries: ["libcudf.so"], upon: ["rapids_logger", "librmm", "libkvikio", "nvidia.libnvcomp"], found: ["nvJitLink", "nvrtc"] },
  "nvidia.libnvcomp": { libraries: ["libnvcomp.so.5"], upon: [] },
  libucxx: { libraries: ["libucxx.so"], upon: ["librmm"] },
  libraft: { libraries: ["libraft.so"], upon: ["librmm", "rapids_logger"] },
  libcuvs: { libraries: ["libcuvs.so"], upon: ["libraft", "librmm", "rapids_logger"], found: ["nvrtc"] },
  libcuml: { libraries: ["libcumlprims_mg.so", "libcuml++.so"], upon: ["rapids_logger", "librmm", "libraft", "libcuvs"] },
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
  for (const library of wheel.libraries) {
    const file = ["lib64", "lib"].map((name) => `${folder}/${name}/${library}`).find((path) => kindAt(process.view, path) === "file");
    // By its name only where the wheel has none, which is no miss of a part that later releases hold no more.
    const isOwn = library.startsWith("lib") && !library.startsWith("libnvcomp") && !library.startsWith("libcumlprims");
    if (file !== undefined || isOwn) process.ctypesLadder([file ?? library]);
  }
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
