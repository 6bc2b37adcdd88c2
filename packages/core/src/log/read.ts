import { once } from "../lib/memo.ts";
import { automatonOf } from "./automaton.ts";
import { cleanLine, withoutColours } from "./clean.ts";
import { isTaken, type Draft, type Fact } from "./fact.ts";
import { behindRows, grammarLiterals } from "./behind.ts";
import { dumps, signatures } from "./index.generated.ts";
import type { LogLine } from "../model/explain.ts";
import { isSupposed } from "./hypothetical.ts";
import { isText, lineCutter, plainBytes, textOf, type RawLine } from "./lines.ts";
import type { Signature } from "./signature.ts";

const all: Signature[] = [...signatures, ...dumps].flat();

// Signs that a line must be cleaned before its words can be seen.
const veils = ["\u001b", "\\u001b", "&#", "&quot;", "&lt;", "&gt;", "&amp;", "&nbsp;", "%20", '\\"'];

const literals = [...new Set(all.flatMap((signature) => signature.literals))];
const bySignature = grouped(all);
const automatonOfAll = once(() => automatonOf([...literals, ...veils, ...grammarLiterals]));

function grouped(some: Signature[]): Map<string, Signature[]> {
  const groups = new Map<string, Signature[]>();
  for (const signature of some) for (const literal of signature.literals) groups.set(literal, [...(groups.get(literal) ?? []), signature]);
  return groups;
}

// To make the automaton takes longer than to look for each word in the lines of a short text.
const fewLookups = 300;

// Messages of several lines, and lines that a terminal or a paste has cut.
const joinedLines = 4;
// Longer texts are written by machines, which do not wrap; a paste is shorter.
const mostJoined = 50_000;
// The same message a thousand times says no more than once; many different ones are cut off.
const mostOfOne = 400;
const mostFacts = 4000;
// Of the lines that say the same once more; the last of them may be the end of the program.
const mostRepeats = 20;
// Of lines in a long log that differ in their numbers alone, these many are read.
const oftenSeen = 100;
const mostShapes = 100_000;
const shownText = 400;
// The end of a text says most of why a program ended.
const tailLines = 12;

const firstLines = 300;
const lastLines = 100;
const mostCompared = 600;

// A long line is shown from a little before the words that were recognised, where those are far from its beginning.
const farOff = 120;
const before = 40;

function excerpt(text: string, found: number): string {
  const space = text.indexOf(" ", found - before);
  const begin = found <= farOff ? 0 : 0 <= space && space < found ? space + 1 : found - before;
  const shown = text.slice(begin).trim();
  return `${begin === 0 ? "" : "…"}${shown.length <= shownText ? shown : `${shown.slice(0, shownText)}…`}`;
}

interface Kept {
  number: number;
  text: string;
}

/** What a text holds: its facts, its last lines, and the lines by which it is compared with other texts. */
interface Read {
  facts: Fact[];
  lines: number;
  tail: LogLine[];
  compared: LogLine[];
}

