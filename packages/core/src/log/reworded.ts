import { once } from "../lib/memo.ts";
import { isTaken, type Draft } from "./fact.ts";
import { signatures } from "./index.generated.ts";
import type { Signature } from "./signature.ts";
import advice from "./messages/advice.ts";
import availability from "./messages/availability.ts";
import people from "./messages/people.ts";
import profilesTold from "./messages/profiles-told.ts";

/*
 * Known messages in other words: one word more, less or another, other quotes, case or markup. A line is laid beside the examples of
 * signatures; where little differs, the values of the line are put into the example, and the signature reads that.
 */

/** A known message that a line is like. */
export interface Alike {
  example: string;
  /** How much of what is telling in the message the line has, from 0 to 1. */
  share: number;
}

interface Token {
  raw: string;
  lead: string;
  core: string;
  trail: string;
  key: string;
  /** In its own words, where others say the same. */
  own: string;
  start: number;
  word: boolean;
  /** Whether the sentence says something else without it, or with another in its place; a `subject` may be left out of a long one. */
  fixed: boolean;
  subject: boolean;
}

interface Known {
  signature: Signature;
  text: string;
  tokens: Token[];
  /** Of those tokens: the stretch that the pattern takes, and in it what differs from case to case. */
  first: number;
  last: number;
  values: Set<number>;
  words: string[];
  weight: number;
}

// A change of one of these says something else: what turns a sentence round, and what it is about.
const subjects =
  /^(?:cuda|gpus?|nvidia|amd|drivers?|cudnn|cublas|cupti|nccl|nvml|nvcc|ptx|tensorrt|torch|pytorch|tensorflow|jax|jaxlib|python|devices?|kernel|ptxas|nvrtc|docker|container|torch[a-z]{2,12}|xformers|bitsandbytes|onnxruntime|triton|deepspeed|flash-?_?attn|vllm|cupy|numba|numpy|paddle|mxnet|keras|transformers|protobuf|opencv|cv2|ctranslate2|apex|mmcv|tensorboard)$/;
const turns =
  /^(?:no|not|non|none|nothing|never|cannot|can't|couldn't|didn't|doesn't|isn't|wasn't|without|fail(?:s|ed|ure|ing)?|errors?|missing|mis(?:match|matched|sing)\w*|too|older|newer|less|more|least|most|only|old|new|before|after|than|refused|denied|closed|insufficient|unable|success|succeeded|successful|successfully|passed|found|built|compiled|but|lacks?|requires?|required|needs?|available|unavailable|enabled|disabled|supported|unsupported|valid|invalid|compatible|incompatible|known|unknown|loaded|found|opened|present|absent|ok|done|completed?|ready|true|false|yes|on|off|zero|all|any)$/;

/** Words and phrases that say the same, by the first of each row: who writes a message anew takes another one of them. */
const sameSayings = [
  ["cannot", "can't", "can not", "could not", "couldn't", "failed to", "fails to", "unable to", "not able to"],
  ["missing", "not found", "could not be found", "cannot be found", "not be found", "does not exist", "doesn't exist"],
  ["incompatible", "not compatible"],
  [
    "mismatch",
    "mismatches",
    "mismatched",
    "does not match",
    "do not match",
    "doesn't match",
    "did not match",
    "conflict",
    "incompatibility",
  ],
  ["unsupported", "not supported"],
  ["requires", "require", "required", "needs", "need", "needed"],
  ["built", "compiled"],
  ["version", "versions", "release", "releases"],
  ["older than", "lower than", "less than", "smaller than"],
  ["newer than", "higher than", "greater than"],
  ["insufficient", "too old", "too low", "outdated", "out of date"],
  ["unavailable", "not available"],
  ["unknown", "unrecognized", "unrecognised", "not recognized", "not recognised", "not known"],
  ["invalid", "not valid"],
];
const sayings = new Map(sameSayings.flatMap(([first, ...others]) => [first!, ...others].map((saying) => [saying, first!] as const)));
const longestSaying = 4;

