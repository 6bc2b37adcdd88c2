// What NVIDIA's libraries load by themselves, whoever loaded them. Watched with LD_DEBUG on a real machine (CUDA 13.0, cuDNN 9.19).
import { nameOf } from "../lib/path.ts";
import type { LoadedObject } from "../resolve/process.ts";
import type { PythonProcess } from "./python-process.ts";

/** While it is initialised, before any function is called. */
export function onLoaded(process: PythonProcess, object: LoadedObject): void {
  const name = nameOf(object.path);
  // cuBLASLt looks for the driver from its constructor, and does without it.
  if (name.startsWith("libcublasLt.so")) process.ladder(object, ["libcuda.so.1"]);
}

/** The parts of cuDNN 9 that each activity brings in, and which of the two front libraries asks for them. */
const askedByGraph = new Set(["engines_precompiled", "engines_runtime_compiled", "heuristic", "engines_tensor_ir"]);

/**
 * A part of cuDNN 9, as libcudnn or libcudnn_graph asks for it: the full version first, then major.minor, then the major.
 * The version is that of the library that asks. undefined when no name leads to a usable file.
 */
export function cudnnPart(process: PythonProcess, part: string): LoadedObject | undefined {
  const front = process.loadedLike(askedByGraph.has(part) ? "libcudnn_graph.so" : "libcudnn.so");
  if (!front) return undefined;
  const version = cudnnVersion(process, front);
  const major = /\.so\.(\d+)/.exec(front.fact.soname ?? nameOf(front.path))?.[1] ?? "9";
  const names = version === undefined ? [] : [version, version.split(".").slice(0, 2).join(".")];
  return process.ladder(
    front,
    [...names, major].map((suffix) => `libcudnn_${part}.so.${suffix}`),
  );
}

/** From the file's real name, or the wheel it came with, or the constant in the graph library beside it. */
export function cudnnVersion(process: PythonProcess, object: LoadedObject): string | undefined {
  const named = /\.so\.(\d+\.\d+\.\d+)$/.exec(object.file)?.[1];
  if (named !== undefined) return named;
  const owner = process.environment.packages.find(
    ({ name, folder }) => /^nvidia-cudnn-cu\d+$/.test(name) && object.file.startsWith(`${folder}/nvidia/cudnn/`),
  );
  return owner?.version.split(".").slice(0, 3).join(".");
}
