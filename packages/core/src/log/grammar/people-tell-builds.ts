import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { gpu, not, persons, sentencesOf, spokenOf, wished, type Sentence } from "../sentence.ts";

const supported = /\b(?:support(?:s|ed|ing)?|compatible|work(?:s|ing)?|compiled for|built for)\b/i;
const refused = /\b(?:unsupported|incompatible|too (?:old|new))\b/i;
const architecture = /\b(?:sm|compute)_?(?<sm>\d{2,3})\b/i;
const card = /\b(?<gpu>(?:RTX|GTX) ?A?\d{3,4}(?: ?Ti| SUPER)?|(?:Tesla )?[KPVTAHLB]\d{2,3}|GB?200)\b/i;
const compiler = /\bnvcc\b|\bCUDA toolkit\b/i;
const hostCompiler = /\b(?:gcc|g\+\+|clang|MSVC|Visual Studio)(?:[ -]?v?\d{1,4}(?:\.\d{1,2})?)?\b/i;
const apart = /\b(?:mismatch(?:e[sd])?|different|do(?:es)?(?: not|n['’]t) match|differs?)\b/i;
const building = /\b(?:build(?:s|ing)?|compil(?:e|es|ing)|install(?:s|ing)?|extension|setup\.py|flash[-_]attn|apex|xformers)\b/i;
const ptx = /\bPTX\b/;
const tooNew = /\btoo new\b|\bnewer\b|\bunsupported\b/i;
const engine = /\b(?:TensorRT|TRT)\b[^\n]{0,30}\b(?:engine|plan)s?\b|\.engine\b/i;
const otherRelease = /\b(?:different|another|other|older|newer|previous) (?:\w{2,12} )?(?:versions?|releases?|GPU)\b/i;
const kernelModule = /\bnvidia\b[^\n]{0,16}\b(?:kernel )?modules?\b|\b(?:kernel )?modules?\b[^\n]{0,16}\bnvidia\b/i;
const loaded = /\b(?:load(?:ed|s|ing)?|found|built|build|installed|signed)\b/i;
const wheel =
  /\b(?<whole>(?<name>cupy|onnxruntime|torch|jax|bitsandbytes|paddlepaddle-gpu|mxnet|dgl|faiss)[-_ +]?cu(?:da)?(?<major>1[0-3])\d{0,2}x?)\b/i;
const here = /\b(?:machine|system|server|have|has|here|installed|driver)\b[^\n]{0,30}\bCUDA (?<found>1[0-3])(?:\.\d)?\b/i;

type Way = (sentence: Sentence) => Draft[];

const ofGpu: Way = (sentence) => {
  const { sm } = sentence.find(architecture) ?? {};
  const named = sentence.find(card)?.["gpu"];
  if (sm === undefined && named === undefined) return [];
  const what = sm === undefined ? gpu : architecture;
  const [id, ...others] = spokenOf(sentence);
  const refusal = sentence.near(60, not, supported, what) || sentence.near(60, refused, what);
  // A GPU that does not work may have many reasons; one that is not supported has one.
  if (!refusal || sentence.has(/\bprofil|\bnsys\b|\bncu\b|\bMIG\b|\bworks? with\b|\bdriver\b/i)) return [];
  return [
    {
      kind: "gpu-unsupported",
      by: id !== undefined && others.length === 0 ? id : "said",
      ...(named === undefined ? {} : { gpu: named }),
      ...(sm === undefined ? {} : { capability: `sm_${sm}` }),
    },
  ];
};

const ofBuild: Way = (sentence) =>
  sentence.near(70, apart, compiler, /\b(?:py)?torch\b/i) ||
  (sentence.near(50, apart, /\bCUDA\b/) && sentence.near(90, building, compiler, /\b(?:py)?torch\b/i))
    ? [{ kind: "notice", id: "extension-other-cuda" }]
    : [];

const ofCompiler: Way = (sentence) =>
  sentence.near(50, not, supported, hostCompiler) && sentence.has(compiler)
    ? [{ kind: "notice", id: "host-compiler", ...newest(sentence) }]
    : [];

// "nvcc doesn't support gcc 13": what it knows ends before.
function newest(sentence: Sentence): { found?: string } {
  const version = /\b(?:gcc|g\+\+)[ -]?(?<major>\d{1,2})\b/i.exec(sentence.text)?.groups?.["major"];
  return version === undefined ? {} : { found: String(Number(version) - 1) };
}

const ofPtx: Way = (sentence) => (sentence.near(60, ptx, tooNew) && sentence.has(/\bdriver\b/i) ? [{ kind: "cuda-error", code: 222 }] : []);

const two =
  /\b(?:TensorRT|TRT) v?(?<first>\d{1,2}\.\d[\d.]{0,6})\b[^\n]{0,120}?\b(?:TensorRT|TRT)\b[^\d\n]{0,16}(?<second>\d{1,2}\.\d[\d.]{0,6})\b/i;

// "an engine that I built with TensorRT 8.5 does not load where it is 10.0".
function ofTwo({ has, find }: Sentence): Draft[] {
  const { first, second } = find(two) ?? {};
  if (first === undefined || second === undefined || first === second || !has(/\bengines?\b|\bplans?\b/i)) return [];
  return [{ kind: "notice", id: "trt-engine", required: second.replace(/\.$/, ""), found: first }];
}

const ofEngine: Way = (sentence) =>
  sentence.has(two) && (sentence.has(not) || sentence.has(/\berror\b/i))
    ? ofTwo(sentence)
    : sentence.near(100, engine, otherRelease) && (sentence.has(not) || sentence.has(/\berror\b/i))
      ? [{ kind: "notice", id: "trt-engine" }]
      : [];

const ofModule: Way = (sentence) => (sentence.near(60, kernelModule, not, loaded) ? [{ kind: "notice", id: "module-missing" }] : []);

const ofWheel: Way = (sentence) => {
  const { name, major } = sentence.find(wheel) ?? {};
  const { found } = sentence.find(here) ?? {};
  return name === undefined || found === undefined || found === major
    ? []
    : [{ kind: "notice", id: "other-cuda-build", subject: sentence.find(wheel)!["whole"]!, required: found, found: major! }];
};

// Whoever asks for CUDA on another maker's GPU.
const ofVendor: Way = (sentence) =>
  sentence.near(90, /\bCUDA\b/i, /\b(?:AMD|Radeon|RX ?\d{3,4})\b/i) &&
  (sentence.has(not) || /^\W{0,3}(?:can|is it possible|does|how|will)\b/i.test(sentence.text))
    ? [{ kind: "notice", id: "cuda-on-amd" }]
    : [];

// "after updating torch my compiled extension crashes with undefined symbol".
const compiled =
  /\b(?:(?:custom|own|compiled|built|c\+\+|cuda) (?:\w{2,12} )?(?:extension|op|kernel|module)s?|torch_extensions|extension (?:that )?I (?:built|compiled))\b/i;
const upgraded =
  /\b(?:after|since) (?:I )?(?:updat|upgrad|switch|mov|bump)\w{0,4}\b[^\n]{0,30}\b(?:py)?torch\b|\bnew(?:er)? (?:py)?torch\b/i;
const broken = /\b(?:undefined symbol|crash(?:es|ed)?|segfaults?|ImportError|fails? to (?:load|import))\b/i;
const ofExtension: Way = ({ has }) => (has(compiled) && has(upgraded) && has(broken) ? [{ kind: "notice", id: "extension-outlived" }] : []);

// "bitsandbytes says it has no library for CUDA 12.4".
const ofBitsandbytes: Way = (sentence) => {
  const { major, minor } = sentence.find(/\b(?:CUDA ?|for |cuda)(?<major>1[0-4])\.?(?<minor>\d)\b/i) ?? {};
  const lacks = sentence.near(
    60,
    /\b(?:no|not|n['’]t|without|lacks?|missing|unsupported)\b/i,
    /\b(?:librar(?:y|ies)|binar(?:y|ies)|build|support(?:s|ed)?|\.so)\b/i,
  );
  return major === undefined || !lacks || !sentence.has(/\b(?:bitsandbytes|bnb)\b/i)
    ? []
    : [{ kind: "notice", id: "bnb-no-build", subject: `libbitsandbytes_cuda${major}${minor}.so` }];
};

const ways: Way[] = [ofExtension, ofBitsandbytes, ofVendor, ofPtx, ofEngine, ofModule, ofBuild, ofCompiler, ofWheel, ofGpu];

/** Somebody says that a build does not go with his GPU, compiler, driver or CUDA. */
export default {
  id: "people-tell-builds",
  vague: true,
  literals: [
    "sm_",
    "compute_",
    "rtx",
    "gtx",
    "nvcc",
    "toolkit",
    "ptx",
    "engine",
    "module",
    "cuda",
    "tesla",
    "radeon",
    "100",
    "200",
    "support",
    "bitsandbytes",
    "extension",
  ],
  examples: [
    "RTX 5090 is not supported by my PyTorch: sm_120",
    "Why can't I build flash-attn: CUDA version mismatch between nvcc and torch",
    "Numba generates PTX that is too new for my driver",
    "why is the nvidia kernel module not loaded after a reboot with secure boot?",
    "nvcc doesn't support gcc 13",
    "Can I run torch with CUDA on my AMD Radeon RX 6700 XT?",
    "cupy-cuda11x is installed but my machine has CUDA 12",
    "After updating torch from 2.1 to 2.4 my own compiled extension crashes with undefined symbol",
    "bitsandbytes 0.41 on CUDA 12.4 says it has no library for 124",
    "my engine built with TensorRT 8.5 does not load where TensorRT is 10.0",
    "we load our PTX with cuModuleLoad and it does not work with that driver",
  ],
  read: (text) => {
    const sentences = sentencesOf(text);
    const drafts = sentences.flatMap((sentence) =>
      sentence.has(wished) ? [] : (ways.map((way) => way(sentence)).find((each) => 0 < each.length) ?? []),
    );
    // Which PTX and which driver, the facts of the text tell.
    const isTold = drafts.length === 0 && sentences.some(({ has }) => has(ptx)) && persons.test(text) && not.test(text);
    return isTold ? [{ kind: "notice", id: "ptx-told" }] : drafts;
  },
} satisfies Frame;
