// NVIDIA's cuda-pathfinder, by which CuPy, cuda-core and numba-cuda find libraries: its own documentation of the search order,
// and the descriptor table of releases 1.6 to 1.8 (which soname, which wheel folder, what it depends on).
import { kindAt, namesIn, packageNamed } from "../survey/python.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { folderOf, nameOf } from "../lib/path.ts";
import type { LoadedObject } from "../resolve/process.ts";
import { startProgram } from "../resolve/start.ts";
import { pythonProcess, type PythonProcess } from "./python-process.ts";

interface Descriptor {
  /** Newest first. */
  sonames: string[];
  /** Folders below site-packages, in order. */
  wheels: string[];
  /** Folders below a toolkit or a Conda environment; `lib64` and `lib` unless said. */
  anchors?: string[];
  dependencies?: string[];
}

const descriptors: { [name: string]: Descriptor } = {
  cudart: { sonames: ["libcudart.so.13", "libcudart.so.12"], wheels: ["nvidia/cu13/lib", "nvidia/cuda_runtime/lib"] },
  nvrtc: { sonames: ["libnvrtc.so.13", "libnvrtc.so.12"], wheels: ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"] },
  nvJitLink: { sonames: ["libnvJitLink.so.13", "libnvJitLink.so.12"], wheels: ["nvidia/cu13/lib", "nvidia/nvjitlink/lib"] },
  cublasLt: { sonames: ["libcublasLt.so.13", "libcublasLt.so.12"], wheels: ["nvidia/cu13/lib", "nvidia/cublas/lib"] },
  cublas: { sonames: ["libcublas.so.13", "libcublas.so.12"], wheels: ["nvidia/cu13/lib", "nvidia/cublas/lib"], dependencies: ["cublasLt"] },
  cufft: { sonames: ["libcufft.so.12", "libcufft.so.11"], wheels: ["nvidia/cu13/lib", "nvidia/cufft/lib"] },
  curand: { sonames: ["libcurand.so.11", "libcurand.so.10"], wheels: ["nvidia/cu13/lib", "nvidia/curand/lib"] },
  cusparse: { sonames: ["libcusparse.so.12"], wheels: ["nvidia/cu13/lib", "nvidia/cusparse/lib"], dependencies: ["nvJitLink"] },
  cusolver: {
    sonames: ["libcusolver.so.12", "libcusolver.so.11"],
    wheels: ["nvidia/cu13/lib", "nvidia/cusolver/lib"],
    dependencies: ["nvJitLink", "cusparse", "cublasLt", "cublas"],
  },
  cutensor: { sonames: ["libcutensor.so.2"], wheels: ["cutensor/lib"], dependencies: ["cublasLt"] },
  nvvm: { sonames: ["libnvvm.so.4", "libnvvm.so"], wheels: ["nvidia/cu13/lib", "nvidia/cuda_nvcc/nvvm/lib64"], anchors: ["nvvm/lib64"] },
  cufile: { sonames: ["libcufile.so.0"], wheels: ["nvidia/cu13/lib", "nvidia/cufile/lib"] },
  nccl: { sonames: ["libnccl.so.2"], wheels: ["nvidia/nccl/lib"] },
};

/** The object it would end up with; undefined when none is found, or facts are missing. */
export function loadWithPathfinder(process: PythonProcess, name: string): LoadedObject | undefined {
  const descriptor = descriptors[name];
  if (!descriptor) return undefined;
  const file = findInWheels(process, name, descriptor) ?? findInConda(process, name, descriptor);
  const loaded = alreadyLoaded(process, descriptor);
  // What it depends on is loaded even when the library itself is there already; without it the call fails.
  for (const dependency of descriptor.dependencies ?? []) if (!loadWithPathfinder(process, dependency)) return undefined;
  if (loaded) return loaded;
  if (file !== undefined) return load(process, file);
  const found = bySystem(process, descriptor);
  if (found) return found;
  const variables = process.view.snapshot.environment;
  const root = variables["CUDA_PATH"] || variables["CUDA_HOME"];
  const below = root === undefined ? undefined : findBelow(process, root, name, descriptor);
  if (below !== undefined) return load(process, below);
  const canary = name === "nvvm" ? rootOfRuntime(process) : undefined;
  const beside = canary === undefined ? undefined : findBelow(process, canary, name, descriptor);
  return beside === undefined ? undefined : load(process, beside);
}

/**
 * Its words where it finds none of a library's names: the library itself, or what that depends on; and of these names the one that
 * belongs to the CUDA that the asker was built for.
 */
export function notFound(process: PythonProcess, name: string, major?: string): { name: string; message: string } {
  const { sonames, dependencies = [] } = descriptors[name]!;
  const missing = dependencies.find((each) => !alreadyLoaded(process, descriptors[each]!));
  if (missing !== undefined) return notFound(process, missing, major);
  return { name: (major === "12" ? sonames.at(-1) : sonames[0])!, message: `Failure finding "${sonames.join(" or ")}"` };
}

function alreadyLoaded(process: PythonProcess, { sonames }: Descriptor): LoadedObject | undefined {
  for (const soname of sonames) {
    const loaded = process.ctypes(soname, { onlyLoaded: true });
    if ("object" in loaded) return loaded.object;
  }
  return undefined;
}

function load(process: PythonProcess, file: string): LoadedObject | undefined {
  // NVRTC's wheel for 13.0 did not say where its built-in functions lie: pathfinder loads those first, from the same folder.
  const builtins = `${folderOf(file)}/libnvrtc-builtins.so.13.0`;
  if (nameOf(file) === "libnvrtc.so.13" && kindAt(process.view, builtins) === "file") process.ctypes(builtins, { global: true });
  const opened = process.ctypes(file, { global: true });
  return "object" in opened ? opened.object : undefined;
}

const bySystem = (process: PythonProcess, { sonames }: Descriptor) => process.ctypesLadder(sonames, { global: true });

// A second Python, with nothing loaded, asks for the runtime; the toolkit around the answer is searched.
function rootOfRuntime({ view, environment }: PythonProcess): string | undefined {
  const started = startProgram(view, environment.python);
  if (started === undefined || "refused" in started) return undefined;
  const runtime = bySystem(pythonProcess(view, environment, started.process), descriptors["cudart"]!);
  const folder = runtime && folderOf(runtime.path);
  if (folder === undefined || !/\/lib(64)?$/.test(folder)) return undefined;
  const above = folderOf(folder);
  return nameOf(folderOf(above)) === "targets" ? folderOf(folderOf(above)) : above;
}

function findInWheels(process: PythonProcess, name: string, descriptor: Descriptor): string | undefined {
  for (const wheel of descriptor.wheels) {
    // Watched: a wheel that only PYTHONPATH leads to is not found.
    for (const place of process.environment.sites) {
      const folder = `${place}/${wheel}`;
      const found = findIn(process, folder, name, descriptor) ?? (bySoname(process) ? undefined : versioned(process, folder, name));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function findInConda(process: PythonProcess, name: string, descriptor: Descriptor): string | undefined {
  const prefix = process.view.snapshot.environment["CONDA_PREFIX"];
  return prefix ? findBelow(process, prefix, name, descriptor) : undefined;
}

function findBelow(process: PythonProcess, root: string, name: string, descriptor: Descriptor): string | undefined {
  for (const anchor of descriptor.anchors ?? ["lib64", "lib"]) {
    const found = findIn(process, `${root}/${anchor}`, name, descriptor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Since 1.8 by the sonames it knows, newest first; before, by `libX.so` and, in wheels, any name that goes on after it. */
function findIn(process: PythonProcess, folder: string, name: string, { sonames }: Descriptor): string | undefined {
  return (bySoname(process) ? sonames : [`lib${name}.so`])
    .map((file) => `${folder}/${file}`)
    .find((path) => kindAt(process.view, path) === "file");
}

const bySoname = (process: PythonProcess) => 0 <= compareDotted(release(process), "1.8");

/** The last by name since 1.6, the first before. */
function versioned(process: PythonProcess, folder: string, name: string): string | undefined {
  const names = (namesIn(process.view, folder) ?? []).filter((entry) => entry.startsWith(`lib${name}.so.`)).sort();
  const chosen = names.at(compareDotted(release(process), "1.6") < 0 ? 0 : -1);
  return chosen === undefined ? undefined : `${folder}/${chosen}`;
}

const release = ({ environment }: PythonProcess) => packageNamed(environment, "cuda-pathfinder")?.version ?? "1.8";
