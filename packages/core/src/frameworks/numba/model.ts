import { kindAt, namesIn, packageNamed } from "../../survey/python.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import type { LoadedObject } from "../../resolve/process.ts";
import type { View } from "../../resolve/view.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { notFoundByName } from "../not-found.ts";
import { loadWithPathfinder, notFound } from "../pathfinder.ts";
import { needModule } from "../missing-modules.ts";
import { pinnedVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

// `from numba import cuda`, which is numba-cuda where that is installed (it takes the module's name over), and numba's own before.
export default defineFramework({
  ...names,
  compiledFor,
  // cudadrv/nvvm.py, find_closest_arch: the newest architecture that the toolkit knows and the GPU runs, as PTX. Which those are, numba asks
  // the runtime; with the bindings, NVRTC, and nvJitLink makes machine code of it.
  compiler(view, copy) {
    if (usesBindings(copy)) return { name: "NVRTC", library: "nvrtc", newer: "ptx" };
    // numba-cuda links with pynvjitlink where that is installed; numba itself only when it is told to.
    const isLinked =
      copy.package.name === "numba-cuda" || (view.snapshot.environment["NUMBA_CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY"] ?? "0") !== "0";
    return { name: "NVVM", library: "cudart", newer: "ptx", ...(isLinked ? {} : { always: "ptx" }) };
  },
  steps: {
    import(process, copy) {
      const numba = process.folders("numba")[0];
      if (numba !== undefined) process.extension(numba, "_helperlib");
      if (numba !== undefined) needModules(process, copy);
      if (usesBindings(copy) && !loadWithPathfinder(process, "cudart") && numba !== undefined) missByPathfinder(process, "cudart");
      openDriver(process);
    },
    device(process) {
      openDriver(process);
      const problem = driverProblem(process);
      if (problem && !process.process.pending)
        process.stop(driverFailure(process, "numba", { ...problem, message: `CudaSupportError: ${problem.message}` }));
    },
    compile(process, copy) {
      const load = (name: string) => (usesBindings(copy) ? loadWithPathfinder(process, name) : openFromToolkit(process, copy, name));
      for (const name of usesBindings(copy) ? ["nvJitLink", "nvvm", "nvrtc"] : ["nvvm", "cudart"]) {
        const loaded = load(name);
        const { activity, pending } = process.process;
        if (loaded || pending || name !== "nvvm") continue;
        if (usesBindings(copy)) missByPathfinder(process, "nvvm");
        process.stop({
          name: "libnvvm.so",
          requestedBy: "numba",
          activity,
          reason: "not-found",
          message: "libNVVM cannot be found: neither in a wheel nor in a toolkit",
          tried: [],
        });
      }
    },
  },
  after: {
    matmul: ["device", "compile"],
    compile: ["device"],
    convolution: ["device"],
    rnn: ["device"],
    profile: ["device", "compile"],
    "train-distributed": ["device"],
  },
});

/** numba-cuda asks cuda-bindings since 0.21; before, and in numba itself, its own cuda_paths.py looks for libraries. */
function usesBindings({ package: { name, version } }: FrameworkCopy): boolean {
  return name === "numba-cuda" && 0 <= compareDotted(version, "0.21");
}

/** In the words of the bindings. debuginfo.py asks them for the runtime's version whenever it is run (seen in 0.21.1 to 0.30.4): without one the import ends. */
function missByPathfinder(process: PythonProcess, library: string): void {
  if (process.process.pending) return;
  const bindings = packageNamed(process.environment, "cuda-bindings")?.version.split(".")[0];
  const { name, message } = notFound(process, library, bindings);
  process.stop(notFoundByName(process, "numba", name, message));
}

/**
 * numba-cuda 0.15.1 to 0.20 use the bindings unless they are told not to, and do not ask pip for them: without, the import ends in the first
 * words below (seen in 0.15.2 to 0.20.1). From 0.16 on they take cuda.core, too, by a name that cuda-core gave up at 1.0.
 */
function needModules(process: PythonProcess, { package: { name, version } }: FrameworkCopy): void {
  const isWithin = name === "numba-cuda" && 0 <= compareDotted(version, "0.15.1") && compareDotted(version, "0.21") < 0;
  const chosen = process.view.snapshot.environment["NUMBA_CUDA_USE_NVIDIA_BINDING"] ?? "1";
  if (!isWithin || chosen !== "1") return;
  const message = "CUDA bindings not found. Please pip install the cuda-bindings package.";
  needModule(process, name, "cuda.bindings", message);
  if (0 <= compareDotted(version, "0.16")) needModule(process, name, "cuda.core.experimental");
}

/** cudadrv/driver.py, locate_driver_and_loader; NUMBA_CUDA_DRIVER names a file instead. */
function openDriver(process: PythonProcess): void {
  const variable = "NUMBA_CUDA_DRIVER";
  const chosen = process.view.snapshot.environment[variable];
  const names = ["libcuda.so", "libcuda.so.1"];
  if (chosen) {
    const opened = process.ctypes(chosen);
    if ("failure" in opened) process.process.failures.push({ ...opened.failure, requestedBy: "numba", steeredBy: variable });
    return;
  }
  process.ctypesLadder([...names, ...["/usr/lib", "/usr/lib64"].flatMap((folder) => names.map((name) => `${folder}/${name}`))]);
}

/**
 * cuda_paths.py of numba and of numba-cuda up to 0.20: Conda, NVIDIA's wheel (only for NVVM, and not yet in 0.4), CUDA_HOME or CUDA_PATH, /usr/local/cuda.
 * The first place that exists is searched; the last name there is taken, and without any the plain name is asked for.
 */
function openFromToolkit(process: PythonProcess, { package: found }: FrameworkCopy, name: string): LoadedObject | undefined {
  const { view, environment } = process;
  const { CONDA_PREFIX, CUDA_HOME, CUDA_PATH } = view.snapshot.environment;
  const isNvvm = name === "nvvm";
  const roots = [CUDA_HOME ?? CUDA_PATH, "/usr/local/cuda"].filter((root) => root !== undefined);
  const folders = [
    ...(CONDA_PREFIX ? [isNvvm ? `${CONDA_PREFIX}/nvvm/lib64` : `${CONDA_PREFIX}/lib`] : []),
    ...(isNvvm && found.name === "numba-cuda" && 0 < compareDotted(found.version, "0.5")
      ? environment.sites.map((site) => `${site}/nvidia/cuda_nvcc/nvvm/lib64`)
      : []),
    ...roots.map((root) => (isNvvm ? `${root}/nvvm/lib64` : `${root}/lib64`)),
  ];
  const folder = folders.find((path) => kindAt(view, path) === "folder");
  const names = folder === undefined ? [] : (namesIn(view, folder) ?? []).filter((entry) => entry.startsWith(`lib${name}.so`)).sort();
  const file = names.at(-1);
  return process.ctypesLadder([file === undefined ? `lib${name}.so` : `${folder}/${file}`]);
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const bindings = packageNamed(copy.environment, "cuda-bindings");
  const pinned = pinnedVersions(view, copy.package);
  // It brings no compiled CUDA of its own; the release of the bindings says which CUDA they speak.
  if (!bindings) return pinned;
  const version = bindings.version.split(".").slice(0, 2).join(".");
  return { ...pinned, cuda: { version, evidence: `package ${bindings.name} ${bindings.version}` } };
}
