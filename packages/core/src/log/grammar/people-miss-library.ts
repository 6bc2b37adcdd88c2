import type { Frame } from "../frame.ts";
import { not, sentencesOf, titles, wished, type Sentence } from "../sentence.ts";

const open =
  /\b(?:load(?:s|ed|ing)?|find(?:s|ing)?|found|open(?:s|ed|ing)?|locat(?:e|es|ed|ing)|detect(?:s|ed|ing)?|see(?:s|n)?|import(?:s|ed|ing)?|there|installed)\b/i;
const absent = /\b(?:missing|absent|lacks?|lacking|where (?:do|can) I get|where is)\b/i;
const file = /(?<![\w./-])(?<name>lib[a-z][\w+-]{2,60}\.so(?:\.\d{1,4}){0,4}|(?:cu|nv)[a-z_]{2,30}\d{2}_[\d._]{1,12}\.dll)(?![\w-]|\.\w)/i;
const cudaLibraries = /\bCUDA (?:runtime )?librar(?:y|ies)\b/i;

// Whoever speaks of releases has the library.
const ofEngines = /\bengines?\b|\.(?:engine|plan)\b/i;
const ofVersions = /\b(?:mismatch\w{0,3}|incompatib\w{2,6}|compatible|different|wrong|older|newer|instead|conflict\w{0,3}|versions? of)\b/i;

const isMissed = ({ near, has }: Sentence, what: RegExp): boolean =>
  !has(wished) && (near(70, not, open, what) || near(40, absent, what)) && !has(/\boptional\b|\bskip/i);

const sonames: { [title: string]: string } = {
  cublaslt: "libcublasLt.so",
  cusparselt: "libcusparseLt.so",
  nvjitlink: "libnvJitLink.so",
  tensorrt: "libnvinfer.so",
  nvml: "libnvidia-ml.so.1",
};

function missed(sentence: Sentence): string | undefined {
  const name = sentence.find(file)?.["name"];
  if (name !== undefined) return isMissed(sentence, file) ? name : undefined;
  if (sentence.has(ofVersions) || sentence.has(ofEngines)) return undefined;
  const title = sentence.find(titles)?.["title"]?.toLowerCase();
  if (title !== undefined && isMissed(sentence, titles)) return sonames[title] ?? `lib${title}.so`;
  return isMissed(sentence, cudaLibraries) ? "libcudart.so" : undefined;
}

/** Somebody says that a library is not found or not loaded, in whatever order of words. */
export default {
  id: "people-miss-library",
  vague: true,
  literals: [
    ".so",
    ".dll",
    "cudnn",
    "cupti",
    "cublas",
    "cufft",
    "cusparse",
    "cusolver",
    "nccl",
    "nvrtc",
    "tensorrt",
    "nvinfer",
    "cudart",
    "cuda librar",
  ],
  examples: [
    "Why can't TensorBoard Profiler load libcupti.so.11.2?",
    "libcudnn.so.8 is missing on my machine, where do I get it?",
    "bitsandbytes can't find CUDA libraries",
  ],
  read: (text) =>
    sentencesOf(text).flatMap((sentence) => {
      const name = missed(sentence);
      return name === undefined ? [] : [{ kind: "not-found" as const, name, by: "said" }];
    }),
} satisfies Frame;
