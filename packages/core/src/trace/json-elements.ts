import { decode } from "../lib/text.ts";

/** Goes through JSON of any size, and hands out the objects in some of its lists, one after the other. */
export interface ElementWalk {
  /** False where the bytes make no sense any more. */
  push(chunk: Uint8Array): boolean;
  /** How far it came. */
  readonly offset: number;
  readonly isWhole: boolean;
}

/** No element that matters is longer, and nothing real lies deeper. */
const longestElement = 4 << 20;
const deepest = 64;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

interface Walk {
  wanted: Set<string>;
  take: (path: string, text: string) => void;
  /** Bytes that were not used up yet. */
  buffer: Uint8Array;
  stack: { isList: boolean; key: string }[];
  begun: boolean;
}

/** Where more bytes are needed, and where they make no sense. */
const incomplete = -1;
const broken = -2;

/** `wanted`: paths of lists below `{ name: [{ … }] }`, with dots. */
export function walkElements(wanted: Set<string>, take: (path: string, text: string) => void): ElementWalk {
  const walk: Walk = { wanted, take, buffer: new Uint8Array(0), stack: [], begun: false };
  let offset = 0;
  let failed = false;
  return {
    push(chunk) {
      if (failed) return false;
      const joined = new Uint8Array(walk.buffer.length + chunk.length);
      joined.set(walk.buffer);
      joined.set(chunk, walk.buffer.length);
      walk.buffer = joined;
      const used = goOn(walk);
      failed = used < 0 || longestElement < joined.length - used;
      if (!failed) {
        offset += used;
        walk.buffer = joined.slice(used);
      }
      return !failed;
    },
    get offset() {
      return offset;
    },
    get isWhole() {
      return walk.begun && walk.stack.length === 0;
    },
  };
}

/** Goes as far as the bytes make sense; answers with how many are used up. */
function goOn(walk: Walk): number {
  const { buffer } = walk;
  for (let at = 0; at < buffer.length;) {
    const byte = buffer[at]!;
    const next =
      byte === quote
        ? passText(walk, at)
        : byte === openBrace || byte === openBracket
          ? enter(walk, at)
          : byte === closeBrace || byte === closeBracket
            ? leave(walk, at)
            : at + 1;
    if (next === incomplete) return at;
    if (next === broken) return broken;
    at = next;
  }
  return buffer.length;
}

/** The place after the text that begins at the quote. */
function textEnd(buffer: Uint8Array, from: number): number {
  for (let at = from + 1; at < buffer.length; at += 1) {
    if (buffer[at] === backslash) at += 1;
    else if (buffer[at] === quote) return at + 1;
  }
  return incomplete;
}

/** A value in quotes, or a key: that is seen at what follows. */
function passText({ buffer, stack }: Walk, at: number): number {
  const end = textEnd(buffer, at);
  if (end < 0) return incomplete;
  let next = end;
  while (next < buffer.length && buffer[next]! <= 0x20) next += 1;
  if (next === buffer.length) return incomplete;
  const top = stack.at(-1);
  if (top && !top.isList && buffer[next] === colon) top.key = decode(buffer, at + 1, end - 1);
  return end;
}

function enter(walk: Walk, at: number): number {
  const { buffer, stack, wanted, take } = walk;
  walk.begun = true;
  const isList = buffer[at] === openBracket;
  if (!isList && stack.at(-1)?.isList) {
    const path = stack
      .slice(2, -1)
      .map(({ key }) => key)
      .join(".");
    if (wanted.has(path)) {
      const end = elementEnd(buffer, at);
      if (0 < end) take(path, decode(buffer, at, end));
      return end;
    }
  }
  if (deepest <= stack.length) return broken;
  stack.push({ isList, key: "" });
  return at + 1;
}

function elementEnd(buffer: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === quote) {
      const end = textEnd(buffer, at);
      if (end < 0) return incomplete;
      at = end - 1;
    } else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return incomplete;
}

function leave({ buffer, stack }: Walk, at: number): number {
  return stack.pop()?.isList === (buffer[at] === closeBracket) ? at + 1 : broken;
}
