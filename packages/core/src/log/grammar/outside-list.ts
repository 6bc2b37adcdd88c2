import { compareDotted } from "../../knowledge/dotted.ts";
import { smOf } from "../../knowledge/toolkits.ts";
import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";

const refusal =
  /\b(?:not (?:yet )?(?:supported|compatible|recogni[sz]ed|known|allowed)|unsupported|unknown|unrecogni[sz]ed|incompatible|invalid|ignoring|no code for|too old|only supports?|not (?:in|on|among|part of) (?:the |its )?(?:\w{2,12} ){0,2}(?:list|targets?|arch\w{0,9}))\b/i;

// "this build targets sm_80 sm_90, the GPU is sm_120": what is there stands behind the list.
const there = new RegExp(
  `\\b(?:targets?|built for|compiled for|holds|contains|has)\\b(?: \\w{2,12}){0,3}[: ]{1,2}(?<list>(?:sm_?\\d{2,3}[af]?[, ]{1,3}){1,20})[^\\n]{0,30}\\b(?:GPU|device|card)\\b[^\\n\\d]{0,20}\\b(?<has>sm_?\\d{2,3})\\b`,
  "i",
);

const target = "gfx\\d{2,3}[\\da-f]|sm_?\\d{2,3}[af]?|compute_\\d{2,3}[af]?";
const version = "\\d{1,3}(?:\\.\\d{1,3}){1,3}";
const listed = (item: string) =>
  new RegExp(
    `\\b(?:support(?:ed|s)|available|compatible|valid|known|allowed|expected|compiled for|built for)\\b(?: [\\w-]{1,20}){0,5}(?: (?:are|is|include))?[:\\s]{0,2}[([{]?["']?(?:(?:native|cpu)["', ]{1,4})?(?<list>(?:${item})(?:["']?(?:,|;|\\/| or| and| \\||(?= ))\\s?["']?(?:${item})){1,30})`,
    "i",
  );
const targets = listed(target);
const versions = listed(version);
const ofVersion = new RegExp(
  `\\b(?:driver|CUDA|toolkit)(?: (?:driver|toolkit|runtime|version|release)){0,2}[ :=]{1,3}["']?v?(?<version>${version})(?![\\w])`,
  "i",
);

// An architecture that is refused with no list beside it.
const alone =
  /\b(?:unsupported|unknown|unrecogni[sz]ed)(?: (?:CUDA|GPU|target|device|SM)){0,2} arch(?:itecture)?\b[:\s'"(]{1,4}(?<named>gfx\d{2,3}[\da-f]|(?:sm_?|compute_)?\d{2,3}[af]?)\b|\barch(?:itecture)?\b[ '"(:]{1,4}(?<before>gfx\d{2,3}[\da-f]|(?:sm_?|compute_)?\d{2,3}[af]?)\b['")]{0,2} is (?:not supported|unsupported)/i;

// "compiled for 61 70 75 80, but your current GPU is 120": bare numbers, told apart by the words around them.
const bareNumbers =
  /\b(?:compiled|built) for[: ]{1,2}(?<list>(?:sm_?)?\d{2,3}(?:[, ]{1,3}(?:sm_?)?\d{2,3}){1,20})[ ,.;]{1,4}(?:but|while|and|however)\b[^\n]{0,30}\b(?:GPU|device|card)\b[^\n\d]{0,30}(?:sm_?)?(?<has>\d{2,3})\b/i;

