// TensorFlow links against no CUDA library: tsl/platform/default/dso_loader.cc opens each by one name.
// Watched with LD_DEBUG on the wheels of 2.5.3 to 2.21.0, with a driver that answers and then fails: everything up to the first kernel.
import { textAt } from "../../survey/python.ts";
import { isCertain } from "../../knowledge/certainty.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { ofCapabilities } from "../../knowledge/gpu-code.ts";
import type { Failure } from "../../model/loads.ts";
import type { LoadedObject } from "../../resolve/process.ts";
import type { View } from "../../resolve/view.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { cudnnFront, cudnnPart, cudnnVersion } from "../library-habits.ts";
import { pinnedVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

interface Era {
  /** The first release that is so. */
  from: string;
  /** What the wheels were compiled for; cuDNN as they say it themselves when they refuse an older one. */
  cuda: string;
  cudnn: string;
  /** The code that opens libraries is in _pywrap_tensorflow_internal; later it is in libtensorflow_framework. */
  internal?: true;
  /** A module that needs none of its libraries comes first; it makes no difference but to the paths that are tried. */
  tf2First?: true;
  /** `import` looks for libnvinfer and libnvinfer_plugin of this version, and does without them. */
  tensorrt?: string;
  /** The module that looks for them has a dso_loader.cc of its own. */
  tensorrtApart?: true;
  /** Among the libraries without which no GPU is used. */
  curand?: true;
  /** A GPU is described before its libraries are opened: that takes NVML, and asks cuDNN for its version. */
  describes?: true;
  /** NCCL is a library of its own; before, it was linked in. */
  nccl?: true;
}

const eras: Era[] = [
  { from: "2.21", cuda: "12.5", cudnn: "9.3.0", describes: true, nccl: true },
  { from: "2.18", cuda: "12.5", cudnn: "9.3.0" },
  { from: "2.16", cuda: "12.3", cudnn: "8.9.6", tensorrt: "8.6.1", tensorrtApart: true, tf2First: true },
  { from: "2.15", cuda: "12.2", cudnn: "8.9.4", tensorrt: "8.6.1", tf2First: true },
  { from: "2.14", cuda: "11.8", cudnn: "8.6.0", tensorrt: "8" },
  { from: "2.12", cuda: "11.8", cudnn: "8.6.0", tensorrt: "8", curand: true },
  { from: "2.11", cuda: "11.2", cudnn: "8.1.0", tensorrt: "7", curand: true },
  { from: "2.10", cuda: "11.2", cudnn: "8.1.0", tensorrt: "7", curand: true, internal: true },
  { from: "2.5", cuda: "11.2", cudnn: "8.1.0", curand: true, internal: true },
];

/** The last part of each library's name, by the CUDA release that it belongs to. */
const sonames: { [major: string]: { [library: string]: string } } = {
  "13": { cudart: "13", cublas: "13", cublasLt: "13", cufft: "12", curand: "10", cusolver: "12", cusparse: "12", cupti: "13" },
  "12": { cudart: "12", cublas: "12", cublasLt: "12", cufft: "11", curand: "10", cusolver: "11", cusparse: "12", cupti: "12" },
  "11": { cudart: "11.0", cublas: "11", cublasLt: "11", cufft: "10", curand: "10", cusolver: "11", cusparse: "11" },
};

export default defineFramework({
  ...names,
  isLarge: true,
  compiledFor,
  kernels(view, copy) {
    if (!buildOf(view, copy)) return undefined;
    const file = buildInfo(copy.package.folder);
    const list = /['"]cuda_compute_capabilities['"]\s*[,:]\s*\[([^\]]*)\]/.exec(textAt(view, file) ?? "")?.[1];
    const stated = [...(list ?? "").matchAll(/['"]((?:sm|compute)_\d+[af]?)['"]/g)].map(([, name]) => name!);
    if (0 < stated.length) return { architectures: ofCapabilities(stated), evidence: file, certain: true };
    const known = frameworkRelease("tensorflow", copy.package.version);
    const architectures = known?.exact && isCertain(known.release, "architectures") ? known.release.architectures : undefined;
    return (
      architectures && {
        architectures: ofCapabilities(architectures),
        evidence: `what is known of tensorflow ${copy.package.version}`,
        certain: true,
      }
    );
  },
  cpuOnly,
  steps: {
    import(process, copy) {
      const folder = `${copy.package.folder}/tensorflow/python`;
      const build = buildOf(process.view, copy);
      if (build?.era.tf2First) process.extension(`${folder}/platform`, "_pywrap_tf2");
      // The first modules that need TensorFlow's own libraries; the forty others find them there.
      for (const [below, name] of [
        ["/platform", "_pywrap_cpu_feature_guard"],
        ["", "_pywrap_tensorflow_internal"],
      ] as const) {
        const isEarlier = gpuSide(process, copy) !== undefined;
        process.extension(`${folder}${below}`, name, { required: true });
        const gpu = gpuSide(process, copy);
        // Kernels are registered with the CUDA runtime while the libraries are initialised.
        if (gpu && !isEarlier) process.ladder(gpu.asker, [gpu.names["cudart"]!]);
      }
      if (build?.era.tensorrt === undefined) return;
      const module = process.extension(`${copy.package.folder}/tensorflow/compiler/tf2tensorrt`, "_pywrap_py_utils");
      const asker = build.era.tensorrtApart ? module : gpuSide(process, copy)?.asker;
      if (!asker) return;
      for (const name of ["libnvinfer", "libnvinfer_plugin"]) process.ladder(asker, [`${name}.so.${build.era.tensorrt}`]);
    },
    device,
    convolution(process, copy) {
      if (!createDnn(process, copy)) return;
      process.possibly(() => {
        const major = cudnnMajor(buildOf(process.view, copy)!);
        const parts = major === "8" ? ["cnn_infer"] : ["ops", "engines_precompiled", "heuristic", "engines_runtime_compiled"];
        for (const part of parts) cudnnPart(process, part, major);
      });
    },
    // cuda_dnn.cc: as for a convolution, then the library of recurrent layers. From its source; not watched.
    rnn(process, copy) {
      if (!createDnn(process, copy)) return;
      const major = cudnnMajor(buildOf(process.view, copy)!);
      process.possibly(() => {
        for (const part of major === "8" ? ["adv_infer", "adv_train"] : ["ops", "adv"]) cudnnPart(process, part, major);
      });
    },
    // XLA makes a cuDNN handle for every GPU, whatever it compiles.
    compile: createDnn,
    profile(process, copy) {
      const gpu = gpuSide(process, copy);
      // CUPTI is asked wherever the driver counts a GPU, also when TensorFlow does not use it.
      if (!gpu || driverProblem(process)) return;
      const names = [gpu.names["cupti"]!, "libcupti.so"];
      if (process.ladder(gpu.asker, names) || process.process.pending) return;
      note(
        process,
        names[0]!,
        `Could not load dynamic library '${names[0]}'; dlerror: ${names[0]}: cannot open shared object file: No such file or directory`,
      );
    },
    "train-distributed"(process, copy) {
      const gpu = gpuSide(process, copy);
      // One GPU alone needs no NCCL.
      if (gpu?.era.nccl && !isOnCpu(process)) process.possibly(() => process.ladder(gpu.asker, ["libnccl.so.2"]));
    },
  },
  loadsNothingAt: ["matmul"],
  after: {
    matmul: ["device"],
    convolution: ["device"],
    rnn: ["device"],
    compile: ["device"],
    profile: ["device"],
    "train-distributed": ["device"],
  },
});

// gpu_device.cc: MaybeTryDlopenGPULibraries opens all, even after one was missed.
function device(process: PythonProcess, copy: FrameworkCopy): void {
  const gpu = gpuSide(process, copy);
  if (!gpu) return;
  const { asker, era, names } = gpu;
  process.ladder(asker, ["libcuda.so.1"]);
  const problem = driverProblem(process);
  if (process.process.pending) return;
  if (problem)
    return void process.process.failures.push(driverFailure(process, "tensorflow", { ...problem, message: `${problem.message}${onCpu}` }));
  if (era.describes) {
    const nvml = "libnvidia-ml.so.1";
    if (!process.ladder(asker, [nvml])) return missing(process, [nvml], "no GPU is found, and no message says why");
    if (process.ladder(asker, [names["cudnn"]!])) cudnnPart(process, "graph", cudnnMajor(gpu));
  }
  const wanted = ["cudart", "cublas", "cublasLt", "cufft", ...(era.curand ? ["curand"] : []), "cusolver", "cusparse", "cudnn"];
  const missed = wanted.map((library) => names[library]!).filter((name) => !process.ladder(asker, [name]));
  if (0 < missed.length) missing(process, missed, "Cannot dlopen some GPU libraries. Skipping registering GPU devices...");
}

/** cudnnCreate, then the check of cuda_dnn.cc: same major, at least the minor that it was compiled with. */
function createDnn(process: PythonProcess, copy: FrameworkCopy): boolean {
  const build = buildOf(process.view, copy);
  // Another framework may have brought cuDNN of another major: this one asks for its own.
  const major = build && cudnnMajor(build);
  const library = cudnnFront(process, major);
  if (!build || !library || isOnCpu(process)) return false;
  const part = /\.so\.8/.test(library.fact.soname ?? "") ? "ops_infer" : "graph";
  const first = cudnnPart(process, part, major);
  if (process.process.pending) return false;
  if (!first) {
    const message = "Could not create cudnn handle: its first part is not found";
    note(process, build.names["cudnn"]!, message, { file: library.file, refusal: { kind: "part", library: "cudnn", part } });
    return false;
  }
  // cudnnGetVersion is answered by that part, whichever copy it is of.
  const loaded = cudnnVersion(process, first);
  const compiled = build.cudnn;
  if (loaded === undefined || compiled === undefined) return true;
  const [have, want] = [loaded, compiled].map((version) => version.split(".").map(Number));
  if (have![0] === want![0] && want![1]! <= have![1]!) return true;
  note(
    process,
    build.names["cudnn"]!,
    `Loaded runtime CuDNN library: ${loaded} but source was compiled with: ${compiled}.  CuDNN library needs to have matching major version and equal or higher minor version.`,
    { file: first.file, refusal: { kind: "version", library: "cudnn", required: compiled, found: loaded } },
  );
  return false;
}

// TensorFlow does not stop: it goes on without the GPU, with exit code 0. What would follow on the GPU does not happen.
function note(process: PythonProcess, name: string, message: string, more: Pick<Failure, "file" | "refusal" | "others"> = {}): void {
  const { activity, failures } = process.process;
  // A library that is there may lack one that it needs itself.
  const underlying = process.whyNot(name);
  const { reason = "not-found", tried = [] } = underlying ?? {};
  failures.push({ name, requestedBy: "tensorflow", activity, reason, message, ...more, ...(underlying ? { underlying } : {}), tried });
}

const onCpu = " (TensorFlow falls back to the CPU)";

function missing(process: PythonProcess, names: string[], consequence: string): void {
  if (process.process.pending) return;
  const [first, ...others] = names;
  const said = names.map((name) => `Could not load dynamic library '${name}'`).join("; ");
  note(process, first!, `${said}: ${consequence}${onCpu}`, others.length === 0 ? {} : { others });
}

const isOnCpu = ({ process }: PythonProcess) =>
  process.failures.some(({ requestedBy, activity }) => requestedBy === "tensorflow" && activity === "device");

interface Build {
  era: Era;
  cuda: string;
  /** The exact release of cuDNN; undefined for builds of others, which say no more than its major. */
  cudnn: string | undefined;
  names: { [library: string]: string };
}

/** By the name that it asks for. */
const cudnnMajor = ({ names }: Build) => /\.so\.(\d+)/.exec(names["cudnn"]!)?.[1];

/** How it was built, and the loaded object whose code opens libraries; undefined before that is loaded, and for a build without CUDA. */
function gpuSide(process: PythonProcess, copy: FrameworkCopy): (Build & { asker: LoadedObject }) | undefined {
  const build = buildOf(process.view, copy);
  const asker = build && process.loadedLike(build.era.internal ? "_pywrap_tensorflow_internal.so" : "libtensorflow_framework.so");
  return asker && { ...build, asker };
}

/** tensorflow/python/platform/build_info.py over what is known of the release; undefined for a build without CUDA. */
function buildOf(view: View, { package: found }: FrameworkCopy): Build | undefined {
  const text = textAt(view, buildInfo(found.folder)) ?? "";
  const value = (name: string) => new RegExp(`['"]${name}['"]\\s*[,:]\\s*['"]?([\\w.]+)`).exec(text)?.[1];
  const release = /^\d+\.\d+/.exec(found.version)?.[0] ?? "";
  const era = eras.find(({ from }) => 0 <= compareDotted(release, from)) ?? eras.at(-1)!;
  if (value("is_cuda_build") === "False" || (text === "" && found.name === "tensorflow-cpu")) return undefined;
  const cuda = value("cuda_version") ?? era.cuda;
  const [major, minor] = cuda.split(".");
  const known = sonames[major!];
  if (!known) return undefined;
  const names: { [library: string]: string } = { cudnn: `libcudnn.so.${value("cudnn_version") ?? era.cudnn.split(".")[0]}` };
  // CUPTI of CUDA 11 has the minor in its name.
  for (const [library, suffix] of Object.entries({ cupti: `${major}.${minor}`, ...known })) names[library] = `lib${library}.so.${suffix}`;
  const isOurs = cuda === era.cuda || cuda.startsWith(`${era.cuda}.`);
  return { era, cuda, cudnn: isOurs ? era.cudnn : undefined, names };
}

function cpuOnly(view: View, { package: found }: FrameworkCopy): string | undefined {
  const text = textAt(view, buildInfo(found.folder)) ?? "";
  if (/['"]is_rocm_build['"]\s*[,:]\s*True/.test(text)) return undefined;
  if (/['"]is_cuda_build['"]\s*[,:]\s*False/.test(text)) return `${buildInfo(found.folder)} says: is_cuda_build False`;
  return text === "" && found.name === "tensorflow-cpu" ? "the package is tensorflow-cpu" : undefined;
}

const buildInfo = (folder: string) => `${folder}/tensorflow/python/platform/build_info.py`;

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const build = buildOf(view, copy);
  if (!build) return {};
  const evidence = buildInfo(copy.package.folder);
  const { cuda, cudnn } = build;
  return {
    // What a wheel pins is not always what it was compiled with: 2.14.1 pins cuDNN 8.7.0, and was compiled with 8.6.0.
    ...pinnedVersions(view, copy.package),
    cuda: { version: cuda, evidence },
    ...(cudnn === undefined
      ? {}
      : { cudnn: { version: cudnn, evidence: `tensorflow ${copy.package.version}, when it refuses an older cuDNN` } }),
  };
}
