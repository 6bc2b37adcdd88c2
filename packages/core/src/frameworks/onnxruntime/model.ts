import { sizeSaidBy } from "../../survey/owners.ts";
import { extensionIn, kindAt, packageNamed, textAt } from "../../survey/python.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import type { Failure } from "../../model/loads.ts";
import type { View } from "../../resolve/view.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { cudnnPart } from "../library-habits.ts";
import { neededVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import { Stop } from "../running-process.ts";
import names from "./names.ts";

// Providers are libraries beside the extension module, opened by their paths; what they need of CUDA is in their DT_NEEDED, without any
// search path of their own. `onnxruntime.preload_dlls()` would fetch it from NVIDIA's wheels, but only a program that calls it gets that.
export default defineFramework({
  ...names,
  compiledFor,
  kernels: (view, copy) => kernelsIn(view, cudaProvider(copy)),
  cpuOnly,
  steps: {
    import(process, copy) {
      const main = process.extension(providers(copy), "onnxruntime_pybind11_state", { required: true });
      if (main) process.ladder(main, [asked(copy, "shared")], { global: true });
    },
    /** A session that asks for the CUDA provider. */
    device(process, copy) {
      if (cpuOnly(process.view, copy) !== undefined) return;
      const main = process.extension(providers(copy), "onnxruntime_pybind11_state");
      const opened = process.open(main ?? process.process.executable, asked(copy, "cuda"));
      if ("failure" in opened) fallBack(process, opened.failure);
      const problem = driverProblem(process);
      if (!problem || process.process.pending) return;
      // Watched with 1.22.0, all its libraries and no driver: the session does not fall back, the process dies.
      if (problem.refusal.kind === "no-driver" && copy.package.version.startsWith("1.22."))
        process.stop(
          driverFailure(process, "onnxruntime", { ...problem, message: `${problem.message}; the session ends with a segmentation fault` }),
        );
      fallBack(process, driverFailure(process, "onnxruntime", problem));
    },
    convolution(process) {
      process.possibly(() => {
        for (const part of ["graph", "ops", "cnn", "engines_precompiled", "heuristic", "engines_runtime_compiled"])
          cudnnPart(process, part);
      });
    },
  },
  calls: { preload },
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

/** onnxruntime/__init__.py, preload_dlls, of builds for CUDA 12: by their paths below site-packages, and those that are not there by their names. */
const preloaded = [
  ["cublas", "libcublasLt.so.12"],
  ["cublas", "libcublas.so.12"],
  ["cuda_nvrtc", "libnvrtc.so.12"],
  ["curand", "libcurand.so.10"],
  ["cufft", "libcufft.so.11"],
  ["cuda_runtime", "libcudart.so.12"],
  ["cudnn", "libcudnn.so.9"],
] as const;

function preload(process: PythonProcess, copy: FrameworkCopy): void {
  if (compareDotted(copy.package.version, "1.21") < 0 || !compiledFor(process.view, copy)["cuda"]?.version.startsWith("12.")) return;
  const left = preloaded.filter(([folder, name]) => {
    const path = `${copy.package.folder}/nvidia/${folder}/lib/${name}`;
    return kindAt(process.view, path) !== "file" || !("object" in process.ctypes(path));
  });
  for (const [, name] of left) process.ctypesLadder([name]);
}

const providers = ({ package: { folder } }: FrameworkCopy) => `${folder}/onnxruntime/capi`;
/** By its path since 1.24; before, by its name alone, so that LD_LIBRARY_PATH comes before the module's own folder. */
const asked = (copy: FrameworkCopy, provider: string) =>
  `${compareDotted(copy.package.version, "1.24") < 0 ? "" : `${providers(copy)}/`}libonnxruntime_providers_${provider}.so`;
const cudaProvider = (copy: FrameworkCopy) => `${providers(copy)}/libonnxruntime_providers_cuda.so`;

// ONNX Runtime does not stop: it logs a warning and the session runs on the processor.
function fallBack({ process }: PythonProcess, reason: Failure): never {
  const message = `Failed to create CUDAExecutionProvider: ${reason.message} (the session falls back to the CPU)`;
  process.failures.push({ ...reason, requestedBy: "onnxruntime", message, underlying: reason });
  throw new Stop(message);
}

function cpuOnly(view: View, copy: FrameworkCopy): string | undefined {
  // Of the package with CUDA such a file can only be lost.
  if (copy.package.name === "onnxruntime")
    return kindAt(view, cudaProvider(copy)) === "none" ? `it has no ${cudaProvider(copy)}` : undefined;
  // Both packages fill one folder: whichever came last brought the module that knows, or does not know, of CUDA.
  const plain = packageNamed(copy.environment, "onnxruntime");
  const module = extensionIn(view, copy.environment, providers(copy), "onnxruntime_pybind11_state");
  if (!plain || plain === copy.package || plain.folder !== copy.package.folder || module === undefined) return undefined;
  const at = view.lookup(module);
  const here = "found" in at && at.entry.kind === "file" ? at.entry.size : undefined;
  const [ours, theirs] = [copy.package, plain].map((each) => sizeSaidBy(view, each, module));
  if (here === undefined || here !== theirs || here === ours) return undefined;
  return `onnxruntime ${plain.version} was installed over ${copy.package.name} ${copy.package.version}: ${module} is of the package without CUDA (${theirs} bytes, not ${ours})`;
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const file = `${providers(copy)}/build_and_package_info.py`;
  const cuda = /^cuda_version\s*=\s*['"]([\d.]+)['"]/m.exec(textAt(view, file) ?? "")?.[1];
  const tensorrt = neededVersions(view, `${providers(copy)}/libonnxruntime_providers_tensorrt.so`)["tensorrt"];
  return {
    ...neededVersions(view, cudaProvider(copy)),
    ...(tensorrt ? { tensorrt } : {}),
    ...(cuda === undefined ? {} : { cuda: { version: cuda, evidence: file } }),
  };
}
