import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";

const version = "v?(?<VALUE>\\d{1,3}(?:\\.\\d{1,4}){1,3})(?![\\w.]*\\d)";
const side = (name: string, words: string) =>
  new RegExp(`\\b(?:${words})\\b["'\`]?(?: version| release)?[^\\w\\n]{1,6}${version.replace("VALUE", name)}`, "i");
const wanted = side(
  "wanted",
  "engine|artifact|plan|expected|expects|built with|built for|compiled with|compiled for|compile(?:d|-time)|header|torch|pytorch|package|required|client",
);
const there = side("there", "runtime|got|found|env|environment|actual|loaded|installed|system|linked|library|driver|host");

const owners: [pattern: RegExp, library: string][] = [
  [/\bTensorRT|\bTRT\b/i, "tensorrt"],
  [/\bcuDNN/i, "cudnn"],
  [/\bNCCL/i, "nccl"],
  [/\bcuBLAS/i, "cublas"],
  [/\bCUPTI/i, "cupti"],
];

const differs =
  /\b(?:version|versions|release) (?:mismatch|conflict)|\bmismatch(?:ed)?\b[^\n]{0,30}\bversions?\b|\bversions?\b[^\n]{0,60}\b(?:does not match|do not match|is not compatible with|differs?)\b/i;

/** Two releases that should be one, with words for whose they are: TensorRT version mismatch: engine=8.5 runtime=8.6. */
export default {
  id: "mismatch",
  vague: true,
  literals: ["mismatch", "not match", "not compatible with", "differ", "version conflict"],
  examples: [
    "TensorRT version mismatch: engine=8.5.2, runtime=8.6.1",
    "CUDA version mismatch, `torch` version: 12.1, env version: 11.8",
    "[TensorRT][ERROR] Engine version 0.8.0 is not compatible with the runtime version 0.9.0",
  ],
  read(text) {
    const required = differs.test(text) ? wanted.exec(text)?.groups?.["wanted"] : undefined;
    const found = there.exec(text)?.groups?.["there"];
    if (required === undefined || found === undefined || required === found) return [];
    const library = owners.find(([pattern]) => pattern.test(text))?.[1];
    return library === undefined ? ofCuda(text, required, found) : [{ kind: "version-pair", library, required, found, by: "the program" }];
  },
} satisfies Frame;

const ofCuda = (text: string, required: string, found: string): Draft[] =>
  /\bCUDA\b/i.test(text) && [required, found].every((each) => /^(?:[7-9]|1\d)\.\d/.test(each))
    ? [{ kind: "needs-has", product: "cuda", required, found, relation: "equal", refused: true }]
    : [];
