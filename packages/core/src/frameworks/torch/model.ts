import { kindAt, namesIn, textAt } from "../../survey/python.ts";
import { isCertain } from "../../knowledge/certainty.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import type { View } from "../../resolve/view.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { isX86, kernelsIn } from "../kernels.ts";
import { checkCudnn, cudnnEngines, cudnnFront, cudnnPart, cudnnRecurrent, needCudnnPart } from "../library-habits.ts";
import { pinnedVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

/** A library that torch/__init__.py loads by its path in an NVIDIA wheel, and the releases that do so. */
interface Preload {
  folder: string;
  object: string;
  from: string;
  until?: string;
  /** Passed over where no wheel brings it, and no reason to begin. */
  optional?: true;
}

/** In the order of the file. Read in the wheels of 1.12.1, 1.13.1, 2.1.2, 2.4.1, 2.5.1, 2.6.0, 2.7.1, 2.8.0, 2.9.1, 2.10.0 and 2.11.0 to 2.15.0. */
const preloads: Preload[] = [
  { folder: "cublas", object: "libcublasLt", from: "2.10" },
  { folder: "cublas", object: "libcublas", from: "1.13" },
  { folder: "cudnn", object: "libcudnn", from: "1.13" },
  { folder: "cuda_nvrtc", object: "libnvrtc", from: "2.0" },
  { folder: "cuda_nvrtc", object: "libnvrtc-builtins", from: "2.10" },
  { folder: "cuda_runtime", object: "libcudart", from: "2.0" },
  { folder: "cuda_cupti", object: "libcupti", from: "2.0" },
  { folder: "cufft", object: "libcufft", from: "2.0" },
  { folder: "curand", object: "libcurand", from: "2.0", until: "2.15" },
  { folder: "cusolver", object: "libcusolver", from: "2.0", until: "2.5" },
  { folder: "nvjitlink", object: "libnvJitLink", from: "2.5" },
  { folder: "cusparse", object: "libcusparse", from: "2.0" },
  { folder: "cusparselt", object: "libcusparseLt", from: "2.6" },
  { folder: "cusolver", object: "libcusolver", from: "2.5" },
  { folder: "nccl", object: "libnccl", from: "2.0" },
  { folder: "nvshmem", object: "libnvshmem_host", from: "2.9" },
  { folder: "nvtx", object: "libnvToolsExt", from: "2.0", until: "2.8" },
  { folder: "cufile", object: "libcufile", from: "2.7" },
  { folder: "nvtx", object: "libnvToolsExt", from: "2.9", optional: true },
];

/**
 * What is loaded although nothing was missing. Up to 2.8 only where libcudart came from its wheel for CUDA 11 or 12, then wherever it came
 * from. From 2.14 a library that no wheel brings is passed over; before, it ends the preloading.
 */
const always: { from: string; objects?: string[]; anyRuntime?: true; passesOver?: true }[] = [
  { from: "2.14", anyRuntime: true, passesOver: true },
  { from: "2.10", anyRuntime: true },
  { from: "2.9", objects: ["libnvrtc", "libnvrtc-builtins", "libnvJitLink"], anyRuntime: true },
  { from: "2.6", objects: ["libnvrtc", "libnvJitLink"] },
];

export default defineFramework({
  ...names,
  isLarge: true,
  compiledFor,
  kernels(view, copy) {
    const file = `${copy.package.folder}/torch/lib/libtorch_cuda.so`;
    const cuda = versionPy(view, copy);
    if (cuda === undefined) return undefined;
    // What is known is known of the wheels; Conda and other machines have builds of their own under the same number.
    const known = copy.environment.kind === "conda" || !isX86(view, file) ? undefined : knownRelease(copy, cuda);
    if (known?.exact && known.release.architectures && isCertain(known.release, "architectures"))
      return { architectures: known.release.architectures, evidence: `what is known of torch ${copy.package.version}`, certain: true };
    return kernelsIn(view, file);
  },
  cpuOnly,
  steps: {
    import: importTorch,
    device(process, copy) {
      // The runtime asks for the driver, where cuBLASLt has not brought it yet.
      process.ladder(process.loadedLike("libcudart") ?? process.process.executable, ["libcuda.so.1"]);
      const problem = driverProblem(process);
      if (problem && !process.process.pending) process.stop(driverFailure(process, "torch", problem));
      countWithNvml(process, copy);
    },
    convolution(process, copy) {
      const major = cudnnMajor(process, copy);
      if (major === "8") for (const part of ["ops_infer", "cnn_infer"]) cudnnPart(process, part, major);
      else needCudnnPart(process, "torch", "graph", { major });
      cudnnEngines(process, "torch", major);
    },
    // nn.LSTM, nn.GRU and nn.RNN ask torch.backends.cudnn first, which compares versions; convolutions do not.
    rnn(process, copy) {
      const major = cudnnMajor(process, copy);
      if (major === "8") cudnnPart(process, "ops_infer", major);
      else needCudnnPart(process, "torch", "graph", { major });
      checkRelease(process, copy);
      if (major !== "8") cudnnRecurrent(process, "torch", ["ops", "adv"], major);
      else process.possibly(() => ["adv_infer", "adv_train"].map((part) => cudnnPart(process, part, major)));
    },
    compile: openTriton,
    profile(process) {
      openTriton(process);
      // Kineto does not give CUPTI back when a profile ends (watched on an H200 with 2.11).
      process.process.profiler ??= "torch";
    },
  },
  loadsNothingAt: ["matmul", "train-distributed"],
  after: {
    matmul: ["device"],
    convolution: ["device"],
    rnn: ["device"],
    compile: ["device"],
    profile: ["device", "matmul"],
    "train-distributed": ["device"],
  },
});

/** torch/cuda/__init__.py counts GPUs with NVML since 1.13; since 2.12 only who asks for their number before the first one is used. */
function countWithNvml(process: PythonProcess, copy: FrameworkCopy): void {
  const count = () => void process.ctypes("libnvidia-ml.so.1");
  if (0 <= compareDotted(release(copy), "2.12")) process.possibly(count);
  else if (0 <= compareDotted(release(copy), "1.13")) count();
}

/** The cuDNN that it was built for, where that is loaded, else whichever is. */
function cudnnMajor(process: PythonProcess, copy: FrameworkCopy): string | undefined {
  const front = cudnnFront(process, compiledFor(process.view, copy)["cudnn"]?.version.split(".")[0]);
  return front && (/\.so\.(\d+)/.exec(front.fact.soname ?? front.path)?.[1] ?? "9");
}

/** torch/backends/cudnn/__init__.py, _init. */
function checkRelease(process: PythonProcess, copy: FrameworkCopy): void {
  if (process.view.snapshot.environment["PYTORCH_SKIP_CUDNN_COMPATIBILITY_CHECK"] === "1") return;
  checkCudnn(process, "torch", compiledFor(process.view, copy)["cudnn"]?.version, {
    message: (loaded, compiled) =>
      `cuDNN version incompatibility: PyTorch was compiled  against ${tuple(compiled)} but found runtime version ${tuple(loaded)}.`,
  });
}

function importTorch(process: PythonProcess, copy: FrameworkCopy): void {
  const folder = `${copy.package.folder}/torch`;
  const globalDependencies = `${folder}/lib/libtorch_global_deps.so`;
  const isAt = ({ from, until }: { from: string; until?: string }) =>
    0 <= compareDotted(release(copy), from) && (until === undefined || compareDotted(release(copy), until) < 0);
  const known = preloads.filter((preload) => isAt(preload) && hasWheel(process.view, copy, preload));
  const era = always.find(isAt);
  const opened = process.ctypes(globalDependencies, { global: true });
  if ("failure" in opened) {
    // The message names the library that is missing; torch only tries again when that is one it knows how to find.
    const isKnown = known.some(({ object, optional }) => !optional && opened.failure.message.includes(object));
    if (!isKnown || !preloadWheels(process, copy, known)) process.stop(opened.failure);
    const again = process.ctypes(globalDependencies, { global: true });
    if ("failure" in again) process.stop(again.failure);
  } else if (era && hasRuntime(process, era.anyRuntime)) {
    const builtins = { folder: "cuda_nvrtc", object: "libnvrtc-builtins", from: "2.9" };
    const chosen = era.objects?.map((name) => [...known, builtins].find(({ object }) => object === name)!);
    preloadWheels(process, copy, chosen ?? known, era.passesOver);
  }
  process.extension(folder, "_C", { required: true });
  // 2.0 and 2.1 came with a compiler of their own, which libtorch_cpu opens while it is initialised.
  const fuser = process.loadedLike("libtorch_cpu.so");
  if (fuser && kindAt(process.view, `${folder}/lib/libnvfuser_codegen.so`) === "file") process.ladder(fuser, ["libnvfuser_codegen.so"]);
}

/** libcufile came with CUDA 12.6. */
function hasWheel(view: View, copy: FrameworkCopy, { object }: Preload): boolean {
  return object !== "libcufile" || 0 <= compareDotted(compiledFor(view, copy)["cuda"]?.version ?? "99", "12.6");
}

/** torch looks into /proc/self/maps for it: at real paths. */
function hasRuntime({ process }: PythonProcess, anyRuntime: boolean | undefined): boolean {
  const wanted = anyRuntime ? "libcudart.so" : "nvidia/cuda_runtime/lib/libcudart.so";
  return process.objects.some(({ file }) => file.includes(wanted));
}

// An exception ends the loop; whether it ends the import, too, is for the caller.
function preloadWheels(process: PythonProcess, copy: FrameworkCopy, libraries: Preload[], passesOver = false): boolean {
  // `nvidia/cu13`, where the wheels for CUDA 13 lie, is known since 2.9.
  const major = compareDotted(release(copy), "2.9") < 0 ? undefined : compiledFor(process.view, copy)["cuda"]?.version.split(".")[0];
  const find = ({ folder, object }: Preload) => {
    const places = [`nvidia/${folder}/lib`, ...(major === undefined ? [] : [`nvidia/cu${major}/lib`]), `${folder}/lib`];
    return process.globOnPath(places, new RegExp(`^${object}\\.so\\..*[0-9]$`));
  };
  for (const library of libraries) {
    const file = find(library);
    if (file === undefined && (passesOver || library.optional)) continue;
    if (file === undefined || "failure" in process.ctypes(file)) return false;
  }
  return true;
}

function openTriton(process: PythonProcess): void {
  const folder = process.folders("triton._C")[0];
  if (folder !== undefined) process.extension(folder, "libtriton");
}

const tuple = (version: string) => `(${version.split(".").join(", ")})`;

/** `2.6.0+cu124` is release 2.6.0, and `2.7.0a0+git` comes before it. */
const release = ({ package: { version } }: FrameworkCopy) => /^\d+(?:\.\d+)*/.exec(version)?.[0] ?? "0";

const versionFile = ({ package: { folder } }: FrameworkCopy) => `${folder}/torch/version.py`;

const versionPy = (view: View, copy: FrameworkCopy) =>
  /^cuda\s*(?::[^=]*)?=\s*['"]([\d.]+)['"]/m.exec(textAt(view, versionFile(copy)) ?? "")?.[1];

const knownRelease = ({ package: { version } }: FrameworkCopy, cuda: string) =>
  frameworkRelease("torch", version, `cu${cuda.split(".").slice(0, 2).join("")}`);

function cpuOnly(view: View, copy: FrameworkCopy): string | undefined {
  const text = textAt(view, versionFile(copy)) ?? "";
  // A build for other GPUs has no CUDA either, and is not for processors alone.
  const isForOthers = /^(hip|rocm|xpu)\s*(?::[^=]*)?=\s*['"]/m.test(text);
  if (isForOthers) return undefined;
  if (/^cuda\s*(?::[^=]*)?=\s*None/m.test(text)) return `${versionFile(copy)} says: cuda = None${condaWords(view, copy)}`;
  return text === "" && /\+cpu\b/.test(copy.package.version) ? `its version is ${copy.package.version}` : undefined;
}

/** conda's `cpuonly` makes it choose such builds, and their names say so. */
function condaWords(view: View, { environment: { kind, prefix } }: FrameworkCopy): string {
  const names = kind === "conda" ? (namesIn(view, `${prefix}/conda-meta`) ?? []) : [];
  const why = names.find((name) => /^cpuonly-|^(pytorch|libtorch)-[\d.]+-(.*_)?cpu_/.test(name));
  return why === undefined ? "" : `; conda installed ${why.replace(/\.json$/, "")}`;
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const file = versionFile(copy);
  const cuda = versionPy(view, copy);
  if (cuda === undefined) return pinnedVersions(view, copy.package);
  // Wheels that hold cuDNN themselves pin nothing.
  const known = knownRelease(copy, cuda);
  const cudnn = known?.exact && isCertain(known.release, "cudnn") ? known.release.cudnn : undefined;
  const remembered = cudnn === undefined ? {} : { cudnn: { version: cudnn, evidence: `what is known of torch ${copy.package.version}` } };
  return { ...remembered, ...pinnedVersions(view, copy.package), cuda: { version: cuda, evidence: file } };
}
