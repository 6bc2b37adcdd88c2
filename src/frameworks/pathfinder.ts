// NVIDIA's cuda-pathfinder, by which CuPy, cuda-core and numba-cuda find libraries: its own documentation of the search order,
// and the descriptor table of release 1.6 (which soname, which wheel folder, what it depends on).
import { kindAt, namesIn } from "../collect/python.ts";
import type { LoadedObject } from "../resolve/process.ts";
import type { PythonProcess } from "./python-process.ts";

interface Descriptor {
  /** Newest first. */
  sonames: string[];
  /** Folders below site-packages, in order. */
  wheels: string[];
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
  nccl: { sonames: ["libnccl.so.2"], wheels: ["nvidia/nccl/lib"] },
};

/** The object it would end up with; undefined when none is found, or facts are missing. */
export function loadWithPathfinder(process: PythonProcess, name: string): LoadedObject | undefined {
  const descriptor = descriptors[name];
  if (!descriptor) return undefined;
  const file = findInWheels(process, name, descriptor) ?? findInConda(process, name);
  for (const soname of descriptor.sonames) {
    const loaded = process.ctypes(soname, { onlyLoaded: true });
    if ("object" in loaded) return loaded.object;
  }
  for (const dependency of descriptor.dependencies ?? []) loadWithPathfinder(process, dependency);
  if (file !== undefined) {
    if (name === "nvrtc") preloadBuiltins(process, file);
    const opened = process.ctypes(file, { global: true });
    return "object" in opened ? opened.object : undefined;
  }
  for (const soname of descriptor.sonames) {
    const opened = process.ctypes(soname, { global: true });
    if ("object" in opened) return opened.object;
    if ("failure" in opened) process.process.missed.push(opened.failure);
  }
  for (const root of ["CUDA_PATH", "CUDA_HOME"].flatMap((variable) => process.view.snapshot.environment[variable] ?? [])) {
    for (const folder of ["lib64", "lib"]) {
      const exact = `${root}/${folder}/lib${name}.so`;
      const opened = kindAt(process.view, exact) === "file" ? process.ctypes(exact, { global: true }) : undefined;
      if (opened && "object" in opened) return opened.object;
    }
  }
  return undefined;
}

// The wheels of NVRTC did not say where their built-in functions lie; pathfinder loads them first, from the same folder.
function preloadBuiltins(process: PythonProcess, file: string): void {
  const folder = file.slice(0, file.lastIndexOf("/"));
  const builtins = namesIn(process.view, folder)?.find((entry) => /^libnvrtc-builtins\.so\.\d/.test(entry));
  if (builtins !== undefined) process.ctypes(`${folder}/${builtins}`);
}

function findInWheels(process: PythonProcess, name: string, { wheels }: Descriptor): string | undefined {
  for (const wheel of wheels) {
    // Watched: a wheel that only PYTHONPATH leads to is not found.
    for (const place of process.environment.sites) {
      const found = exactOrNewest(process, `${place}/${wheel}`, name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function findInConda(process: PythonProcess, name: string): string | undefined {
  const prefix = process.view.snapshot.environment["CONDA_PREFIX"];
  if (prefix === undefined) return undefined;
  return exactOrNewest(process, `${prefix}/lib64`, name) ?? exactOrNewest(process, `${prefix}/lib`, name);
}

function exactOrNewest(process: PythonProcess, folder: string, name: string): string | undefined {
  const exact = `${folder}/lib${name}.so`;
  if (kindAt(process.view, exact) === "file") return exact;
  const newest = (namesIn(process.view, folder) ?? [])
    .filter((entry) => entry.startsWith(`lib${name}.so.`) && /^[\d.]+$/.test(entry.slice(name.length + 7)))
    .sort()
    .at(-1);
  return newest === undefined ? undefined : `${folder}/${newest}`;
}
