import { decode } from "../lib/text.ts";

/** Names by number: a trace repeats few names millions of times, and a text per event would cost more than all the rest. */
export interface Names {
  /** The number of the name that stands in these bytes. */
  number(bytes: Uint8Array, start: number, end: number): number;
  numberOf(text: string): number;
  text(number: number): string;
  /** How many there are; numbers are below it. */
  readonly count: number;
}

/** What is not kept once the bound on memory is reached. */
export const unnamed = 0;

/** With `json`, names are taken as JSON has them, and their escapes are undone when they are asked for. */
export function createNames(json: boolean, mostBytes = 64 << 20): Names {
  let slots = new Int32Array(1 << 12).fill(-1);
  let hashes = new Int32Array(1 << 11);
  // Where each name starts in `kept`; the next one's start is its end.
  let starts = new Uint32Array((1 << 11) + 1);
  let kept = new Uint8Array(1 << 16);
  let count = 1;
  const encoder = new TextEncoder();

  const grow = (length: number) => {
    if (count === hashes.length) {
      hashes = copied(new Int32Array(count * 2), hashes);
      starts = copied(new Uint32Array(count * 2 + 1), starts);
      slots = new Int32Array(count * 4).fill(-1);
      for (let number = 1; number < count; number += 1) {
        let slot = hashes[number]! & (slots.length - 1);
        while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
        slots[slot] = number;
      }
    }
    const used = starts[count]!;
    if (kept.length < used + length) kept = copied(new Uint8Array(Math.max(kept.length * 2, used + length)), kept);
  };

  // Names come again and again: a guess from length and a few letters, made sure by comparing, is half the work of the whole way.
  const recent = new Int32Array(1 << 12);
  const number = (bytes: Uint8Array, start: number, end: number): number => {
    const length = end - start;
    const guess =
      16 <= length
        ? (length + 5 * bytes[end - 3]! + 31 * bytes[end - 7]! + 127 * bytes[start + 7]! + 511 * bytes[start + (length >> 1)]!) & 4095
        : -1;
    if (0 <= guess) {
      const known = recent[guess]!;
      if (known !== 0 && same(kept, starts[known]!, starts[known + 1]!, bytes, start, length)) return known;
    }
    const found = find(bytes, start, end);
    if (0 <= guess) recent[guess] = found;
    return found;
  };
  const find = (bytes: Uint8Array, start: number, end: number): number => {
    const length = end - start;
    let hash = length;
    for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 13;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let found = slots[slot]!; found !== -1; found = slots[slot]!) {
      if (hashes[found] === hash && same(kept, starts[found]!, starts[found + 1]!, bytes, start, length)) return found;
      slot = (slot + 1) & mask;
    }
    if (mostBytes < starts[count]! + length) return unnamed;
    grow(length);
    slot = hash & (slots.length - 1);
    while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = count;
    hashes[count] = hash;
    const used = starts[count]!;
    for (let at = 0; at < length; at += 1) kept[used + at] = bytes[start + at]!;
    starts[count + 1] = used + length;
    count += 1;
    return count - 1;
  };

  return {
    number,
    numberOf(text) {
      const bytes = encoder.encode(text);
      return number(bytes, 0, bytes.length);
    },
    text(wanted) {
      if (wanted <= unnamed || count <= wanted) return "(name not kept)";
      const text = decode(kept, starts[wanted]!, starts[wanted + 1]!);
      return json ? unescaped(text) : text;
    },
    get count() {
      return count;
    },
  };
}

// Every place that runs this code has one; the core is compiled without the types of any of them.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

function copied<T extends { set(from: T): void }>(to: T, from: T): T {
  to.set(from);
  return to;
}

function same(kept: Uint8Array, from: number, to: number, bytes: Uint8Array, start: number, length: number): boolean {
  if (to - from !== length) return false;
  for (let at = 0; at < length; at += 1) if (kept[from + at] !== bytes[start + at]) return false;
  return true;
}

/** The text that a JSON string stands for. What writers get wrong (lone backslashes, control characters) stays as it is. */
export function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/gs, (whole, escape: string) => {
    if (escape.length === 5) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    const plain = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", '"': '"', "\\": "\\", "/": "/" }[escape];
    return plain ?? whole;
  });
}