// A compute capability that is refused, with or without its number.
const capabilityAlone =
  /\bunsupported (?:CUDA |GPU )?compute capability\b(?:[\s:('"]{1,4}(?<major>\d{1,2})(?:\.|, ?)(?<minor>\d)\b)?|\bcompute capability (?<wide>\d{1,2})\.(?<narrow>\d)\b[)'"]{0,2} is (?:not supported|unsupported|too old|too low)/i;
const tooOld = /\bGPU\b[^\n]{0,30}\btoo old\b[^\n]{0,60}?\b(?<capability>[2-9]\.\d)\b/i;
const majors = /\bsupported(?: [\w-]{1,20}){0,3}[:\s]{1,2}(?<list>\d{1,2}\.x(?:, ?\d{1,2}\.x){0,8})/i;

/** One of something is refused, and those that are taken are listed: an architecture of a GPU, a release of CUDA. */
export default {
  id: "outside-list",
  literals: ["gfx", "sm_", "sm", "compute", "arch", "support", "compiled for", "built for"],
  examples: [
    "Unknown GPU architecture: gfx1151. Supported architectures: ['native', 'gfx90a', 'gfx942', 'gfx1100']",
    "GPU#0 error: CUDA error: architecture (103) is not supported",
    "Unsupported CUDA architecture: sm75",
    "panicked: Unsupported compute capability: 5.0",
    "AssertionError: Unsupported compute capability. Supported: 9.x, 10.x, 11.x",
    "Mismatched GPU Architecture: the package was compiled for 61 70 75 80 90 ,but your current GPU is 120",
    "Cuda 11.0 detected but torch only supports: cpu, 10.1, 10.2, 9.2",
    "This build targets sm_80 sm_86 sm_90, the GPU is sm_120",
    "GPU arch gfx1100 not in list of supported archs (gfx90a, gfx942)",
    "driver for CUDA 8.0 is not compatible with any supported CUDA (11.4, 11.8 or 12.2)",
  ],
  read(text) {
    const { list: taken, has } = bareNumbers.exec(text)?.groups ?? {};
    if (taken !== undefined && !taken.split(/[, ]+/).includes(has!)) return ofTarget(`sm_${has}`, taken.trim().replace(/[, ]+/g, ", "));
    const other = ofTargets(text);
    if (0 < other.length) return other;
    if (!refusal.test(text)) return [];
    const refused = capabilityAlone.exec(text)?.groups;
    if (refused) return ofCapability(refused, text);
    const old = tooOld.exec(text)?.groups?.["capability"];
    if (old !== undefined) return [{ kind: "gpu-unsupported", by: "said", capability: smOf(old.replace(".", ""))!, tooOld: true }];
    const target = ofNamed(text);
    return 0 < target.length ? target : ofRelease(text);
  },
} satisfies Frame;

function ofNamed(text: string): Draft[] {
  const list = targets.exec(text);
  const one = alone.exec(text)?.groups;
  const named = one?.["named"] ?? one?.["before"] ?? (list ? outside(text, list) : undefined);
  return named === undefined ? [] : ofTarget(named, list?.groups?.["list"]);
}

function ofTargets(text: string): Draft[] {
  const { list = "", has = "" } = there.exec(text)?.groups ?? {};
  const targeted: string[] = list.match(/\d{2,3}/g) ?? [];
  const own = /\d{2,3}/.exec(has)?.[0];
  return own === undefined || targeted.includes(own) ? [] : ofTarget(has, targeted.map((sm) => `sm_${sm}`).join(", "));
}

function ofCapability({ major, minor, wide = major, narrow = minor }: { [name: string]: string | undefined }, text: string): Draft[] {
  const capability = wide === undefined ? undefined : smOf(`${wide}${narrow}`);
  const supported = majors.exec(text)?.groups?.["list"];
  return [
    {
      kind: "gpu-unsupported",
      by: "said",
      ...(capability === undefined ? {} : { capability }),
      ...(supported === undefined ? {} : { supported: `compute capability ${supported}` }),
    },
  ];
}

/** The architecture that stands before the list, or behind it, and not in it. */
function outside(text: string, { index, 0: whole }: RegExpExecArray): string | undefined {
  const rest = `${text.slice(0, index)} ${text.slice(index + whole.length)}`;
  return new RegExp(`\\b(?:${target})\\b`, "i").exec(rest)?.[0];
}

const plain = (list: string) => list.replace(/["']/g, "").replace(/\s?(?:,|;|\/| or | and |\|)\s?/g, ", ");

function ofTarget(named: string, list: string | undefined): Draft[] {
  const supported = list === undefined ? undefined : plain(list);
  if (/^gfx/i.test(named))
    return [{ kind: "notice", id: "hip-no-code", subject: named.toLowerCase(), ...(supported === undefined ? {} : { found: supported }) }];
  const capability = smOf(named.replace(/^(?:sm_?|compute_)/i, ""));
  return capability === undefined
    ? []
    : [{ kind: "gpu-unsupported", capability, by: "said", ...(supported === undefined ? {} : { supported }) }];
}

function ofRelease(text: string): Draft[] {
  const list = versions.exec(text);
  const has = list && ofVersion.exec(text.slice(0, list.index));
  if (!list || !has) return [];
  const all = (list.groups!["list"]!.match(new RegExp(version, "g")) ?? []).toSorted(compareDotted);
  const found = has.groups!["version"]!;
  const [first, last] = [all[0]!, all.at(-1)!];
  if (![found, first].every((each) => /^(?:[5-9]|1\d)\.\d/.test(each))) return [];
  const driver = /\bdriver\b/i.test(has[0]) || /\bdriver\b/i.test(text.slice(0, has.index));
  if (compareDotted(found, first) < 0)
    return [
      {
        kind: "needs-has",
        product: "cuda",
        required: first,
        found,
        relation: "least",
        refused: true,
        ...(driver ? { about: "driver" as const } : {}),
      },
    ];
  // A driver runs what is older than itself.
  return driver || compareDotted(found, last) <= 0
    ? []
    : [{ kind: "needs-has", product: "cuda", required: last, found, relation: "equal", refused: true }];
}