/** Takes bytes as they come, and gives the facts at the end. Memory does not grow with the text. */
export function logReader(): { push(chunk: Uint8Array): void; end(): Read } {
  let automaton: ReturnType<typeof automatonOfAll> | undefined;
  const words = () => (automaton ??= automatonOfAll());
  let lookups = 0;
  const facts: Fact[] = [];
  const seen = new Map<string, Fact>();
  const counts = new Map<Signature, number>();
  // The last lines, each still to be tried together with those that follow.
  const open: Kept[] = [];
  // After a line with a known word, the next few are kept whatever they hold.
  let wanted = 0;
  let tried = 0;
  let bytesSeen = 0;
  const shapes = new Map<number, number>();
  // A paste, where lines may be wrapped and words cut.
  let small = true;
  const tail: LogLine[] = [];
  // What a text is compared by, where nothing in it is known: its first lines and its last.
  const [begin, late]: [LogLine[], LogLine[]] = [[], []];
  const taken = new Set<number>();
  const behind = behindRows();

  const take = (raw: RawLine): void => {
    bytesSeen += raw.end - raw.start;
    small = bytesSeen < 1 << 20;
    const hit = small || (words().hits(raw.bytes, raw.start, raw.end) && isNews(raw));
    if (!hit && wanted === 0) return;
    wanted = hit ? joinedLines - 1 : wanted - 1;
    const whole = textOf(raw);
    if (!isText(whole)) return;
    const text = cleanLine(whole);
    if (text === "") return;
    open.push({ number: raw.number, text });
    tail.push({ line: raw.number, text: excerpt(text, 0) });
    if (tailLines < tail.length) tail.shift();
    const compared = { line: raw.number, text: withoutColours(whole).slice(0, mostCompared).trimEnd() };
    if (begin.length < firstLines) begin.push(compared);
    else if (late.push(compared) > lastLines) late.shift();
    if (joinedLines <= open.length) tryFirst();
  };

  // A line that differs only in its numbers from many before it is progress, not a message.
  const isNews = ({ bytes, start, end }: RawLine): boolean => {
    let shape = 0;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at]!;
      if (byte < 48 || 57 < byte) shape = Math.imul(shape ^ byte, 16_777_619);
    }
    const times = (shapes.get(shape) ?? 0) + 1;
    if (times <= oftenSeen && (shapes.size < mostShapes || 1 < times)) shapes.set(shape, times);
    return times <= oftenSeen;
  };

  const tryFirst = (): void => {
    const [line, ...following] = open;
    open.shift();
    if (line) tryLine(line, following);
  };

  const tryLine = (line: Kept, following: Kept[]): void => {
    const candidates = signaturesFor(line.text);
    const near = following.filter(({ number }) => number - line.number < joinedLines);
    const joins = tried < mostJoined && 0 < near.length;
    // A word that was cut at the end of the line.
    if (joins && small) {
      const [tail, head] = [line.text.slice(-60), near[0]!.text.trimStart().slice(0, 60)];
      for (const signature of [...signaturesFor(tail + head), ...signaturesFor(`${tail} ${head}`)]) candidates.add(signature);
    }
    for (const signature of candidates) {
      if (record(signature, line, line.text, Infinity) || signature.single || !joins) continue;
      tried += 1;
      const joined = wholest(signature, line, near);
      if (joined === undefined || !record(signature, line, joined, line.text.length)) continue;
      // What was read as the rest of a message is not read once more.
      if (taken.has(line.number)) for (const { number, text } of near) if (joined.includes(text.trim())) taken.add(number);
    }
    for (const { drafts, by } of behind(line.text, joins && small ? near[0]!.text : undefined, taken.has(line.number)))
      for (const draft of drafts) keep(draft, line, excerpt(line.text, 0), by);
  };

  const keep = (draft: Draft, line: Kept, shown: string, grammar?: string): boolean => {
    const key = JSON.stringify(draft);
    const first = seen.get(key);
    if (first) (first.again ??= []).splice(mostRepeats, 1, line.number);
    if (first || mostFacts <= facts.length) return false;
    const fact = { ...draft, at: { line: line.number, text: shown }, ...(grammar === undefined ? {} : { grammar }) } as Fact;
    seen.set(key, fact);
    facts.push(fact);
    return true;
  };

  // Of the ways to join the lines, the shortest that fits; a longer one where it gives more of what the message can say.
  const wholest = (signature: Signature, line: Kept, near: Kept[]): string | undefined => {
    let best: string | undefined;
    let said = -1;
    // What the next line says by itself is no word that was cut: nothing is put before it.
    const whole = signature.pattern.test(near[0]!.text);
    for (let count = 1; count <= near.length; count += 1) {
      const parts = near.slice(0, count).map(({ text }) => text.trimStart());
      for (const text of [[line.text, ...parts].join(" "), ...(whole ? [] : [[line.text, ...parts].join("")])]) {
        const match = signature.pattern.exec(text);
        if (!match || line.text.length <= match.index) continue;
        const groups = Object.values(match.groups ?? {}).filter((group) => group !== undefined).length;
        if (groups <= said) continue;
        [best, said] = [text, groups];
      }
    }
    return best;
  };

  const signaturesFor = (text: string): Set<Signature> => {
    const found = new Set<Signature>();
    const take = (literal: string | undefined) => {
      for (const signature of bySignature.get(literal ?? "") ?? []) found.add(signature);
    };
    if ((lookups += 1) <= fewLookups && automaton === undefined) {
      const lower = text.toLowerCase();
      for (const literal of literals) if (lower.includes(literal)) take(literal);
    } else for (const index of words().words(text)) take(literals[index]);
    return found;
  };

  /** Whether it fits; of joined lines only what begins in the first counts. */
  const record = (signature: Signature, line: Kept, text: string, within: number): boolean => {
    const matches = signature.every ? everyMatch(signature.pattern, text) : [signature.pattern.exec(text)];
    let any = false;
    for (const match of matches) {
      if (!match || within <= match.index || isOnlySupposed(signature, match)) continue;
      const made = signature.facts(match.groups ?? {}, match);
      if (made === undefined) continue;
      any = true;
      for (const draft of [made].flat()) {
        if (isTaken(draft)) taken.add(line.number);
        const count = counts.get(signature) ?? 0;
        if (count < mostOfOne && keep(draft, line, excerpt(text, match.index))) counts.set(signature, count + 1);
      }
    }
    return any;
  };

  const cutter = lineCutter(take);
  const push = plainBytes(cutter.push);
  return {
    push,
    end() {
      const lines = cutter.end();
      while (0 < open.length) tryFirst();
      return { facts: facts.sort((a, b) => a.at.line - b.at.line), lines, tail, compared: [...begin, ...late] };
    },
  };
}

// A message may itself begin with "if": its own words are no supposition of somebody else's.
const isOnlySupposed = ({ pattern }: Signature, match: RegExpExecArray): boolean =>
  !/^\W{0,6}if /i.test(pattern.source) && isSupposed(match.input, match.index);

function everyMatch(pattern: RegExp, text: string): RegExpExecArray[] {
  const global = new RegExp(pattern.source, `${pattern.flags.replace("g", "")}g`);
  return [...text.matchAll(global)].slice(0, 50);
}