/** The words of a text; `said`: those that say the same are one. */
function tokensOf(text: string, said: boolean): Token[] {
  const words = [...text.matchAll(/\S+/g)].slice(0, 240).map(({ 0: raw, index }) => ({ raw, start: index, ...cutOf(raw) }));
  const tokens: Token[] = [];
  for (let at = 0; at < words.length;) {
    const { saying, count } = said ? sayingAt(words, at) : { count: 1 };
    const { start, lead, core } = words[at]!;
    const { raw: lastRaw, start: lastStart, trail } = words[at + count - 1]!;
    const raw = text.slice(start, lastStart + lastRaw.length);
    // `[]` says that there is none: a mark alone stands for itself.
    const key = saying ?? (core === "" ? raw : core.toLowerCase());
    const inner = count === 1 ? core : raw.slice(lead.length, raw.length - trail.length);
    const own = inner.toLowerCase();
    tokens.push({ raw, lead, core: inner, trail, key, own, start, word: isWord(key), fixed: turns.test(key), subject: subjects.test(key) });
    at += count;
  }
  return tokens;
}

function cutOf(raw: string): { lead: string; core: string; trail: string } {
  const [, lead = "", core = "", trail = ""] = /^([^\w/\\.$<>=+-]{0,6})(.{0,400}?)([^\w/\\$>+]{0,6})$/.exec(raw) ?? ["", "", raw, ""];
  return { lead, core, trail };
}

/** The longest saying that begins at a word; what stands between its words belongs to none of them. */
function sayingAt(words: { core: string; lead: string; trail: string }[], at: number): { saying?: string; count: number } {
  for (let count = Math.min(longestSaying, words.length - at); 0 < count; count -= 1) {
    const some = words.slice(at, at + count);
    if (some.some(({ lead, trail }, index) => (0 < index && lead !== "") || (index < count - 1 && trail !== ""))) continue;
    const saying = sayings.get(some.map(({ core }) => core.toLowerCase()).join(" "));
    if (saying !== undefined) return { saying, count };
  }
  return { count: 1 };
}

