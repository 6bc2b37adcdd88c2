// JSON as bytes: where strings and values end, and the numbers in them. Whoever looks at bytes that are not whole yet puts a few quotes
// behind them (`guard`): every loop stops there, and that it is beyond the end is noticed then.
import { decode } from "../lib/text.ts";

export const quote = 0x22;
export const backslash = 0x5c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const comma = 0x2c;
export const colon = 0x3a;

/** So many quotes stand after the bytes: the first may seem escaped, and a name of four letters is looked at as a whole. */
export const guard = 16;

/** Instead of a place: the bytes end within the value. */
export const incomplete = -1;
/** Instead of a place: this is not JSON. */
export const broken = -2;

/** The first place from here on that is no blank and no control character. */
export function afterBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at]! <= 0x20) at += 1;
  return at;
}

/** Where a string ends: the place of its closing quote. There are quotes after the end of the bytes, so that there is always one. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    while (bytes[at] !== quote) at += 1;
    let slashes = at;
    while (from < slashes && bytes[slashes - 1] === backslash) slashes -= 1;
    if ((at - slashes) % 2 === 0) return at;
    at += 1;
  }
}

/** The place after a value. */
export function skipValue(bytes: Uint8Array, from: number, end: number): number {
  const first = bytes[from]!;
  if (first === openBrace || first === openBracket) return skipNested(bytes, from, end);
  if (first !== quote) return skipPlain(bytes, from, end);
  const close = stringEnd(bytes, from + 1);
  return end <= close ? incomplete : close + 1;
}

/** The place after a number or a word: `true`, `null`, `NaN`. */
function skipPlain(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) break;
    if (byte === quote || byte === colon) return broken;
    at += 1;
  }
  return at === from ? broken : at;
}

/** The place after an object or a list. */
function skipNested(bytes: Uint8Array, from: number, end: number): number {
  let depth = 0;
  let at = from;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = stringEnd(bytes, at + 1);
      if (end <= at) return incomplete;
    } else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    at += 1;
  }
  return incomplete;
}

const powers = Array.from({ length: 20 }, (_, power) => 10 ** -power);

/** The number that stands in these bytes. Beyond what a double holds it is rounded; NaN where there is no number. */
export function numberIn(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  const negative = bytes[at] === 0x2d;
  if (negative) at += 1;
  let value = 0;
  const first = at;
  for (; at < end; at += 1) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || 9 < digit) break;
    value = value * 10 + digit;
  }
  if (at < end && bytes[at] === 0x2e && first < at) {
    at += 1;
    let fraction = 0;
    let digits = 0;
    for (; at < end; at += 1) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || 9 < digit) break;
      if (digits < 15) {
        fraction = fraction * 10 + digit;
        digits += 1;
      }
    }
    value += fraction * powers[digits]!;
  }
  if (at < end || first === end) return Number(decode(bytes, start, end).trim() || "NaN");
  return negative ? -value : value;
}

/** What a visitor is told about each member of an object. */
type MemberVisitor = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void;

/** Goes through the members of an object, not into them. */
export function eachMember(bytes: Uint8Array, start: number, end: number, visit: MemberVisitor): void {
  let at = start + 1;
  while (at < end) {
    while (at < end && bytes[at] !== quote && bytes[at] !== closeBrace) at += 1;
    if (end <= at || bytes[at] === closeBrace) return;
    const keyEnd = stringEnd(bytes, at + 1);
    if (end <= keyEnd) return;
    const keyStart = at + 1;
    at = keyEnd + 1;
    while (at < end && (bytes[at]! <= 0x20 || bytes[at] === colon)) at += 1;
    if (end <= at) return;
    const next = skipValue(bytes, at, end);
    if (next < 0) return;
    visit(keyStart, keyEnd, at, next);
    at = next;
  }
}
