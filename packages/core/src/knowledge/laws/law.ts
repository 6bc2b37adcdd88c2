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
} from "../../model/knowledge.ts";

/** All that is known, by subject: what laws speak about together. Others have only the laws of every row. */
export interface KnowledgeFiles {
  "cuda-toolkits": CudaToolkits;
  cudnn: Cudnn;
  gpus: Gpus;
  packages: Packages;
  wheels: Wheels;
  colab: Colab;
  "frameworks/torch": Torch;
  "frameworks/tensorflow": TensorFlow;
  "frameworks/jax": Jax;
  "frameworks/cupy": CuPy;
  "frameworks/onnxruntime": OnnxRuntime;
  "frameworks/triton": Triton;
  /** Not part of the program. */
  "error-codes"?: ErrorCodes;
}

/** What must hold for the facts, whoever adds them: in this repository, and in what users bring. */
export interface Law {
  says: string;
  /** In words, what does not keep it. */
  broken: (files: KnowledgeFiles, today: string) => string[];
}

type Row = Sourced & { [field: string]: unknown };

/** The lists of facts of a file, by name. */
export const listsOf = (file: unknown): [list: string, rows: Row[]][] =>
  Object.entries(file as object).filter((entry): entry is [string, Row[]] => Array.isArray(entry[1]));

/** Every fact, with its place. */
export const factsOf = (files: KnowledgeFiles): { subject: string; list: string; place: string; row: Row }[] =>
  Object.entries(files).flatMap(([subject, file]) =>
    listsOf(file).flatMap(([list, rows]) => rows.map((row, index) => ({ subject, list, place: `${subject} ${list} ${index + 1}`, row }))),
  );

export const sourcesIn = (files: KnowledgeFiles): [subject: string, sources: KnowledgeFile["sources"]][] =>
  Object.entries(files).map(([subject, file]) => [subject, (file as KnowledgeFile).sources]);

type AnyRelease = { id: string; row: Sourced & { version: string; wheels?: Wheel[] } };

/** Every release of a framework that can have builds. */
export const releasesIn = (files: KnowledgeFiles): AnyRelease[] =>
  (["torch", "tensorflow", "jax", "cupy", "onnxruntime"] as const).flatMap((id) =>
    files[`frameworks/${id}`].releases.map((row) => ({ id, row })),
  );

/** Every wheel that was read, wherever it is kept. */
export const wheelsIn = (files: KnowledgeFiles): Wheel[] => [
  ...files.wheels.wheels,
  ...[...releasesIn(files).map(({ row }) => row), ...files["frameworks/triton"].releases].flatMap(({ wheels = [] }) => wheels),
];

/** The first that is less than the one before it. */
export function outOfOrder(values: string[], compare: (a: string, b: string) => number): string[] {
  const at = values.findIndex((value, index) => 0 < index && 0 < compare(values[index - 1]!, value));
  return at < 0 ? [] : [`${values[at]} comes after ${values[at - 1]}`];
}

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const twice = (keys: string[]): string[] => keys.filter((key, index) => keys.indexOf(key) !== index);