const isWord = (key: string) => /^[a-z][a-z' -]{0,40}$/.test(key);

/** A line without the marks that a web page or a list puts around it. */
export function unmarked(text: string): string {
  const plain = text.replace(/^\s{0,40}(?:[-*+>] |\d{1,3}[.)] ){0,3}/, "");
  return /^([_*`~]{1,3})(?<inner>.{4,2000})\1$/.exec(plain.trim())?.groups?.["inner"] ?? plain;
}

// To the letter first: who leaves out a word of `failed to` does not say it any more.
const indexes = { plain: once(() => indexOf(false)), said: once(() => indexOf(true)) };

function indexOf(said: boolean) {
  // What people tell is no program's sentence: another word there says another thing.
  const left = new Set<Signature>([...advice, ...people, ...availability, ...profilesTold]);
  const known: Known[] = [];
  for (const signature of signatures.flat())
    if (!left.has(signature) && !signature.single)
      for (const example of signature.examples) known.push(...knownOf(signature, example, said));
  const holders = new Map<string, number[]>();
  known.forEach(({ words }, at) => {
    for (const word of new Set(words)) holders.set(word, [...(holders.get(word) ?? []), at]);
  });
  const weigh = (word: string) => Math.log(1 + known.length / (holders.get(word)?.length ?? 1));
  for (const each of known) each.weight = [...new Set(each.words)].reduce((sum, word) => sum + weigh(word), 0);
  return { known, holders, weigh };
}

function knownOf(signature: Signature, example: string, said: boolean): Known[] {
  const match = new RegExp(signature.pattern.source, `${signature.pattern.flags.replace(/[gd]/g, "")}d`).exec(example);
  if (!match) return [];
  const [from, end] = match.indices![0]!;
  const spans = Object.values(match.indices!.groups ?? {}).filter((span) => span !== undefined);
  const tokens = tokensOf(example, said);
  const within = tokens.flatMap(({ start, raw }, at) => (start < end && from < start + raw.length ? [at] : []));
  const values = new Set(
    within.filter((at) => spans.some(([a, b]) => tokens[at]!.start < b && a < tokens[at]!.start + tokens[at]!.raw.length)),
  );
  const words = within.filter((at) => !values.has(at)).map((at) => tokens[at]!.key);
  // What only mentions something is no message.
  const made = signature.facts(match.groups ?? {}, match);
  if (words.length === 0 || ![made ?? []].flat().some(isTaken)) return [];
  return [{ signature, text: example, tokens, first: within[0]!, last: within.at(-1)!, values, words, weight: 0 }];
}

/** The known messages that share most with a line. */
function candidates(tokens: Token[], said: boolean): { known: Known; share: number }[] {
  const { known, holders, weigh } = said ? indexes.said() : indexes.plain();
  const scores = new Map<number, number>();
  for (const word of new Set(tokens.map(({ key }) => key)))
    for (const at of holders.get(word) ?? []) scores.set(at, (scores.get(at) ?? 0) + weigh(word));
  return [...scores]
    .map(([at, score]) => ({ known: known[at]!, share: score / known[at]!.weight }))
    .filter(({ share }) => leastShare <= share)
    .sort((a, b) => b.share - a.share || b.known.words.length - a.known.words.length)
    .slice(0, 6);
}

const leastShare = 0.5;
const longestLine = 1500;

// How many words may differ in a message of so many.
const allowance = (words: number) => (words <= 2 ? 0 : words <= 6 ? 1 : words <= 12 ? 2 : 3);

/** What a line says if it is a known message in other words; of two lines, one that begins before `turn` and goes on after it. */
export function rewordedFacts(line: string, turn?: number): Draft[] {
  // Python's own sentence about any object: the names in it say all, and the words around them nothing.
  if (/(?:AttributeError|KeyError|NameError): /.test(line)) return [];
  const text = unmarked(line);
  if (longestLine < text.length) return [];
  const until = turn === undefined ? undefined : turn - Math.max(0, line.indexOf(text));
  const plain = readAs(text, until, false);
  return 0 < plain.length ? plain : readAs(text, until, true);
}

function readAs(text: string, until: number | undefined, said: boolean): Draft[] {
  const tokens = tokensOf(text, said);
  for (const { known, share } of candidates(tokens, said)) {
    if (share < (known.words.length <= 4 ? 0.7 : 0.6)) continue;
    if (known.words.length <= fewWords && !hasOwnWords(known, tokens)) continue;
    const restored = restoredFrom(known, tokens);
    if (restored === undefined || (until !== undefined && (until < restored.from || restored.end < until))) continue;
    const match = known.signature.pattern.exec(restored.text);
    const made = match ? known.signature.facts(match.groups ?? {}, match) : undefined;
    if (made !== undefined) return [made].flat();
  }
  return [];
}

// So few words tell only that something cannot be done: with other words for that it is another program's message.
const fewWords = 3;

const hasOwnWords = ({ tokens, first, last }: Known, line: Token[]) =>
  tokens.slice(first, last + 1).every(({ key, own }) => key !== "cannot" || line.some((each) => each.own === own));

/** The known message that a line is most like, where it is like any. */
export function alikeOf(line: string): Alike | undefined {
  const text = unmarked(line);
  if (longestLine < text.length) return undefined;
  const best = candidates(tokensOf(text, true), true).find(({ known, share }) => fewestWords <= known.words.length && nearEnough <= share);
  return best && { example: best.known.text, share: best.share };
}

// Of fewer words many a sentence has most.
const fewestWords = 4;
// Below this share a message is about something else.
const nearEnough = 0.7;

const never = 1000;

/** The example with the values of the line; undefined where too much differs, or something that turns the sentence round. */
function restoredFrom(known: Known, line: Token[]): { text: string; from: number; end: number } | undefined {
  const { tokens, first, last, values, words } = known;
  const count = last - first + 1;
  const width = line.length + 1;
  // The least that must be changed to lay the first tokens of the example beside the line up to some place; the line may go on on both sides.
  const cost = new Float64Array((count + 1) * width);
  for (let at = 1; at <= count; at += 1) {
    const index = first + at - 1;
    cost[at * width] = cost[(at - 1) * width]! + leaving(tokens[index]!, values.has(index));
    for (let place = 1; place < width; place += 1) {
      const beside = cost[(at - 1) * width + place - 1]! + swapping(tokens[index]!, line[place - 1]!, values.has(index));
      const left = cost[(at - 1) * width + place]! + leaving(tokens[index]!, values.has(index));
      const more = cost[at * width + place - 1]! + (at === count ? never : adding(line[place - 1]!));
      cost[at * width + place] = Math.min(beside, left, more);
    }
  }
  let place = 0;
  for (let each = 1; each < width; each += 1) if (cost[count * width + each]! < cost[count * width + place]!) place = each;
  if (allowance(words.length) < cost[count * width + place]!) return undefined;
  const put = new Map<number, string>();
  const end = line[place - 1]?.start ?? 0;
  for (let at = count; 0 < at && 0 < place;) {
    const index = first + at - 1;
    const here = cost[at * width + place]!;
    if (here === cost[(at - 1) * width + place - 1]! + swapping(tokens[index]!, line[place - 1]!, values.has(index))) {
      if (values.has(index)) put.set(index, line[place - 1]!.core);
      at -= 1;
      place -= 1;
    } else if (here === cost[(at - 1) * width + place]! + leaving(tokens[index]!, values.has(index))) at -= 1;
    else place -= 1;
  }
  const begin = line[place]?.start ?? 0;
  let restored = "";
  let from = 0;
  tokens.forEach(({ raw, lead, trail, start }, index) => {
    const value = put.get(index);
    restored += known.text.slice(from, start) + (value === undefined ? raw : `${lead}${value}${trail}`);
    from = start + raw.length;
  });
  return { text: restored + known.text.slice(from), from: begin, end };
}

// A name or a number is what the message is about; a dash is nothing.
const leaving = ({ key, word, fixed, subject }: Token, isValue: boolean) =>
  isValue || fixed || (!word && /[\w[\](){}]/.test(key)) ? never : subject ? 2 : 1;
const adding = ({ key, word, fixed }: Token) => (!fixed && (word || !/\w/.test(key)) ? 1 : never);

function swapping(example: Token, line: Token, isValue: boolean): number {
  if (isValue) return isLike(example.core, line.core) ? 0 : never;
  if (example.key === line.key) return 0;
  if (isMisspelt(line.own, example.own) && !line.fixed) return 0.5;
  // What is no word is a name: one name is not another.
  if (!example.word || !line.word || example.fixed || line.fixed || line.subject) return never;
  return example.subject ? 2 : 1;
}

/** Whether a long word is another one but for one letter more, less or other, or two that changed places. */
function isMisspelt(word: string, meant: string): boolean {
  if (word.length < 6 || meant.length < 6 || 1 < Math.abs(word.length - meant.length) || !isWord(word) || sayings.has(word)) return false;
  let at = 0;
  while (word[at] === meant[at] && at < word.length) at += 1;
  // A first letter makes another word of it: `invalid` is not `valid`.
  if (at === 0) return false;
  const swapped = word[at] === meant[at + 1] && word[at + 1] === meant[at] && word.slice(at + 2) === meant.slice(at + 2);
  return (
    swapped ||
    word.slice(at + 1) === meant.slice(at + 1) ||
    word.slice(at + 1) === meant.slice(at) ||
    word.slice(at) === meant.slice(at + 1)
  );
}

const ofCuda = /^\W{0,3}(?:cu|cuda|cupti|cudnn|cublas|nvml|nccl|nvrtc|hip)[A-Z]\w/;

/** Whether one value can stand for another: numbers for numbers, files for files, words for words. */
function isLike(example: string, line: string): boolean {
  if (line === "") return false;
  // A function of CUDA's says whose error it is: no other word stands in its place.
  if (ofCuda.test(example)) return ofCuda.test(line);
  if (/\.so\b|\.dll$/i.test(example)) return /\.so\b|\.dll$/i.test(line);
  if (/[/\\]/.test(example)) return /[/\\]/.test(line);
  return /\d/.test(example) === /\d/.test(line);
}
