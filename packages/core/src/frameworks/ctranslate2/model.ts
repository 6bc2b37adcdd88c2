import { compareDotted } from "../../knowledge/dotted.ts";
import { libraryOf } from "../../knowledge/libraries.ts";
import type { LoadedObject } from "../../resolve/process.ts";
import type { View } from "../../resolve/view.ts";
import { versionInName } from "../../survey/twins.ts";
import { namesIn, packageNamed, textAt } from "../../survey/python.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { cudnnEngines, needCudnnPart } from "../library-habits.ts";
import type { PythonProcess } from "../python-process.ts";
import { Stop } from "../running-process.ts";
import torch from "../torch/model.ts";
import names from "./names.ts";

// Its wheel brings CUDA's runtime inside of libctranslate2 and, up to 4.6.2, the front library of cuDNN under a name of its own. What that front
// opens, and cuBLAS, is searched for by the loader: nothing leads to NVIDIA's wheels.
export default defineFramework({
  ...names,
  compiledFor,
  steps: {
    import(process, copy) {
      process.extension(`${copy.package.folder}/ctranslate2`, "_ext", { required: true });
      const engine = engineOf(process);
      if (engine && 0 <= compareDotted(copy.package.version, "4.2")) process.ladder(engine, ["libmpi.so.40"]);
      importTorch(process, copy);
    },
    device(process) {
      process.ladder(engineOf(process) ?? process.process.executable, ["libcuda.so.1"]);
      const problem = driverProblem(process);
      if (problem && !process.process.pending) process.stop(driverFailure(process, "ctranslate2", problem));
    },
    matmul: openCublas,
    /** Whisper's encoder, and Wav2Vec2's. Watched with cudnnCreate and descriptors, which need no GPU. */
    convolution(process, copy) {
      const front = engineOf(process)?.dependencies?.find(({ file }) => libraryOf(file)?.id === "cudnn");
      // Newer releases make matrix products of them.
      if (!front) return openCublas(process, copy);
      const isOld = /\.so\.8/.test(front.fact.soname ?? front.file);
      for (const part of isOld ? ["ops_infer", "cnn_infer"] : ["graph", "ops", "cnn"])
        needCudnnPart(process, "ctranslate2", part, { major: front });
      if (!isOld) process.possibly(() => cudnnEngines(process, "ctranslate2", front));
    },
  },
  after: { matmul: ["device"], convolution: ["device"] },
});

const engineOf = (process: PythonProcess): LoadedObject | undefined => process.loadedLike("libctranslate2");

function openCublas(process: PythonProcess, copy: FrameworkCopy): void {
  const engine = engineOf(process);
  const name = cublas(copy);
  const opened = engine && process.open(engine, name);
  if (!opened || !("failure" in opened)) return;
  const message = `Library ${name} is not found or cannot be loaded`;
  process.stop({ ...opened.failure, requestedBy: "ctranslate2", message, underlying: opened.failure });
}

/** The name that it opens, in releases for CUDA 11 and for CUDA 12. */
const cublas = ({ package: { version } }: FrameworkCopy) => `libcublas.so.${compareDotted(version, "4") < 0 ? 11 : 12}`;

/**
 * `specs` imports torch where there is one, and forgives it an ImportError; newer releases import `specs` when it is first used. With torch come
 * NVIDIA's wheels: cuBLAS is there then, and of cuDNN the front library alone, which is none of its own.
 */
function importTorch(process: PythonProcess, copy: FrameworkCopy): void {
  const own = textAt(process.view, `${copy.package.folder}/ctranslate2/__init__.py`) ?? "";
  const library = packageNamed(copy.environment, "torch");
  if (!library || !/^from ctranslate2 import (?:\w+, )*specs\b/m.test(own)) return;
  try {
    torch.steps.import?.(process, { package: library, environment: copy.environment });
  } catch (error) {
    // Before its own module is imported torch opens libraries with ctypes, which raises another error.
    if (!(error instanceof Stop) || !process.loadedLike("libtorch_global_deps.so")) throw error;
    process.process.missed.push(process.process.failures.pop()!);
  }
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const { folder, version } = copy.package;
  const libraries = `${folder}/ctranslate2.libs`;
  const front = namesIn(view, libraries)?.find((name) => libraryOf(name)?.id === "cudnn");
  const cudnn = front === undefined ? undefined : versionInName(front);
  const name = cublas(copy);
  return {
    cuda: { version: name.split(".").at(-1)!, evidence: `ctranslate2 ${version} opens ${name}` },
    ...(cudnn === undefined ? {} : { cudnn: { version: cudnn, evidence: `${libraries}/${front}` } }),
  };
}
