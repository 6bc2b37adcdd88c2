import { readFileSync, readdirSync } from "node:fs";
import type {
  Colab,
  CudaToolkits,
  Cudnn,
  CuPy,
  ErrorCodes,
  Gpus,
  Jax,
  KnowledgeFile,
  OnnxRuntime,
  Packages,
  Sourced,
  TensorFlow,
  Torch,
  Triton,
  Wheel,
  Wheels,
} from "../../packages/core/src/model/knowledge.ts";

const read = <T>(name: string) => JSON.parse(readFileSync(`knowledge/${name}.json`, "utf8")) as T;

export const toolkits = read<CudaToolkits>("cuda-toolkits");
export const cudnn = read<Cudnn>("cudnn");
export const gpus = read<Gpus>("gpus");
export const packages = read<Packages>("packages");
export const wheels = read<Wheels>("wheels");
export const errorCodes = read<ErrorCodes>("error-codes");
export const colab = read<Colab>("colab");

export const torch = read<Torch>("frameworks/torch");
export const tensorflow = read<TensorFlow>("frameworks/tensorflow");
export const jax = read<Jax>("frameworks/jax");
export const cupy = read<CuPy>("frameworks/cupy");
export const onnxruntime = read<OnnxRuntime>("frameworks/onnxruntime");
export const triton = read<Triton>("frameworks/triton");

/** Every file of knowledge but those of libraries, which have a shape and tests of their own. */
export const names = readdirSync("knowledge", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json") && !name.startsWith("libraries/"))
  .map((name) => name.slice(0, -5))
  .sort();

export const file = (name: string) => read<KnowledgeFile & { [list: string]: (Sourced & { [field: string]: unknown })[] }>(name);

/** The lists of facts of a file, by name. */
export function listsOf(name: string): [list: string, facts: (Sourced & { [field: string]: unknown })[]][] {
  return Object.entries(file(name)).filter((entry): entry is [string, Sourced[] & never] => Array.isArray(entry[1]));
}

/** Every wheel that was read, with where it is kept. */
export const allWheels: Wheel[] = [
  ...wheels.wheels,
  ...[torch, tensorflow, jax, cupy, onnxruntime, triton].flatMap(({ releases }) => releases.flatMap((release) => release.wheels ?? [])),
];
