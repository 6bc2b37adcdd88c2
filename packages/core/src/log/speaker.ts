import { frameworkNames } from "../model/framework-names.generated.ts";
import type { Fact, Facts } from "./fact.ts";

// Notices are named after who prints them.
const printed: { [prefix: string]: string } = {
  tf: "tensorflow",
  torch: "torch",
  kineto: "torch",
  jax: "jax",
  ort: "onnxruntime",
  cupy: "cupy",
  numba: "numba",
  bnb: "bitsandbytes",
  triton: "triton",
};

// Words that only logs and callers of one framework have; a bare "torch" may be a folder.
const words: [id: string, pattern: RegExp][] = [
  ["tensorflow", /tensorflow|\bTF-TRT\b|\btf\.(?:config|test|profiler|keras)\b|local_(?:xla|tsl)\//i],
  ["torch", /\bpytorch\b|\btorch[._/\\]|\bimport torch\b|libtorch|libc10|\bKineto\b/i],
  ["jax", /\bjax(?:lib|_plugins)?\b/i],
  ["onnxruntime", /onnxruntime|onnx runtime/i],
  ["cupy", /\bcupy/i],
  ["numba", /\bnumba\b/i],
];

// What only TensorFlow has: its own sources, and code that calls it. XLA's lines are those of JAX as well.
const tensorflowItself =
  /(?<!external\/org_tensorflow\/|external\/)\btensorflow\/(?:core|python|compiler|c)\/|external\/local_(?:xla|tsl)\/|\bimport tensorflow|\btf\.\w|\btensorflow[ =]/i;
const jaxItself = /\bjax(?:lib|_plugins|_cuda\w{1,20})?\b|\bPJRT\b/i;

/** XLA speaks in TensorFlow's words in either; where only JAX is there, it is JAX that does not find or cannot use something. */
export function inItsOwnName(list: Fact[]): Fact[] {
  return ofTensorflow(ofJax(asComplaints(list)));
}

const blamed: [id: string, pattern: RegExp][] = [
  ["torch", /\b(?:py)?torch\b/i],
  ["tensorflow", /\btensorflow\b|\btf\b/i],
];

// "PyTorch does not see my GPU" says of PyTorch what it would say itself, unless it says something else.
function asComplaints(list: Fact[]): Fact[] {
  const sees = (id: string) => list.some((fact) => fact.kind === "available" && fact.by === id && fact.value);
  return list.map((fact) => {
    if (fact.kind !== "notice" || fact.id !== "gpu-not-seen") return fact;
    const [one, ...others] = blamed.filter(([, pattern]) => pattern.test(fact.at.text));
    return one === undefined || 0 < others.length || sees(one[0]) ? fact : { kind: "available", by: one[0], value: false, at: fact.at };
  });
}

// "Cuda available: False" is a line of nobody's: where only TensorFlow is spoken of, it is TensorFlow's.
function ofTensorflow(list: Fact[]): Fact[] {
  const isBare = (fact: Fact): fact is Fact<"available"> =>
    fact.kind === "available" && fact.by === "torch" && !/torch/i.test(fact.at.text);
  if (!list.some(isBare)) return list;
  const named = (id: string) => list.some((fact) => fact.kind === "framework" && fact.id === id);
  if (!named("tensorflow") || named("torch") || list.some(({ at }) => /torch/i.test(at.text))) return list;
  return list.map((fact) => (isBare(fact) ? { ...fact, by: "tensorflow" } : fact));
}

function ofJax(list: Fact[]): Fact[] {
  const isShared = (fact: Fact): fact is Fact<"not-found" | "unable-to-load" | "gpu-unsupported" | "version-pair"> =>
    (fact.kind === "not-found" || fact.kind === "unable-to-load" || fact.kind === "gpu-unsupported" || fact.kind === "version-pair") &&
    fact.by === "tensorflow";
  if (!list.some(isShared) || !isOfJax(list)) return list;
  return list.map((fact) => (isShared(fact) ? { ...fact, by: "jax" } : fact));
}

function isOfJax(list: Fact[]): boolean {
  const named = (id: string) =>
    list.some(
      (fact) =>
        (fact.kind === "framework" && fact.id === id) ||
        (fact.kind === "package" && fact.name.startsWith(id)) ||
        (fact.kind === "traceback" && fact.package.startsWith(id)),
    );
  const says = (pattern: RegExp) => list.some(({ at }) => pattern.test(at.text));
  return (named("jax") || says(jaxItself)) && !named("tensorflow") && !says(tensorflowItself);
}

const known = (id: string | undefined) => (frameworkNames.some((names) => names.id === id) ? id : undefined);

/**
 * The framework that a text is about, by the name that `--for` takes; undefined where none or several can be told. What somebody says of
 * himself counts before the package in whose files it happened, and that before what is only mentioned.
 */
export function speakerOf(facts: Facts): string | undefined {
  const own = [...facts.all("version-pair"), ...facts.all("unable-to-load"), ...facts.all("not-found"), ...facts.all("gpu-unsupported")]
    .map(({ by }) => known(by))
    .find((id) => id !== undefined);
  if (own === "tensorflow" && isOfJax(facts.everything())) return "jax";
  if (own !== undefined) return own;
  const traced = facts
    .all("traceback")
    .toReversed()
    .map(({ package: name }) => frameworkNames.find(({ modules }) => modules.includes(name))?.id)
    .find((id) => id !== undefined);
  if (traced !== undefined) return traced;
  return (
    only(facts.all("voice").map(({ id }) => known(id))) ??
    only(facts.all("notice").map(({ id }) => printed[id.split("-")[0]!])) ??
    only([...facts.all("available").map(({ by }) => known(by)), ...facts.all("framework").map(({ id }) => known(id))]) ??
    only(mentioned(facts))
  );
}

const only = (ids: (string | undefined)[]): string | undefined => {
  const found = [...new Set(ids.filter((id) => id !== undefined))];
  return found.length === 1 ? found[0] : undefined;
};

function mentioned(facts: Facts): string[] {
  const texts = [...new Set(facts.everything().map(({ at }: Fact) => at.text))];
  return words.filter(([, pattern]) => texts.some((text) => pattern.test(text))).map(([id]) => id);
}
