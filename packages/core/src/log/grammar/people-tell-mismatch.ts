import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { sentencesOf, spokenOf, titles, wished, type Sentence } from "../sentence.ts";

const apart =
  /\b(?:mismatch(?:e[sd])?|incompatib(?:le|ility|ilities)|different (?:\w{3,12} )?(?:versions?|releases?)|wrong (?:version|release|copy|one)?|conflict(?:s|ing)?|do(?:es)?(?: not|n['’]t) match|version (?:problem|issue|error|conflict)s?|newer version of|too old|outdated|older (?:lib)?(?:cupti|cudnn|nccl|tensorrt)|older version|another version|not the (?:right|same|correct))\b/i;
const searchPath = /\bLD_LIBRARY_PATH\b/;
const many = /\b(?:two|both|multiple|several|2)\b(?: \w{2,12}){0,2} (?:versions?|copies|installations?|installs)\b/i;
const loaded = /\b(?:load(?:ed|s|ing)?|process|mapped|linked)\b/i;
const numbered = /\b(?:cudnn|cupti|nccl|tensorrt) ?v?\d/i;

// "looks for cudnn 8 but I have cudnn 9": both are named, and one of them is wanted.
const pair =
  /\b(?:looks? for|looking for|needs?|requires?|wants?|expects?|asks? for|built (?:for|with|against)|compiled (?:for|with|against))\b[^\n]{0,20}?\b(?:lib)?(?<library>cudnn|cupti|nccl|tensorrt|cublas)[ -]?(?:version )?v?(?<required>\d{1,2}(?:\.\d{1,2}){0,2})\b[^\n]{0,50}?\b(?:but|and|while|whereas|though)\b[^\n]{0,50}?(?:\b(?:lib)?\k<library>[ -]?)?(?:version )?\bv?(?<found>\d{1,2}(?:\.\d{1,2}){0,2})\b/i;

// "the version of cuda being 11.7 and not 11.8": what is there, and what was wanted.
const andNot =
  /\b(?<what>cuda|cudnn)\b(?: version)?(?: \w{2,10}){0,2} (?:being|is|was|as|at)(?: still| only)? v?(?<found>\d{1,2}\.\d{1,2})(?:,? (?:and|but) not|,? instead of|,? rather than|,? not) (?:v|\k<what> )?(?<required>\d{1,2}\.\d{1,2})\b/i;

function oneAndNotTheOther({ find }: Sentence): Draft[] {
  const { what, found, required } = find(andNot) ?? {};
  if (found === undefined || required === undefined || found === required) return [];
  return /cudnn/i.test(what!)
    ? [{ kind: "version-pair", library: "cudnn", required, found, by: "the program" }]
    : [{ kind: "needs-has", product: "cuda", required, found, relation: "equal", refused: true }];
}

// "libcudnn.so.8 is 8.9.7, but libcudnn_cnn_infer.so.8 is 8.2.1": parts of two releases.
const part = /\blibcudnn(?<part>_\w{3,20})?\.so[\d.]{0,10}[^\n,;]{0,40}?\b(?<version>[5-9]\.\d{1,2}\.\d{1,2})\b/gi;
function partsOfCudnn({ text }: Sentence): Draft[] {
  const parts = [...text.matchAll(part)].slice(0, 4).map(({ groups }) => groups!);
  const [first, other] = [parts[0], parts.find((each) => each["part"] !== parts[0]!["part"] && each["version"] !== parts[0]!["version"])];
  return first && other ? [{ kind: "notice", id: "cudnn-parts-told", required: first["version"]!, found: other["version"]! }] : [];
}

function draftsOf(sentence: Sentence): Draft[] {
  const parts = partsOfCudnn(sentence);
  if (0 < parts.length) return parts;
  const apart_ = oneAndNotTheOther(sentence);
  if (0 < apart_.length) return apart_;
  if (sentence.has(wished)) return [];
  const told = [...numbersOf(sentence), ...partsOfJax(sentence)];
  const title = sentence.find(titles)?.["title"]?.toLowerCase();
  return 0 < told.length
    ? told
    : [...(title === undefined ? [] : ofLibrary(sentence, title)), ...ofFrameworks(sentence, title)].slice(0, 1);
}

// "since 0.4.32 of jax-cuda12-plugin an older jax or jaxlib ends in a segmentation fault".
const jaxPart = /\bjax[-_]cuda1\d[-_](?:pjrt|plugin)\b/i;
const jaxOther = /\b(?:older|newer|different|another|other|previous)\b[^\n.;]{0,24}\b(?:jax|jaxlib)\b/i;
const fails = /\b(?:segfaults?|segmentation fault|crash(?:es|ed)?|fail(?:s|ed)?|error|breaks?|incompatible)\b/i;

function partsOfJax({ has, find }: Sentence): Draft[] {
  if (!has(jaxPart) || !has(jaxOther) || !has(fails)) return [];
  const version = find(/\b(?<version>0\.\d{1,2}\.\d{1,3})\b/)?.["version"];
  return [{ kind: "notice", id: "jax-parts-apart", ...(version === undefined ? {} : { found: version }) }];
}

function numbersOf(sentence: Sentence): Draft[] {
  const { library, required, found } = sentence.find(pair) ?? {};
  if (library === undefined || required!.split(".")[0] === found!.split(".")[0]) return [];
  const by = spokenOf(sentence)[0] ?? "the program";
  return [{ kind: "version-pair", library: library.toLowerCase(), required: required!, found: found!, by }];
}

function ofLibrary(sentence: Sentence, title: string): Draft[] {
  const isApart = sentence.near(80, apart, titles);
  if (sentence.has(searchPath) && isApart) return [{ kind: "notice", id: "said-shadowed", subject: title }];
  if (sentence.near(90, many, titles, loaded)) return [{ kind: "notice", id: "two-copies-told", subject: title }];
  const isAsked =
    /^(?:cupti|cudnn|nvjpeg|nccl|tensorrt|cutensor)$/.test(title) && isApart && !sentence.has(numbered) && spokenOf(sentence).length < 2;
  return isAsked ? [{ kind: "notice", id: "said-mismatch", subject: title }] : [];
}

function ofFrameworks(sentence: Sentence, title: string | undefined): Draft[] {
  const speakers = spokenOf(sentence);
  const isApart = sentence.near(80, apart, titles) || sentence.near(60, apart, /\bnvidia-\w{3,20}-cu\d{2}\b|\bCUDA\b/i);
  return 1 < speakers.length && isApart
    ? [{ kind: "notice", id: "frameworks-apart", subject: speakers.join(" "), ...(title === undefined ? {} : { found: title }) }]
    : [];
}

/** Somebody says that a library is of another release than it should be, that two of it are there, or that two frameworks want two. */
export default {
  id: "people-tell-mismatch",
  vague: true,
  literals: [
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
    "nvidia-",
    "nvjpeg",
    "cutensor",
    "jax-cuda",
    "jax_cuda",
    "and not 1",
    "instead of 1",
    "rather than 1",
    ", not 1",
  ],
  examples: [
    "We have libcudnn.so.8 from apt (8.9.7) but libcudnn_cnn_infer.so.8 comes from conda (8.2.1)",
    "Is a mismatch between the loaded and compiled CuDNN versions affecting Google Colab's runtime?",
    "onnxruntime-gpu looks for cudnn 8 but I have cudnn 9",
    "my LD_LIBRARY_PATH makes pytorch load the wrong cudnn",
    "Why are two versions of libcudart loaded into the same process?",
    "Since version 0.4.32 of jax-cuda12-pjrt and jax-cuda12-plugin an older version of jax ends in a segfault",
    "JAX was still complaining about the version of cuda being 11.7 and not 11.8",
    "JAX and PyTorch need different versions of cuDNN in the same environment",
  ],
  read: (text) => sentencesOf(text).flatMap(draftsOf),
} satisfies Frame;
