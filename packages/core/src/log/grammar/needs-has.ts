import { compareDotted } from "../../knowledge/dotted.ts";
import type { Draft, Product } from "../fact.ts";
import type { Frame } from "../frame.ts";

type Typed = { product: Product } | { library: string } | { package: string };

/** What a number is of, by the last of these words before it (or the first behind it). */
const types: [pattern: RegExp, type: Typed][] = [
  [
    /compute[ _]?capabilit(?:y|ies)|\bcapability\b|\bSM(?: version)?$|\b(?:gpu )?arch(?:itecture)?\b|sm_|compute_/gi,
    { product: "capability" },
  ],
  [/\bPTX\b(?: ISA)?/gi, { product: "ptx" }],
  [/\bdrivers?\b/gi, { product: "driver" }],
  [/\bCUDA\b(?: toolkit| runtime| SDK)?|\bnvcc\b|\btoolkit\b/gi, { product: "cuda" }],
  [/\bcuDNN\b/gi, { library: "cudnn" }],
  [/\bNCCL\b/gi, { library: "nccl" }],
  [/\bTensorRT\b/gi, { library: "tensorrt" }],
  [/\bcuBLAS\b/gi, { library: "cublas" }],
  [/\bcuSPARSE\b/gi, { library: "cusparse" }],
  [/\bCUPTI\b/gi, { library: "cupti" }],
  [/\bPython\b/gi, { product: "python" }],
  [/\bglibc\b|\bGLIBC_/gi, { product: "glibc" }],
  [/\bcuTENSOR\b/gi, { library: "cutensor" }],
  [/\bnvJPEG\b/gi, { library: "nvjpeg" }],
  [/\bROCm\b|\bHIP\b/gi, { package: "ROCm" }],
  [/\b(?:py)?torch\b|\blibtorch\b/gi, { package: "torch" }],
  [/\btransformers\b/gi, { package: "transformers" }],
  [/\bflash[-_ ]?attn\b|\bflash[-_ ]?attention(?: ?2)?\b/gi, { package: "flash-attn" }],
  [/\bxformers\b/gi, { package: "xformers" }],
  [/\bvllm\b/gi, { package: "vllm" }],
  [/\bdeepspeed\b/gi, { package: "deepspeed" }],
  [/\bbitsandbytes\b/gi, { package: "bitsandbytes" }],
  [/\bcupy\b/gi, { package: "cupy" }],
  [/\bnumba\b/gi, { package: "numba" }],
  [/\bnumpy\b/gi, { package: "numpy" }],
  [/\bprotobuf\b/gi, { package: "protobuf" }],
  [/\bonnx ?runtime(?:-gpu)?\b/gi, { package: "onnxruntime" }],
  [/\btensorflow\b/gi, { package: "tensorflow" }],
  [/\bjaxlib\b/gi, { package: "jaxlib" }],
  [/\btriton\b/gi, { package: "triton" }],
];

const number = /(?<![\w.-])(?<label>v|r|sm_|compute_|GLIBC_)?(?<version>\d{1,4}(?:\.\d{1,4}){0,3})(?<more>a|f|\+)?(?![\w%]|\.\d)/gi;

