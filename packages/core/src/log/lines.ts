import { characters, decode } from "../lib/text.ts";

/** A stretch of bytes that is one line, or a part of a line that has no end in sight. */
export interface RawLine {
  bytes: Uint8Array;
  start: number;
  end: number;
  /** From 1; carriage returns begin no new one. */
  number: number;
}

// Nobody writes a message this long. What is longer is looked at piece by piece, the pieces overlapping.
const longest = 1 << 16;
const overlap = 1 << 10;

/** Cuts bytes into lines as they come. Progress bars overwrite a line with carriage returns: each version counts as a line. */
export function lineCutter(take: (line: RawLine) => void): { push(chunk: Uint8Array): void; end(): number } {
  let rest = new Uint8Array(0);
  let number = 1;
  let any = false;

  const cut = (bytes: Uint8Array): void => {
    let start = 0;
    let [feed, back] = [bytes.indexOf(10), bytes.indexOf(13)];
    while (0 <= feed || 0 <= back) {
      const isFeed = 0 <= feed && (back < 0 || feed < back);
      const at = isFeed ? feed : back;
      give(bytes, start, at);
      start = at + 1;
      if (isFeed) {
        number += 1;
        feed = bytes.indexOf(10, start);
      } else back = bytes.indexOf(13, start);
    }
    rest = bytes.slice(start);
    if (longest < rest.length) {
      give(rest, 0, rest.length);
      rest = rest.slice(rest.length - overlap);
    }
  };

  const give = (bytes: Uint8Array, start: number, end: number): void => {
    for (let from = start; from < end; from += longest - overlap) {
      take({ bytes, start: from, end: Math.min(end, from + longest), number });
      if (end <= from + longest) break;
    }
  };

  return {
    push(chunk) {
      if (chunk.length === 0) return;
      any = true;
      if (rest.length === 0) return cut(chunk);
      const whole = new Uint8Array(rest.length + chunk.length);
      whole.set(rest);
      whole.set(chunk, rest.length);
      cut(whole);
    },
    end() {
      if (0 < rest.length) give(rest, 0, rest.length);
      return any ? number - (rest.length === 0 ? 1 : 0) : 0;
    },
  };
}

/** UTF-8 where it is; what is not is read a byte a character. */
export function textOf({ bytes, start, end }: RawLine): string {
  const text = decode(bytes, start, end);
  return text.includes("\ufffd") ? characters(bytes, start, end) : text;
}

// What a terminal moves about with is text, as are colours.
// oxlint-disable-next-line no-control-regex
const unprintable = /[\u0001-\u0006\u000e-\u001a\u001c-\u001f\u007f-\u009a\u009c-\u009f]/g;

/** Bytes of a program, an archive or a picture are no words, whatever three of them spell. */
export const isText = (text: string): boolean => (text.match(unprintable)?.length ?? 0) <= text.length / 20;

/** Makes UTF-8 of UTF-16, which PowerShell writes; passes on everything else. Told by the first bytes. */
export function plainBytes(give: (chunk: Uint8Array) => void): (chunk: Uint8Array) => void {
  let wide: "little" | "big" | "no" | undefined;
  let odd: number | undefined;
  let high = 0;
  return (chunk) => {
    if (wide === undefined) {
      if (chunk.length === 0) return;
      wide = widthOf(chunk);
    }
    if (wide === "no") return give(chunk);
    const bytes: number[] = [];
    let at = 0;
    const unit = (first: number, second: number) => {
      const code = wide === "little" ? first | (second << 8) : (first << 8) | second;
      if (code === 0xfeff) return;
      if (0xd800 <= code && code < 0xdc00) {
        high = code;
        return;
      }
      const point = 0xdc00 <= code && code < 0xe000 ? (high === 0 ? 0xfffd : 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00)) : code;
      high = 0;
      if (point < 0x80) bytes.push(point);
      else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
      else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
      else bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    };
    if (odd !== undefined && 0 < chunk.length) {
      unit(odd, chunk[0]!);
      at = 1;
    }
    for (; at + 1 < chunk.length; at += 2) unit(chunk[at]!, chunk[at + 1]!);
    odd = at < chunk.length ? chunk[at] : undefined;
    give(Uint8Array.from(bytes));
  };
}

function widthOf(chunk: Uint8Array): "little" | "big" | "no" {
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return "little";
  if (chunk[0] === 0xfe && chunk[1] === 0xff) return "big";
  // Without a mark: plain letters in UTF-16 have every other byte zero.
  const sample = chunk.subarray(0, 256 - (chunk.length < 256 ? chunk.length % 2 : 0));
  let [even, odd] = [0, 0];
  for (let at = 0; at + 1 < sample.length; at += 2) {
    if (sample[at] === 0) even += 1;
    if (sample[at + 1] === 0) odd += 1;
  }
  const half = sample.length / 2;
  if (4 <= half && 0.7 * half < odd && even < 0.1 * half) return "little";
  if (4 <= half && 0.7 * half < even && odd < 0.1 * half) return "big";
  return "no";
}
