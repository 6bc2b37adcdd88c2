import { compareDotted } from "../../knowledge/dotted.ts";
import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";

// A generation of GPUs stands for the capability that it begins with (NVIDIA's table "CUDA GPUs").
const generations: { [name: string]: string } = {
  maxwell: "5.0",
  pascal: "6.0",
  volta: "7.0",
  turing: "7.5",
  ampere: "8.0",
  "ada lovelace": "8.9",
  hopper: "9.0",
  blackwell: "10.0",
};

const names = Object.keys(generations).join("|");
const number =
  "\\bsm ?_? ?\\d{2,3}[af]?(?!\\w)|(?:cuda )?(?:compute )?capabilit(?:y|ies)(?: \\(?CC\\)?)?(?: of)?(?: at least| version)? ?[>=:]{0,3} ?\\(?\\d{1,2}(?:\\.|, )\\d\\)?|(?:compute )?capability >= ?\\d{1,2}(?![\\d.])";
const one = `(?:${number}|\\b(?:${names})\\b)`;
const upward = "(?: ?\\+| ?(?:and|or) (?:newer|later|above|higher|up|greater|more)| ?GPUs? or (?:newer|later))";

const wanted =
  "\\b(?:requires?|required|needs?|only supports?|only (?:works|runs) on|(?:only )?(?:supported|implemented|available|enabled|validated)(?: only)? (?:on|for|with)|(?:make sure|ensure) (?:that )?you(?:r)?(?: \\w{2,8})? GPUs?|please use a GPU|expects?)\\b";
const sentence = new RegExp(`${wanted}[^\\n]{0,50}?(?<first>${one})(?<behind>[^\\n]{0,60})`, "i");
// "does not support for cuda arch < 7.5".
const below = /\b(?:not support(?:ed)?|unsupported)\b[^\n]{0,40}\b(?:arch(?:itecture)?|capability|SM) ?< ?(?<first>\d{1,2}\.\d)\b/i;
const lacking = new RegExp(`(?<first>\\bsm ?_?\\d{2,3}[af]?\\b)(?: \\w{2,12}){0,2} (?:is|are) not available`, "i");
const got = new RegExp(
  `\\b(?:got|found|current (?:device|target|GPU|capability)|this (?:device|GPU)|your (?:device|GPU)|device \\S{1,12}) ?(?:is|has|reports|:)? ?[^\\n]{0,30}?(?<has>${number})`,
  "i",
);

// A program that stops, and not one that goes on in another way.
const stops = /(?:Error|Exception)\b|\b(?:error|fatal|abort\w{0,3}|fail(?:ed|ure|s)?|not available|not supported|unsupported|critical)\b/i;
const goesOn = /\b(?:fall(?:s|ing)? ?back|disabl(?:ed|ing)|ignor(?:ed|ing)|skip(?:ped|ping)?|will be slow|instead of|performance)\b/i;
const weighed = /\b(?:if|when|unless|whether|in case|even|should|may|might)\b[^.!;]{0,90}$/i;

/** `9.0` of `SM90`, `sm_90a`, `compute capability >= 9.0` and `Hopper`. */
function capabilityOf(text: string): string | undefined {
  const name = new RegExp(`^(?:${names})`, "i").exec(text)?.[0].toLowerCase();
  if (name !== undefined) return generations[name];
  const whole = /capability >= ?(\d{1,2})$/i.exec(text)?.[1];
  if (whole !== undefined) return `${whole}.0`;
  const [, major, minor] = /(\d{1,2})(?:\.|, )?(\d)[af]?\)?$/i.exec(text) ?? [];
  return major === undefined ? undefined : `${major}.${minor}`;
}

/** A kernel is for one generation of GPUs, and this is another, or the build has none of it: requires SM90, only supported on Hopper. */
export default {
  id: "needs-generation",
  vague: true,
  literals: ["sm", "capabilit", "arch", ...Object.keys(generations)],
  examples: [
    "RuntimeError: the sparse kernel requires SM100+ (Blackwell); got SM86.",
    "ValueError: this backend is only supported on Hopper GPUs (SM90)",
    "AssertionError: SM89 kernel is not available. Make sure you GPUs with compute capability 8.9.",
    "RuntimeError: FooServe only supports sm75 and above.",
    "ValueError: The 'foo3' backend is not supported on Blackwell GPUs",
  ],
  read(text) {
    const under = below.exec(text)?.groups?.["first"];
    if (under !== undefined && stops.test(text)) return [draftOf(under, undefined, true)];
    const lacks = lacking.exec(text);
    if (lacks) return [{ ...draftOf(capabilityOf(lacks.groups!["first"]!)!, undefined, false), about: "build" }];
    const match = sentence.exec(text);
    if (!match || !stops.test(text) || goesOn.test(text) || weighed.test(text.slice(0, match.index))) return [];
    const { first = "", behind = "" } = match.groups!;
    const required = capabilityOf(first);
    if (required === undefined) return [];
    if (/\bnot (?:yet )?(?:be )?$/i.test(text.slice(0, match.index))) return [refusedOn(required)];
    const has = got.exec(text.slice(match.index + match[0].length - behind.length))?.groups?.["has"];
    const found = has === undefined ? undefined : capabilityOf(has);
    const least = isLeast(first, behind, text);
    return isMet(required, found, least) ? [] : [draftOf(required, found, least)];
  },
} satisfies Frame;

const bound = new RegExp(`^${upward}|>= ?\\(?\\d{1,2}(?:\\.|, )\\d\\)?$`, "i");

const isLeast = (first: string, behind: string, text: string): boolean =>
  bound.test(behind) || />=|at least/.test(first) || /\bminimum\b/i.test(text);

const isMet = (required: string, found: string | undefined, least: boolean): boolean =>
  found !== undefined && (found === required || (least && 0 <= compareDotted(found, required)));

const draftOf = (required: string, found: string | undefined, least: boolean): Draft & { kind: "needs-has" } => ({
  kind: "needs-has",
  product: "capability",
  required,
  ...(found === undefined ? {} : { found }),
  relation: least ? "least" : "equal",
  refused: true,
});

// "Not supported on Blackwell": what is named is the one that it does not run on.
const refusedOn = (capability: string): Draft => ({ kind: "gpu-unsupported", capability: `sm_${capability.replace(".", "")}`, by: "said" });