const needs =
  /\b(?:requires?|required|requirement|needs?|needed|must (?:be|have|use)|should be|at least|minimum|min|built (?:for|with|against)|compiled (?:for|with|against)|expects?|expected|only supports?|supports? only|wants?|wanted|targets|depends on|prior to|below|before|(?:does not|doesn['’]t|do not|don['’]t|cannot|can['’]t) (?:support|run))\b|>=|≥/gi;
const needsBehind =
  /^[\s"'`),]{0,3}(?:or (?:later|newer|higher|above|greater|more|lower|older|earlier|less|below)|and (?:later|newer|higher|above|up|older|lower|below)|(?:is|was|are) (?:required|needed|expected|wanted)|required|needed|expected|wanted|or up|(?:\.x )?only)\b|^\+/i;
const has =
  /\b(?:found|have|has|got|detected|current(?:ly)?|installed|running|using|but|however|actual(?:ly)?|loaded|your|yours|this (?:system|machine|gpu|device|host)|host|is only|reports?|whereas|while|instead|accepts|gave|present|sees|only (?:goes|reaches)|ends (?:at|with)|at hand)\b/gi;
// "12.4 or newer": a floor, and not the one release that fits.
const bound = /^[\s"'`),]{0,3}(?:(?:or|and) (?:later|newer|higher|above|greater|more|up)\b|or lower|\+)|^\+/i;
const hasBehind =
  /^[\s"'`)]{0,3}(?:(?:was|is|were|are) )?(?:found|detected|installed|present|loaded|reported|in use|there|here|at hand|too old|not supported|unsupported|no longer supported)\b/i;

const refusal =
  /\b(?:not supported|unsupported|too old|too low|no longer supports?|not support|insufficient|incompatible|outdated|mismatch\w{0,4}|does not match)\b/i;
const upward = /^[\s"'`),]{0,3}(?:and|or) (?:later|newer|higher|above|greater)/i;

// "transformers 4.45 needs tokenizers 0.20 but I have tokenizers 0.19.1": a name that stands there twice is a package's.
const twiceNamed =
  /\b(?:needs?|requires?|wants?|expects?|depends on) (?:a )?(?<name>[a-z][\w-]{2,40})(?: version)? ?(?<sign>[<>=~]=?)? ?v?(?<required>\d{1,4}(?:\.\d{1,4}){1,3})\b[^\n]{0,24}\b(?:but|and|while|whereas|however)\b[^\n]{0,40}?\b\k<name> ?(?:version )?(?:==|is )?v?(?<found>\d{1,4}(?:\.\d{1,4}){1,3})\b/i;
function samePackage(text: string): Draft | undefined {
  const { name, sign, required, found } = twiceNamed.exec(text)?.groups ?? {};
  if (name === undefined || types.some(([pattern]) => new RegExp(`^(?:${pattern.source})$`, "i").test(name))) return undefined;
  const relation = sign?.startsWith("<") ? "below" : sign?.startsWith("=") ? "equal" : "least";
  const isMet =
    relation === "least"
      ? 0 <= compareDotted(found!, required!)
      : relation === "equal"
        ? found === required
        : compareDotted(found!, required!) < 0;
  return isMet
    ? undefined
    : { kind: "needs-has", product: "package", name: name.toLowerCase(), required: required!, found: found!, relation };
}

const listed = /\b(?:sm_?|compute_)\d{2,3}[af]?[, ]{1,3}(?:sm_?|compute_)\d{2,3}/i;
const onlyThis = /\bsupports? [^\n]{0,30}\d(?:\.x)? only\b/i;

interface Mention {
  type?: Typed;
  version: string;
  role?: "needs" | "has";
  before: string;
  behind: string;
}

// A generation of GPUs stands for the capability that it begins with (NVIDIA's table "CUDA GPUs").
const generations: { [name: string]: string } = {
  kepler: "3.0",
  maxwell: "5.0",
  pascal: "6.0",
  volta: "7.0",
  turing: "7.5",
  ampere: "8.0",
  hopper: "9.0",
  blackwell: "10.0",
};
const generation = new RegExp(
  `\\b(?:NVIDIA )?(${Object.keys(generations).join("|")})(?: (?:architecture|generation|GPUs?))?(?= or (?:newer|later|above|higher))`,
  "gi",
);
const withCapabilities = (text: string) =>
  /compute capability/i.test(text)
    ? text
    : text.replace(generation, (_, name: string) => `compute capability ${generations[name.toLowerCase()]}`);

/** Something needs one release and another is there: requires A … but found B, built for A … you have B, minimum A … your GPU has B. */
export default {
  id: "needs-has",
  literals: [
    "driver",
    "cuda",
    "capability",
    "sm_",
    "cudnn",
    "nccl",
    "tensorrt",
    "ptx",
    "cupti",
    "glibc",
    "cublas",
    "cusparse",
    "torch",
    "tensorflow",
    "jaxlib",
    "triton",
    "cutensor",
    "nvjpeg",
    "rocm",
    "transformers",
    "flash",
    "xformers",
    "vllm",
    "deepspeed",
    "bitsandbytes",
    "cupy",
    "numba",
    "protobuf",
    "onnxruntime",
    "numpy<",
    "numpy >",
    "numpy>",
    "numpy <",
    "numpy 1",
    "numpy 2",
    "python 3",
    "python >",
    "python>",
    " but i have ",
    " but we have ",
    "but you have ",
    ...Object.keys(generations),
  ],
  examples: [
    "This program requires CUDA 12.4 or newer, but CUDA 11.8 was detected",
    "the renderer needs NVIDIA driver 535.54 or later; 470.82 is installed",
    "minimum compute capability is 7.0, your GPU has 6.1",
    "GPU profiling is not supported on a device of compute capability 7.5 or higher",
    "FooLib needs at least cuDNN 9.1, found 8.9.2",
    "Error: this release requires CUDA driver 11.0 or higher; found 10.2",
    'msg="driver CUDA version too old" version=11.4 minimum=11.8',
    "this version of the binding requires libtorch 2.5.1, found 2.4.0",
    "the ray tracer backend requires a GPU with Maxwell architecture or newer",
    "the indexer needs CUPTI API version 18, library reports 14",
    "error: numpy<2 needed but numpy 2.1.0 present",
    "python 3.10 or later is needed (running 3.8.10)",
    "transformers 4.45 needs tokenizers 0.20 but I have tokenizers 0.19.1, import fails",
  ],
  read(said) {
    const text = withCapabilities(said);
    const twice = samePackage(text);
    if (twice) return [twice];
    if (!needs.test(text) && !refusal.test(text) && !onlyThis.test(text)) return [];
    needs.lastIndex = 0;
    const mentions = mentionsIn(text);
    const needed = mentions.find(({ role }) => role === "needs");
    if (!needed) return [];
    const had = mentions.find(
      (each) => each !== needed && each.role !== "needs" && agree(needed.type, each.type) && fits(each, needed, text),
    );
    const type = numbered(needed.type ?? had?.type, [needed, ...(had ? [had] : [])]);
    // A list of targets is no floor: which of them is there is asked elsewhere.
    if (type && kindOf(type) === "capability" && listed.test(text)) return [];
    if (!type || !shaped(type, needed) || (had && !shaped(type, had))) return [];
    return draftsOf(type, needed, had, text);
  },
} satisfies Frame;

// Where a program stops, one side is enough: it has what is not enough.
const stops =
  /(?:\b|[a-z])(?:error|exception)\b|\b(?:fatal|abort\w{0,3}|panic\w{0,4}|fail(?:ed|ure|s)?)\b|ABORT\b|^\[\w{3,20} @ 0?x?[\da-f]{6,16}\]|\bbackend requires\b/i;

/** "CUDA driver 11.0": a driver that is named by the CUDA that it runs. */
const numbered = (type: Typed | undefined, mentions: Mention[]): Typed | undefined =>
  type && kindOf(type) === "driver" && mentions.every(({ version }) => shapes["cuda"]!.test(version)) ? { product: "cuda" } : type;

const kindOf = (type: Typed) => ("product" in type ? type.product : "library" in type ? type.library : type.package);
const agree = (a: Typed | undefined, b: Typed | undefined) =>
  a === undefined ||
  b === undefined ||
  kindOf(a) === kindOf(b) ||
  // It is the driver that knows PTX up to somewhere.
  (kindOf(a) === "ptx" && kindOf(b) === "driver");
// `msg="driver too old" version=11.4 minimum=11.8`: of two numbers, one of which is asked for, the other is there.
const fits = (had: Mention, needed: Mention, text: string) =>
  had.role === "has" ||
  (had.type !== undefined && needed.type !== undefined) ||
  (/\btoo (?:old|low)\b/i.test(text) && /\bversion ?[=:] ?$/i.test(had.before));

// Each product numbers in its own way; a number of another form is of something else.
const shapes: { [kind: string]: RegExp } = {
  driver: /^\d{3}(?:\.\d{1,3}){0,2}$/,
  cuda: /^(?:[7-9]|1\d)(?:\.\d{1,2}){0,2}$/,
  ptx: /^\d{1,2}\.\d$/,
  capability: /^(?:\d{1,2}\.\d|[2-9]\d|1[0-2]\d)$/,
  python: /^[23](?:\.\d{1,2}){1,2}$/,
  glibc: /^2\.\d{1,2}$/,
  cupti: /^\d{1,4}(?:\.\d{1,3}){0,3}$/,
};
const shaped = (type: Typed, { version, before }: Mention) =>
  (shapes[kindOf(type)] ?? /^\d{1,4}(?:\.\d{1,4}){1,3}$/).test(version) ||
  // "numpy<2": behind a sign a major stands for a release.
  ("package" in type && /[<>=]=? ?$/.test(before) && /^\d{1,2}$/.test(version));

function mentionsIn(text: string): Mention[] {
  const found = [...text.slice(0, 2000).matchAll(number)].slice(0, 12);
  return found.map(({ index, 0: whole, groups }, at) => {
    const from = at === 0 ? 0 : found[at - 1]!.index + found[at - 1]![0].length;
    const end = index + whole.length;
    const before = text.slice(Math.max(from, index - 90), index);
    const behind = text.slice(end, Math.min(found[at + 1]?.index ?? Infinity, end + 60));
    const label = groups!["label"]?.toLowerCase();
    const type: Typed | undefined =
      label === "sm_" || label === "compute_"
        ? { product: "capability" }
        : label === "glibc_"
          ? { product: "glibc" }
          : (lastOf(before.slice(-60)) ?? firstOf(behind.slice(0, 14)));
    const role = roleOf(before, `${groups!["more"] === "+" ? "+" : ""}${behind}`);
    return { ...(type ? { type } : {}), version: groups!["version"]!, ...(role ? { role } : {}), before, behind };
  });
}

function lastOf(before: string): Typed | undefined {
  let best: { at: number; type: Typed } | undefined;
  for (const [pattern, type] of types) {
    const at = [...before.matchAll(pattern)].at(-1)?.index;
    if (at !== undefined && (best === undefined || best.at < at)) best = { at, type };
  }
  return best?.type;
}

const firstOf = (behind: string): Typed | undefined =>
  types.find(([pattern]) => [...behind.matchAll(pattern)].some(({ index }) => index <= 2))?.[1];

function roleOf(before: string, behind: string): Mention["role"] {
  if (needsBehind.test(behind)) return "needs";
  if (hasBehind.test(behind)) return "has";
  const last = (pattern: RegExp) => [...before.matchAll(pattern)].at(-1)?.index ?? -1;
  const [wanted, there] = [last(needs), last(has)];
  // "but requires": what comes later is what the number belongs to.
  return wanted < 0 && there < 0 ? undefined : there < wanted ? "needs" : "has";
}

/** "13.2 or newer", "minimum … is 570.0": a bound, and not a release that is only named. */
const hasBound = ({ before, behind }: Pick<Mention, "before" | "behind">): boolean =>
  /^[\s"'`),]{0,3}(?:or|and) (?:later|newer|higher|above|greater|up)\b|^\+/i.test(behind) ||
  /\b(?:minimum|at least)\b[^\n]{0,60}$|>= ?$/i.test(before);

// "is older than the needed 2.20": what is needed is a floor.
const olderThanNeeded = /\b(?:older|lower|less) than (?:the |its )?(?:\w{2,12} )?(?:needed|required|expected|minimum|wanted)\b/i;
const sameWanted = /\b(?:built|compiled|exactly|expected|targets)\b|==/i;

function relationOf({ before, behind }: Mention, text: string): "least" | "below" | "equal" {
  if (olderThanNeeded.test(before)) return "least";
  if (refusal.test(text) && upward.test(behind) && !/\b(?:only|requires?|needs?|minimum|at least|must)\b/i.test(before)) return "below";
  if (
    /\b(?:up to|at most|maximum|below|prior to|before|less than|older than)\b|</i.test(before) ||
    /^\W{0,3}(?:or|and) (?:lower|older|earlier|below|less)/i.test(behind)
  )
    return "below";
  // Code runs within a major; who names the end of his driver says that it is not enough.
  if (aboutOf(text) === "driver" && /\b(?:only|but|however|not)\b/i.test(text)) return "least";
  if (/^(?:\.x)? only\b/i.test(behind) || (/\bmismatch/i.test(text) && !hasBound({ before, behind }))) return "equal";
  return (sameWanted.test(before) || /^ (?:is|was) expected\b/i.test(behind)) && !/>=|≥/.test(before) && !bound.test(behind)
    ? "equal"
    : "least";
}

/** What else a line speaks of. */
function aboutOf(text: string): "profiler" | "driver" | "build" | undefined {
  return /\bprofil|\bCUPTI\b|\bnvprof\b|\btrac(?:e|ing)\b/i.test(text)
    ? "profiler"
    : /\bdriver\b/i.test(text)
      ? "driver"
      : /\bnvcc\b|\bcompil(?:e|ing|er)\b|\bbuild(?:ing)?\b/i.test(text)
        ? "build"
        : undefined;
}

/** A library or package that is as new as it must be is no news. */
function ofNamed(type: Exclude<Typed, { product: Product }>, needed: Mention, found: string | undefined, text: string): Draft[] {
  const relation = relationOf(needed, text);
  const required = needed.version;
  const isPackage = "package" in type;
  const name = isPackage ? type.package : type.library;
  // Where a program stops for a package's release, the text may say which one is there.
  if (isPackage && found === undefined && stops.test(text) && (relation === "below" || hasBound(needed)))
    return [{ kind: "needs-has", product: "package", name, required, relation, refused: true }];
  if (found === undefined || found === required) return [];
  const newer = 0 <= compareDotted(found, required);
  const ofPackage: Draft = { kind: "needs-has", product: "package", name, required, found, relation };
  if (relation === "below") return isPackage && newer ? [ofPackage] : [];
  // Within a major, what is newer serves what was built with an older one.
  if (newer && (relation === "least" || found.split(".")[0] === required.split(".")[0])) return [];
  return isPackage ? [ofPackage] : [{ kind: "version-pair", library: name, required, found, by: "the program" }];
}

function draftsOf(type: Typed, needed: Mention, had: Mention | undefined, text: string): Draft[] {
  const relation = relationOf(needed, text);
  const [required, found] = [needed.version, had?.version];
  if (!("product" in type)) return ofNamed(type, needed, found, text);
  const cannot = type.product === "cuda" && /\bdriver\b[^\n]{0,60}\b(?:not|n['’]t) (?:support|run)\b/i.test(text);
  const refused = refusal.test(text) || cannot || (found === undefined && relation === "least" && stops.test(text) && hasBound(needed));
  if (found === undefined && !refused) return [];
  const about = aboutOf(text);
  return [
    {
      kind: "needs-has",
      product: type.product,
      required,
      ...(found === undefined ? {} : { found }),
      relation,
      ...(refused ? { refused } : {}),
      ...(about === undefined ? {} : { about }),
    },
  ];
}
