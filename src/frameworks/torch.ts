import { textAt } from "../collect/python.ts";
import type { View } from "../resolve/view.ts";
import { driverProblem } from "./driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "./framework.ts";
import { cudnnPart } from "./library-habits.ts";
import { pinnedVersions } from "./pins.ts";
import type { PythonProcess } from "./python-process.ts";

/** torch/__init__.py, _preload_cuda_deps: wheel folder and object, in the order that matters. */
const preloads: [folder: string, object: string][] = [
  ["cublas", "libcublasLt"],
  ["cublas", "libcublas"],
  ["cudnn", "libcudnn"],
  ["cuda_nvrtc", "libnvrtc"],
  ["cuda_nvrtc", "libnvrtc-builtins"],
  ["cuda_runtime", "libcudart"],
  ["cuda_cupti", "libcupti"],
  ["cufft", "libcufft"],
  ["curand", "libcurand"],
  ["nvjitlink", "libnvJitLink"],
  ["cusparse", "libcusparse"],
  ["cusparselt", "libcusparseLt"],
  ["cusolver", "libcusolver"],
  ["nccl", "libnccl"],
  ["nvshmem", "libnvshmem_host"],
  ["cufile", "libcufile"],
];

export default defineFramework({
  id: "torch",
  packages: ["torch"],
  verified: /^2\.11\./,
  compiledFor,
  steps: {
    import: importTorch,
    device(process) {
      process.ctypes("libcuda.so.1", { onlyLoaded: true });
      const problem = driverProblem(process);
      if (problem && !process.process.pending) {
        const { activity } = process.process;
        process.stop({
          name: "libcuda.so.1",
          requestedBy: "torch",
          activity,
          reason: "not-found",
          message: problem.message,
          ...(problem.file === undefined ? {} : { file: problem.file }),
          tried: [],
        });
      }
      process.ctypes("libnvidia-ml.so.1");
    },
    convolution(process) {
      for (const part of ["graph", "engines_precompiled", "heuristic", "engines_runtime_compiled"]) cudnnPart(process, part);
    },
  },
  after: {
    matmul: ["device"],
    convolution: ["device"],
    compile: ["device"],
    profile: ["device", "matmul"],
    "train-distributed": ["device"],
  },
});

function importTorch(process: PythonProcess, copy: FrameworkCopy): void {
  const folder = `${copy.package.folder}/torch`;
  const globalDependencies = `${folder}/lib/libtorch_global_deps.so`;
  const opened = process.ctypes(globalDependencies, { global: true });
  if ("failure" in opened) {
    // The message names the library that is missing; torch only tries again when that is one it knows how to find.
    const known = preloads.some(([, object]) => opened.failure.message.includes(object));
    if (!known || !preloadWheels(process, cudaMajor(process.view, copy))) process.stop(opened.failure);
    const again = process.ctypes(globalDependencies, { global: true });
    if ("failure" in again) process.stop(again.failure);
  } else if (process.loadedLike("libcudart.so")) preloadWheels(process, cudaMajor(process.view, copy));
  process.extension(folder, "_C", { required: true });
}

// Every exception of the loop is swallowed: the first library that no wheel on sys.path brings ends it.
function preloadWheels(process: PythonProcess, major: string | undefined): boolean {
  for (const [folder, object] of preloads) {
    const places = [`nvidia/${folder}/lib`, ...(major === undefined ? [] : [`nvidia/cu${major}/lib`]), `${folder}/lib`];
    const file = process.globOnPath(places, new RegExp(`^${object}\\.so\\..*[0-9]$`));
    if (file === undefined) return false;
    const opened = process.ctypes(file);
    if ("failure" in opened) return false;
  }
  return true;
}

function cudaMajor(view: View, copy: FrameworkCopy): string | undefined {
  return compiledFor(view, copy)["cuda"]?.version.split(".")[0];
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const file = `${copy.package.folder}/torch/version.py`;
  const cuda = /^cuda\s*(?::[^=]*)?=\s*['"]([\d.]+)['"]/m.exec(textAt(view, file) ?? "")?.[1];
  return { ...pinnedVersions(view, copy.package), ...(cuda === undefined ? {} : { cuda: { version: cuda, evidence: file } }) };
}
