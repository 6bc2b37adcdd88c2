import { isStubManagement, readGpus } from "../../survey/driver.ts";
import { kindAt, namesIn, packageNamed, textAt } from "../../survey/python.ts";
import { isCertain } from "../../knowledge/certainty.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { ofCapabilities } from "../../knowledge/gpu-code.ts";
import { libraryOf, versionOf } from "../../knowledge/libraries.ts";
import type { PythonEnvironment, PythonPackage } from "../../model/environment.ts";
import type { JaxRelease } from "../../model/knowledge.ts";
import { cuptiToolkit } from "../../knowledge/cupti.ts";
import { folderOf, nameOf, withoutLastSlashes } from "../../lib/path.ts";
import type { Failure, Refusal } from "../../model/loads.ts";
import type { LoadedObject } from "../../resolve/process.ts";
import type { View } from "../../resolve/view.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { checkCudnn, cudnnEngines, cudnnPart, cudnnRecurrent, cudnnVersion, needCudnnPart } from "../library-habits.ts";
import { pinnedVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import { Stop } from "../running-process.ts";
import names from "./names.ts";

/** jax_plugins/xla_cuda*: _load_nvidia_libraries, in its order. */
const preloads: [module: string, objects: string[]][] = [
  ["cuda_runtime", ["libcudart.so.12"]],
  ["cu13", ["libcudart.so.13"]],
  ["cuda_nvrtc", ["libnvrtc.so.12"]],
  ["cu13", ["libnvrtc.so.13"]],
  ["cublas", ["libcublas.so.12", "libcublasLt.so.12"]],
  ["cu13", ["libcublas.so.13", "libcublasLt.so.13"]],
  ["nccl", ["libnccl.so.2"]],
  ["cuda_cupti", ["libcupti.so.12"]],
  ["cu13", ["libcupti.so.13"]],
  ["cusparse", ["libcusparse.so.12"]],
  ["cu13", ["libcusparse.so.12"]],
  ["cusolver", ["libcusolver.so.11"]],
  ["cu13", ["libcusolver.so.12"]],
  ["cufft", ["libcufft.so.11"]],
  ["cu13", ["libcufft.so.12"]],
  ["nvshmem", ["libnvshmem_host.so.3"]],
  ["cudnn", ["libcudnn.so.9"]],
];

/** _check_cuda_versions asks these, in this order, by the names that the plugin was built with. */
const checked: { [major: string]: [label: string, name: string][] } = {
  "13": [
    ["CUDA", "libcudart.so.13"],
    ["cuDNN", "libcudnn.so.9"],
    ["cuFFT", "libcufft.so.12"],
    ["cuPTI", "libcupti.so.13"],
    ["cuBLAS", "libcublas.so.13"],
    ["cuSPARSE", "libcusparse.so.12"],
  ],
  "12": [
    ["CUDA", "libcudart.so.12"],
    ["cuDNN", "libcudnn.so.9"],
    ["cuFFT", "libcufft.so.11"],
    ["cuPTI", "libcupti.so.12"],
    ["cuBLAS", "libcublas.so.12"],
    ["cuSPARSE", "libcusparse.so.12"],
  ],
};

export default defineFramework({
  ...names,
  isLarge: true,
  compiledFor,
  // Most of its kernels are compiled when they run; those of its libraries are not, and it is for them that an old GPU is of no use.
  kernels(view, { environment }) {
    const plugin = cudaPlugin(environment);
    if (!plugin) return undefined;
    const known = frameworkRelease("jax", plugin.version);
    const architectures =
      known?.exact && isCertain(known.release, "builds") ? buildFor(known.release, plugin.major)?.architectures : undefined;
    if (architectures)
      return { architectures: ofCapabilities(architectures), evidence: `what is known of jax ${plugin.version}`, certain: true };
    return kernelsIn(view, `${plugin.folder}/jax_plugins/xla_cuda${plugin.major}/xla_cuda_plugin.so`);
  },
  cpuOnly,
  places: assemblerPlaces,
  steps: {
    import(process, copy) {
      checkJaxlib(process, copy);
      const jaxlib = process.folders("jaxlib")[0];
      if (jaxlib !== undefined) process.extension(jaxlib, isFrom(copy, "0.6.1") ? "_jax" : "xla_extension", { required: true });
      checkNvcc(process, copy);
      const plugin = pluginOf(process, copy);
      if (!plugin) return;
      // The first module that holds kernels registers them, for which it opens the runtime.
      const first = isFrom(copy, "0.6.1") ? "_solver" : isFrom(copy, "0.5") ? "_blas" : "_prng";
      for (const name of [
        "_versions",
        "_blas",
        "_solver",
        "_hybrid",
        "_sparse",
        "_prng",
        "_linalg",
        "_rnn",
        "_triton",
        "cuda_plugin_extension",
      ]) {
        const module = process.extension(plugin.folder, name);
        if (module && name === first) process.ladder(module, [`libcudart.so.${plugin.major}`]);
      }
    },
    device(process, copy) {
      const plugin = pluginOf(process, copy);
      if (!plugin) return missPlugin(process, copy);
      preload(process, copy);
      const versions = process.extension(plugin.folder, "_versions");
      const skips = process.view.snapshot.environment["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] !== undefined;
      if (versions && isFrom(copy, "0.6.1") && !skips) checkVersions(process, copy, versions, plugin.major);
      const opener = process.loadedLike("libjax_common.so") ?? process.loadedLike("xla_extension");
      const library = `${plugin.library}/xla_cuda_plugin.so`;
      const opened = process.open(opener ?? process.process.executable, library);
      if ("failure" in opened) fallBack(process, opened.failure);
      if (!("object" in opened)) return;
      process.ladder(opened.object, ["libcuda.so.1"]);
      const told = toldOtherwise(process);
      if (told && !told.startsCuda) process.stop(told.failure);
      const askManagement = () => {
        process.ladder(opened.object, ["libnvidia-ml.so.1"]);
        cudnnPart(process, "graph");
      };
      if (isFrom(copy, "0.6.2")) askManagement();
      else
        // What is opened with a cuDNN handle was not seen: 0.5.3 finds its GPUs before it opens any of these.
        process.possibly(() => {
          for (const [, name] of checked[plugin.major] ?? []) process.ladder(opened.object, [name]);
          askManagement();
        });
      // Watched on a machine with a GPU, with the newest release only.
      if (isFrom(copy, "0.11")) checkManagement(process);
      if (told && !process.process.pending) process.stop(told.failure);
    },
    matmul: compileFirst,
    compile(process, copy) {
      compileFirst(process, copy);
      lookForDeviceFunctions(process, copy);
    },
    convolution(process, copy) {
      cudnnPart(process, "ops");
      cudnnEngines(process, "jax");
      // XLA compares when it is first asked for a convolution.
      checkCudnn(process, "jax", compiledFor(process.view, copy)["cudnn"]?.version, {
        message: (loaded, compiled) => `Loaded runtime CuDNN library: ${loaded} but source was compiled with: ${compiled}.`,
      });
    },
    // jax.experimental.rnn: a descriptor of `adv` first, then one of `ops`.
    rnn(process) {
      needCudnnPart(process, "jax", "graph", { major: "9" });
      cudnnRecurrent(process, "jax", ["adv", "ops"], "9");
    },
    profile(process, copy) {
      checkCupti(process, copy);
      checkSubscriber(process);
    },
  },
  after: {
    matmul: ["device"],
    convolution: ["device", "matmul"],
    rnn: ["device", "matmul"],
    compile: ["device"],
    profile: ["device", "matmul"],
    "train-distributed": ["device"],
  },
});

/**
 * What changed between releases, read in the wheels of 0.4.30, 0.5.3, 0.6.0, 0.6.1, 0.6.2, 0.7.2, 0.10.2 and 0.11.2: up to 0.6.0 the plugin
 * alone asks for its libraries, along its RPATH; 0.6.1 checks their versions first; from 0.6.2 on they are also loaded by their paths.
 */
const isFrom = ({ package: { version } }: FrameworkCopy, release: string) => 0 <= compareDotted(version, release);

interface Plugin {
  major: "12" | "13";
  /** jax_cudaXX_plugin: extension modules. */
  folder: string;
  /** jax_plugins/xla_cudaXX: the XLA library. */
  library: string;
}

function pluginOf(process: PythonProcess, _copy: FrameworkCopy): Plugin | undefined {
  for (const major of ["13", "12"] as const) {
    const folder = process.folders(`jax_cuda${major}_plugin`)[0];
    const library = process.folders(`jax_plugins.xla_cuda${major}`)[0];
    if (folder !== undefined && library !== undefined && kindAt(process.view, `${library}/xla_cuda_plugin.so`) === "file")
      return { major, folder, library };
  }
  return undefined;
}

function preload(process: PythonProcess, copy: FrameworkCopy): void {
  for (const [module, objects] of isFrom(copy, "0.6.2") ? preloads : []) {
    if (module === "cu13" && !isFrom(copy, "0.7")) continue;
    const folder = process.folders(`nvidia.${module}`)[0];
    // What is missing or cannot be loaded is passed over in silence.
    for (const object of folder === undefined ? [] : objects) process.ctypes(`${folder}/lib/${object}`);
  }
}

/** Its packages are installed, and the library of XLA for CUDA is not where they put it (watched on an H200 with 0.11.2). */
function missPlugin(process: PythonProcess, copy: FrameworkCopy): void {
  const plugin = cudaPlugin(copy.environment);
  if (!plugin || cpuOnly(process.view, copy) !== undefined || process.process.pending) return;
  const folder = process.folders(`jax_plugins.xla_cuda${plugin.major}`)[0] ?? `${plugin.folder}/jax_plugins/xla_cuda${plugin.major}`;
  const path = `${folder}/xla_cuda_plugin.so`;
  if (kindAt(process.view, path) !== "none") return;
  const message = "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed.";
  fallBack(process, { ...failure(process, "xla_cuda_plugin.so", message), tried: [path] });
}

function checkVersions(process: PythonProcess, copy: FrameworkCopy, versions: LoadedObject, major: string): void {
  for (const [label, name] of checked[major] ?? []) {
    const found = process.ladder(versions, [name]);
    if (process.process.pending) return;
    if (!found) fallBack(process, failure(process, name, `RuntimeError: Unable to load ${label}. Is it installed?`));
    if (label === "cuDNN") needCudnnPart(process, "jax", "graph");
    const outdated = tooOld(label, found);
    if (outdated) fallBack(process, { ...failure(process, name, outdated.message), refusal: outdated.refusal, file: found.file });
  }
  if (isFrom(copy, "0.6.2")) checkDefects(process, copy);
  process.ladder(versions, ["libcuda.so.1"]);
  const problem = driverProblem(process);
  if (problem && !process.process.pending) fallBack(process, driverFailure(process, "jax", problem));
}

/** Two defects of cuDNN that it refuses, since 0.6.2: https://github.com/jax-ml/jax/pull/28931. */
function checkDefects(process: PythonProcess, copy: FrameworkCopy): void {
  const cudnn = process.loadedLike("libcudnn_graph.so") ?? process.loadedLike("libcudnn.so");
  const cublas = process.loadedLike("libcublasLt.so");
  const found = cudnn && cudnnVersion(process, cudnn);
  if (!cudnn || found === undefined || process.process.pending) return;
  const refuse = (message: string): never =>
    fallBack(process, {
      ...failure(process, "libcudnn.so.9", `RuntimeError: ${message} Please upgrade to 9.10.1 or above.`),
      refusal: { kind: "version", library: "cudnn", required: "9.10.1", found },
      file: cudnn.file,
    });
  const built = compiledFor(process.view, copy)["cudnn"]?.version ?? "";
  if (found === "9.10.0" && !built.startsWith("9.10.0"))
    refuse("cuDNN 9.10.0 had a binary backward-compatibility issue due to reordered enum values affecting block-scale datatypes.");
  const multiplier = cublas && versionOf(libraryOf(cublas.path)!, cublas.fact);
  if (
    compareDotted(found, "9.10.1") < 0 &&
    multiplier !== undefined &&
    0 <= compareDotted(multiplier, "12.9") &&
    1 < visibleGpus(process.view)
  )
    refuse(`cuDNN < 9.10.0 (${found} found) had an issue that caused some multi-GPU matmuls to be functionally incorrect.`);
}

function visibleGpus(view: View): number {
  const { CUDA_VISIBLE_DEVICES: chosen } = view.snapshot.environment;
  return chosen === undefined ? readGpus(view).length : chosen.split(",").length;
}

/** The least versions that _check_cuda_versions lets pass, since 0.6.1. Those of cuFFT and cuDNN are what the plugin was built with. */
const minimum: { [label: string]: string } = { CUDA: "12.1", cuBLAS: "12.1.0", cuSPARSE: "12.1.0", cuPTI: "API 18" };

function tooOld(label: string, { fact, path }: LoadedObject): { message: string; refusal: Refusal } | undefined {
  const library = libraryOf(path);
  const found = library && versionOf(library, fact);
  const required = minimum[label];
  if (!library || found === undefined || required === undefined) return undefined;
  if (0 <= compareDotted(found.replace("API ", ""), required.replace("API ", ""))) return undefined;
  return {
    message: `RuntimeError: Outdated ${label} installation found. Minimum supported: ${required}. Installed version: ${found}.`,
    refusal: { kind: "version", library: library.id, required, found },
  };
}

/**
 * The profiler of the plugin for CUDA 13 ends with ABORTED when libcupti is of CUDA 11, and the profile has no GPU; one of CUDA 12 serves.
 * Watched with 0.11.2 and the libcupti of 11.8 and 12.9 in the place of its own.
 */
function checkCupti(process: PythonProcess, copy: FrameworkCopy): void {
  const library = process.loadedLike("libcupti.so");
  if (!library || process.process.pending || pluginOf(process, copy)?.major !== "13") return;
  const known = libraryOf("libcupti.so");
  const version = known && versionOf(known, library.fact);
  const found = cuptiToolkit({
    file: nameOf(library.file),
    ...(library.fact.soname === undefined ? {} : { soname: library.fact.soname }),
    ...(version === undefined ? {} : { api: Number(version.replace("API ", "")) }),
  })?.newest.cuda;
  if (found === undefined || 12 <= Number(found.split(".")[0])) return;
  process.process.failures.push({
    ...failure(process, "libcupti.so.13", "profiler_controller.cc: ABORTED: Previous call returned an error. (the profile has no GPU)"),
    refusal: { kind: "version", library: "cupti", required: "13", found },
    file: library.file,
  });
}

/** Watched on an H200 with torch 2.11 and jax 0.11.2: after torch's profile in the same process; the other way round both record. */
function checkSubscriber(process: PythonProcess): void {
  const { profiler, failures, pending } = process.process;
  if (profiler !== "torch" || pending) return;
  failures.push({
    ...failure(process, "libcupti.so", "cuptiSubscribe: error 39: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (the profile has no GPU)"),
    refusal: { kind: "profiler-taken", by: profiler },
  });
}

/**
 * jax/_src/xla_bridge.py, backends: JAX_PLATFORMS lists what is started, and programs use the first of it; what cannot be started ends all.
 * `gpu` stands for `cuda` and `rocm`. JAX_PLATFORM_NAME, in any case of letters, only chooses among all that there are. Read in 0.4.30 and
 * 0.11.2; each of these values was watched on an H200 with 0.11.2.
 */
function toldOtherwise(process: PythonProcess): { failure: Failure; startsCuda: boolean } | undefined {
  const { JAX_PLATFORMS: listed = "", JAX_PLATFORM_NAME: named = "" } = process.view.snapshot.environment;
  const variable = listed === "" ? "JAX_PLATFORM_NAME" : "JAX_PLATFORMS";
  const names = listed === "" ? [named.toLowerCase()].filter((name) => name !== "") : listed.split(",");
  const platforms =
    listed === ""
      ? names.map((name) => (name === "gpu" ? "cuda" : name))
      : names.flatMap((name) => (name === "gpu" ? ["cuda", "rocm"] : [name]));
  const refused = platforms.find((name) => name !== "cuda" && name !== "cpu");
  // A plugin for other devices is none of ours to judge.
  if (refused !== undefined && process.environment.packages.some(({ name }) => otherPlugins.test(name))) return undefined;
  if (platforms.length === 0 || (platforms[0] === "cuda" && refused === undefined)) return undefined;
  const message =
    refused === undefined
      ? `${variable}=${listed || named}: JAX uses the CPU`
      : `RuntimeError: Unable to initialize backend '${refused}': Backend '${refused}' is not in the list of known backends`;
  return {
    failure: {
      ...failure(process, "libcuda.so.1", message),
      refusal: { kind: "told-otherwise", variable, ...(refused === undefined ? {} : { refused }) },
    },
    // With JAX_PLATFORM_NAME all are started.
    startsCuda: listed === "" || platforms.includes("cuda"),
  };
}

const otherPlugins = /^(?:libtpu|jax-rocm|jax-metal|jax-oneapi|intel-extension-for-openxla)/;

/** XLA asks NVML about every GPU, and leaves out those that it does not hear of. Watched with 0.11.2 and no, damaged, foreign and stub libraries. */
function checkManagement(process: PythonProcess): void {
  const name = "libnvidia-ml.so.1";
  const library = process.loaded(name);
  // Jetson's and WSL's drivers, by their name, have no NVML or one of another kind: what XLA does there was not watched.
  if (process.process.pending || process.loaded("libcuda.so.1")?.file.endsWith("/libcuda.so.1.1")) return;
  const message = "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.";
  if (!library) return process.stop(failure(process, name, message));
  const fact = process.view.snapshot.files[library.file];
  if (fact?.kind === "file" && isStubManagement(library.file, fact.size))
    process.stop({ ...failure(process, name, message), refusal: { kind: "stub-driver" }, file: library.file });
}

function compileFirst(process: PythonProcess, copy: FrameworkCopy): void {
  checkDnn(process, copy);
  checkAssembler(process, copy);
}

/**
 * Before 0.6.1 nobody asks for versions when the plug-in starts, and what it does not find it passes over; but XLA takes a cuDNN handle before
 * it compiles anything. From reports (https://github.com/jax-ml/jax/issues/15361, .../28752 with 0.6.0), not watched.
 */
function checkDnn(process: PythonProcess, copy: FrameworkCopy): void {
  const plugin = isFrom(copy, "0.6.1") ? undefined : pluginOf(process, copy);
  if (!plugin || process.process.pending || process.loadedLike("libcudnn.so")) return;
  const lost = (checked[plugin.major] ?? []).map(([, name]) => name).filter((name) => !process.loadedLike(name));
  const message = "XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more details.";
  const others = lost.filter((name) => name !== "libcudnn.so.9");
  process.stop({ ...failure(process, "libcudnn.so.9", message), supposed: true, ...(others.length === 0 ? {} : { others }) });
}

/**
 * XLA makes machine code with ptxas, in another process, and has no other way in the plugin that jax ships. Watched with 0.11.2, one thing
 * hidden at a time: it looks along PATH, where CUDA_HOME or CUDA_ROOT says, in /usr/local/cuda and /opt/cuda, in the wheel, and in the folders
 * above; CUDA_PATH does not lead it, and its own flag only where jax does not set that itself (`dataFolder`). It asks for nvlink as well, and
 * does without. A toolkit whose nvcc is there has its ptxas.
 */
function checkAssembler(process: PythonProcess, copy: FrameworkCopy): void {
  const plugin = isFrom(copy, "0.11") ? pluginOf(process, copy) : undefined;
  if (!plugin) return;
  const { view, environment } = process;
  const folders = assemblerFolders(view, environment, plugin);
  const isThere = folders.some((folder) => assemblers.some((tool) => kindAt(view, `${folder}/${tool}`) !== "none"));
  if (isThere || process.process.pending) return;
  const message = "JaxRuntimeError: UNAVAILABLE: No PTX compilation provider is available. Neither ptxas/nvlink nor nvjtlink is available.";
  process.stop({ ...failure(process, "ptxas", message), tried: folders.map((folder) => `${folder}/ptxas`) });
}

const assemblers = ["ptxas", "nvcc"];

function assemblerFolders(view: View, environment: PythonEnvironment, { major, library }: Pick<Plugin, "major" | "library">): string[] {
  const { PATH = "", CUDA_HOME, CUDA_ROOT } = view.snapshot.environment;
  // PATH of another system is not known: then any toolkit may be on it.
  const toolkits = (namesIn(view, "/usr/local") ?? []).filter((name) => name.startsWith("cuda")).map((name) => `/usr/local/${name}`);
  const wheels = environment.sites.flatMap((site) => [
    `${site}/nvidia/cu${major}`,
    ...(major === "12" ? [`${site}/nvidia/cuda_nvcc`] : []),
  ]);
  const roots = [
    CUDA_ROOT,
    CUDA_HOME,
    dataFolder(view, wheels),
    "/opt/cuda",
    ...toolkits,
    ...wheels,
    `${library}/cuda`,
    environment.prefix,
    "/usr",
  ];
  return [
    ...PATH.split(":").filter((folder) => folder.startsWith("/")),
    ...roots.flatMap((root) => (root === undefined ? [] : [`${root}/bin`])),
  ];
}

/** What --xla_gpu_cuda_data_dir names; jax sets it itself where CUDA_ROOT is set, or where a wheel has the folder of the compiler. */
function dataFolder(view: View, wheels: string[]): string | undefined {
  const { XLA_FLAGS = "", CUDA_ROOT } = view.snapshot.environment;
  if (CUDA_ROOT !== undefined || wheels.some((folder) => kindAt(view.wishing, folder) === "folder")) return undefined;
  const named = /(?:^|\s)--xla_gpu_cuda_data_dir=["']?(\/[^\s"']*)/.exec(XLA_FLAGS)?.[1];
  return named === undefined ? undefined : withoutLastSlashes(named);
}

/**
 * Functions such as exp, tanh, sin, sqrt and powers, and random numbers, XLA takes from libdevice.10.bc; without it what uses one of them ends
 * with `INTERNAL: libdevice not found at ./libdevice.10.bc`, and sums, matrix products and sorting work. Watched with 0.5.3, 0.7.2, 0.11.2
 * and 0.12.0, which compile for a GPU that is not there; places were tried with 0.12.0, variables partly with the others: CUDA_HOME leads the
 * newer ones only. Up to 0.4.30 the plugin brings it.
 */
function lookForDeviceFunctions(process: PythonProcess, copy: FrameworkCopy): void {
  const plugin = isFrom(copy, "0.4.31") ? pluginOf(process, copy) : undefined;
  if (!plugin || process.process.pending) return;
  const places = devicePlaces(process.view, copy, plugin);
  if (!places.every((path) => kindAt(process.view.wishing, path) === "none")) return;
  const message = "JaxRuntimeError: INTERNAL: libdevice not found at ./libdevice.10.bc";
  process.process.missed.push({ ...failure(process, "libdevice.10.bc", message), tried: places });
}

function devicePlaces(view: View, copy: FrameworkCopy, { major, library }: Pick<Plugin, "major" | "library">): string[] {
  const { environment } = copy;
  const { CUDA_HOME, CUDA_ROOT } = view.snapshot.environment;
  const wheels = environment.sites.flatMap((site) => [`${site}/nvidia/cu${major}`, `${site}/nvidia/cuda_nvcc`]);
  const toolkits = (namesIn(view.wishing, "/usr/local") ?? [])
    .filter((name) => name.startsWith("cuda"))
    .map((name) => `/usr/local/${name}`);
  const roots = [
    CUDA_ROOT,
    isFrom(copy, "0.8") ? CUDA_HOME : undefined,
    dataFolder(view, wheels),
    ...wheels,
    "/usr/local/cuda",
    ...toolkits,
    "/opt/cuda",
    `${library}/cuda`,
    environment.prefix,
    // Four and five folders above itself.
    folderOf(folderOf(folderOf(folderOf(library)))),
    folderOf(folderOf(folderOf(folderOf(folderOf(library))))),
    `${view.cwd}/cuda_sdk_lib`,
    view.cwd,
  ];
  const folders = [...new Set(roots.flatMap((root) => (root === undefined || root === "" ? [] : [withoutLastSlashes(root)])))];
  return [...folders.map((folder) => `${folder}/nvvm/libdevice/libdevice.10.bc`), `${withoutLastSlashes(view.cwd)}/libdevice.10.bc`];
}

/** Whoever finds ptxas does not look any further; where that one is taken away, another may serve. */
function assemblerPlaces(view: View, copy: FrameworkCopy): string[] {
  const plugin = isFrom(copy, "0.11") ? cudaPlugin(copy.environment) : undefined;
  if (!plugin || (plugin.major !== "12" && plugin.major !== "13")) return [];
  const { major, folder } = plugin;
  const folders = assemblerFolders(view, copy.environment, { major, library: `${folder}/jax_plugins/xla_cuda${major}` });
  return folders.flatMap((each) => assemblers.map((tool) => `${each}/${tool}`));
}

function failure(process: PythonProcess, name: string, message: string): Failure {
  const { activity } = process.process;
  // A library that is there may lack one that it needs itself.
  const underlying = process.whyNot(name);
  const { reason = "not-found", tried = [] } = underlying ?? {};
  return { name, requestedBy: "jax", activity, reason, message, ...(underlying ? { underlying } : {}), tried };
}

// JAX does not stop: it goes on without the GPU, with exit code 0. What would follow on the GPU does not happen.
function fallBack(process: PythonProcess, reason: Failure): never {
  process.process.failures.push({ ...reason, message: `${reason.message} (JAX falls back to the CPU)` });
  throw new Stop(reason.message);
}

/** 0.4.35 alone asks the package of nvcc's wheel for its `__init__.py`, which that has no more since 12.9. */
function checkNvcc({ view, process: { activity }, folders, stop }: PythonProcess, { package: { version } }: FrameworkCopy): void {
  const folder = version === "0.4.35" && view.snapshot.environment["CUDA_ROOT"] === undefined ? folders("nvidia.cuda_nvcc")[0] : undefined;
  if (folder === undefined || kindAt(view, folder) !== "folder" || kindAt(view, `${folder}/__init__.py`) !== "none") return;
  const message = "TypeError: expected str, bytes or os.PathLike object, not NoneType";
  stop({ name: "nvidia.cuda_nvcc", requestedBy: "jax", activity, reason: "not-found", message, file: folder, tried: [] });
}

/**
 * jax/_src/lib/__init__.py: at least the jaxlib that its metadata asks for, and none that is newer than itself. Read in 0.4.30, 0.7.2 and
 * 0.11.2.
 */
function checkJaxlib(process: PythonProcess, { package: { version, metadata } }: FrameworkCopy): void {
  const jaxlib = packageNamed(process.environment, "jaxlib");
  const asked = /^Requires-Dist:\s*jaxlib\s*([^;\n]*)/m.exec(textAt(process.view, `${metadata}/METADATA`) ?? "")?.[1] ?? "";
  const least = />=\s*([\d.]+)/.exec(asked)?.[1] ?? "0";
  const plain = (text: string) => /^\d+(?:\.\d+)*/.exec(text)?.[0] ?? "0";
  if (!jaxlib || process.process.pending) return;
  const isOlder = compareDotted(plain(jaxlib.version), plain(least)) < 0;
  const isNewer = 0 < compareDotted(plain(jaxlib.version), plain(version));
  if (!isOlder && !isNewer) return;
  process.stop({
    name: "jaxlib",
    requestedBy: "jax",
    activity: process.process.activity,
    reason: "not-found",
    message: isOlder
      ? `RuntimeError: jaxlib is version ${jaxlib.version}, but this version of jax requires version >= ${least}.`
      : `RuntimeError: jaxlib version ${jaxlib.version} is newer than and incompatible with jax version ${version}. Please update your jax and/or jaxlib packages.`,
    refusal: { kind: "version", library: "jaxlib", required: isOlder ? least : version, found: jaxlib.version },
    file: jaxlib.metadata,
    tried: [],
  });
}

/** Two packages bring CUDA: the plugin, and the XLA library behind it. Up to 0.4.29 there were also builds of jaxlib with CUDA inside. */
function cpuOnly(view: View, { environment }: FrameworkCopy): string | undefined {
  const has = (pattern: RegExp) => environment.packages.some(({ name }) => pattern.test(name));
  if (has(/^jax-rocm|^libtpu/)) return undefined;
  const jaxlib = packageNamed(environment, "jaxlib");
  if (!jaxlib || /cuda/.test(jaxlib.version) || kindAt(view, `${jaxlib.folder}/jaxlib/cuda`) === "folder") return undefined;
  const [plugin, library] = [has(/^jax-cuda\d+-plugin$/), has(/^jax-cuda\d+-pjrt$/)];
  if (plugin && library) return undefined;
  if (plugin) return "its CUDA plugin is installed without jax-cuda*-pjrt, which brings XLA for CUDA";
  if (library) return "jax-cuda*-pjrt is installed without jax-cuda*-plugin, and is not used alone";
  return "no CUDA plugin is installed (jax-cuda12-plugin or jax-cuda13-plugin), and jaxlib holds code for processors only";
}

// The plugin's metadata gives ranges for NVIDIA's wheels: the major release of CUDA is in its name, the rest is known of the release.
function compiledFor(view: View, { environment }: FrameworkCopy): CompiledFor {
  const plugin = cudaPlugin(environment);
  if (!plugin) return {};
  const { major } = plugin;
  const known = frameworkRelease("jax", plugin.version);
  const build = known && buildFor(known.release, major);
  const evidence = known && `what is known of jax ${known.release.version}`;
  const found: CompiledFor = { cuda: { version: build?.cuda ?? major, evidence: evidence ?? `package ${plugin.name}` } };
  if (build?.cudnn !== undefined) found["cudnn"] = { version: build.cudnn, evidence: evidence! };
  return { ...found, ...pinnedVersions(view, plugin) };
}

function cudaPlugin({ packages }: PythonEnvironment): (PythonPackage & { major: string }) | undefined {
  const found = packages.find(({ name }) => /^jax-cuda\d+-(plugin|pjrt)$/.test(name));
  return found && { ...found, major: /\d+/.exec(found.name)![0] };
}

const buildFor = ({ builds }: JaxRelease, major: string) => builds?.[`cuda_v${major}`] ?? (major === "12" ? builds?.["cuda"] : undefined);
