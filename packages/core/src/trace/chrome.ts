import { decode } from "../lib/text.ts";

/**
 * One event of a Chrome trace, as places in the bytes that were just read. The record is used again for the next event: what is to
 * be kept must be taken out at once. A place is -1 where the member is absent.
 */
export interface ChromeEvent {
  bytes: Uint8Array;
  /** The letter: X complete, M metadata, i instant, s/f flow, B/E begin and end. */
  phase: number;
  time: number;
  duration: number;
  process: number;
  thread: number;
  categoryStart: number;
  categoryEnd: number;
  nameStart: number;
  nameEnd: number;
  /** The object of arguments, with its braces. */
  argsStart: number;
  argsEnd: number;
}

export interface ChromeHandler {
  event(event: ChromeEvent): void;
  /** A member of the outermost object other than the events, as JSON text; undefined when it was too long to keep. */
  member(name: string, text: string | undefined): void;
}

export interface Damage {
  /** Where in the (unpacked) bytes. */
  offset: number;
  reason: string;
}

export interface ChromeReader {
  push(chunk: Uint8Array): void;
  end(): void;
  /** The first place that is not JSON, and how many more there were. */
  readonly damage: Damage | undefined;
  readonly unreadable: number;
  readonly events: number;
  /** Object: {"traceEvents": …}. Array: the events alone. */
  readonly shape: "object" | "array" | undefined;
  /** Whether the list of events was there, and whether the first elements looked like events. */
  readonly hasEvents: boolean;
  /** The bytes of the first element of an outermost array that is not an event. */
  readonly firstElement: string | undefined;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

// Members of an event, packed: their letters as one number.
const packed = (name: string) => [...name].reduce((sum, letter) => (sum << 8) | letter.charCodeAt(0), 0);
const keyPhase = packed("ph");
const keyTime = packed("ts");
const keyCategory = packed("cat");
const keyProcess = packed("pid");
const keyThread = packed("tid");
const keyDuration = packed("dur");
const keyName = packed("name");
const keyArguments = packed("args");

/** So many quotes stand after the bytes: the first may seem escaped, and a name of four letters is looked at as a whole. */
const guard = 16;

const incomplete = -1;
const broken = -2;

/** The longest event or member that is kept whole while it is read; a longer one is skipped. */
const longestValue = 32 << 20;

/**
 * Reads a Chrome trace of any size from pieces of bytes, and hands out one event after the other. It takes what torch, TensorFlow,
 * JAX and Python's json write: any order of members, NaN and Infinity, control characters, commas too many, a file that is cut
 * off. After something that is not JSON it goes on with the next event.
 */
export function readChrome(handler: ChromeHandler): ChromeReader {
  // Bytes that were not used up yet: the beginning of a value whose end has not come.
  let buffer: Uint8Array = new Uint8Array(0);
  let left = 0;
  let offset = 0;
  let state: "start" | "key" | "value" | "events" | "skip" | "search" | "done" = "start";
  let shape: "object" | "array" | undefined;
  let key = "";
  let events = 0;
  let hasEvents = false;
  let firstElement: string | undefined;
  let damage: Damage | undefined;
  let unreadable = 0;
  let skipDepth = 0;
  let skipString = false;
  let skipped = false;
  let afterSkip: "key" | "events" = "key";
  // An attempt at an incomplete value is repeated only when there are twice the bytes: cost stays linear.
  let enough = 0;

  const event: ChromeEvent = {
    bytes: buffer,
    phase: 0,
    time: Number.NaN,
    duration: Number.NaN,
    process: 0,
    thread: 0,
    categoryStart: -1,
    categoryEnd: -1,
    nameStart: -1,
    nameEnd: -1,
    argsStart: -1,
    argsEnd: -1,
  };

  const spoil = (at: number, reason: string) => {
    damage ??= { offset: offset + at, reason };
    unreadable += 1;
  };

  const parse = (bytes: Uint8Array, end: number, last: boolean): number => {
    let at = 0;
    for (;;) {
      if (state === "done") return end;
      if (state === "skip") {
        at = skipOn(bytes, at, end);
        if (!skipped) return at;
        state = afterSkip;
        continue;
      }
      if (state === "search") {
        const found = nextEvent(bytes, at, end);
        if (found < 0) return last ? end : Math.max(at, end - 64);
        at = found;
        state = "events";
        hasEvents = true;
        continue;
      }
      const here = at;
      while (at < end && bytes[at]! <= 0x20) at += 1;
      if (at === end) return end;
      const byte = bytes[at]!;
      if (state === "events") {
        if (byte === openBrace) {
          const next = readEvent(bytes, at, end);
          if (next === incomplete) {
            if (longestValue < end - at) {
              skipDepth = 0;
              skipString = false;
              state = "skip";
              afterSkip = "events";
              spoil(at, "an event of more than 32 MB was skipped");
              continue;
            }
            return at;
          }
          if (next === broken) {
            spoil(at, "an event that is not valid JSON");
            const found = nextEvent(bytes, at + 1, end);
            if (found < 0) {
              state = "search";
              return last ? end : Math.max(at + 1, end - 64);
            }
            at = found;
            continue;
          }
          at = next;
          events += 1;
          // A list that closes here may be closed by a writer who died and was appended to; what follows decides.
          handler.event(event);
        } else if (byte === comma) at += 1;
        else if (byte === closeBracket) {
          at += 1;
          if (shape === "array") {
            state = "done";
            return end;
          }
          state = "key";
        } else {
          // Elements that are no objects (a memory timeline is a list of lists): remember the first, skip the rest.
          if (shape === "array" && events === 0 && firstElement === undefined) firstElement = decode(bytes, at, Math.min(end, at + 200));
          const next = skipValue(bytes, at, end);
          if (next === incomplete) {
            if (longestValue < end - at) {
              skipDepth = 0;
              skipString = false;
              state = "skip";
              afterSkip = "events";
              continue;
            }
            return at;
          }
          if (next === broken) {
            spoil(at, "an element that is not valid JSON");
            state = "search";
            at += 1;
            continue;
          }
          at = next;
        }
        continue;
      }
      if (state === "start") {
        if (byte === 0xef && bytes[at + 1] === 0xbb) {
          at += 3;
          continue;
        }
        shape = byte === openBracket ? "array" : "object";
        hasEvents = shape === "array";
        state = shape === "array" ? "events" : "key";
        at += 1;
        continue;
      }
      if (state === "key") {
        if (byte === comma) {
          at += 1;
          continue;
        }
        if (byte === closeBrace) {
          state = "done";
          return end;
        }
        if (byte !== quote) {
          spoil(at, "something else where the name of a member should be");
          state = "search";
          continue;
        }
        const close = stringEnd(bytes, at + 1);
        if (end <= close) {
          if (longestValue < end - at) {
            spoil(at, "a name without an end");
            state = "done";
          }
          return here;
        }
        let next = close + 1;
        while (next < end && bytes[next]! <= 0x20) next += 1;
        if (next === end) return here;
        if (bytes[next] !== colon) {
          spoil(next, "no colon after the name of a member");
          state = "search";
          at = next;
          continue;
        }
        key = decode(bytes, at + 1, Math.min(close, at + 200));
        at = next + 1;
        state = "value";
        continue;
      }
      // A value of the outermost object.
      if (key === "traceEvents" && byte === openBracket) {
        hasEvents = true;
        state = "events";
        at += 1;
        continue;
      }
      const next = skipValue(bytes, at, end);
      // The end of the bytes ends a number only if nothing follows.
      if (next === incomplete || (next === end && !last && byte !== quote && byte !== openBrace && byte !== openBracket)) {
        if (longestValue < end - at) {
          handler.member(key, undefined);
          skipDepth = 0;
          skipString = false;
          state = "skip";
          afterSkip = "key";
          continue;
        }
        return at;
      }
      if (next === broken) {
        spoil(at, `the value of "${key}" is not valid JSON`);
        state = "search";
        continue;
      }
      handler.member(key, decode(bytes, at, next));
      at = next;
      state = "key";
    }
  };

  // Skips the rest of a value too long to keep: only its depth and whether a string is open are remembered.
  const skipOn = (bytes: Uint8Array, from: number, end: number): number => {
    let at = from;
    skipped = false;
    while (at < end) {
      const byte = bytes[at]!;
      at += 1;
      if (skipString) {
        if (byte === backslash) {
          // The escaped byte is in the next piece: both wait for it.
          if (at === end) return at - 1;
          at += 1;
        } else if (byte === quote) {
          skipString = false;
          skipped = skipDepth === 0;
          if (skipped) return at;
        }
      } else if (byte === quote) skipString = true;
      else if (byte === openBrace || byte === openBracket) skipDepth += 1;
      else if (byte === closeBrace || byte === closeBracket) {
        skipDepth -= 1;
        skipped = skipDepth <= 0;
        if (skipped) return at;
      }
    }
    return at;
  };

  const readEvent = (bytes: Uint8Array, from: number, end: number): number => {
    event.bytes = bytes;
    event.phase = 0;
    event.time = Number.NaN;
    event.duration = Number.NaN;
    event.process = 0;
    event.thread = 0;
    event.categoryStart = -1;
    event.nameStart = -1;
    event.argsStart = -1;
    let at = from + 1;
    for (;;) {
      let byte = bytes[at]!;
      while (byte <= 0x20 || byte === comma) {
        at += 1;
        byte = bytes[at]!;
      }
      if (end <= at) return incomplete;
      if (byte === closeBrace) return at + 1;
      if (byte !== quote) return broken;
      at += 1;
      const keyStart = at;
      let key = 0;
      byte = bytes[at]!;
      while (byte !== quote) {
        key = (key << 8) | byte;
        at += 1;
        byte = bytes[at]!;
      }
      if (4 < at - keyStart) {
        key = 0;
        at = stringEnd(bytes, keyStart);
      }
      at += 1;
      while (bytes[at]! <= 0x20) at += 1;
      if (end <= at) return incomplete;
      if (bytes[at] !== colon) return broken;
      at += 1;
      while (bytes[at]! <= 0x20) at += 1;
      if (end <= at) return incomplete;
      byte = bytes[at]!;
      if (byte === quote) {
        const start = at + 1;
        at = start;
        while (bytes[at] !== quote) at += 1;
        if (bytes[at - 1] === backslash) at = stringEnd(bytes, start);
        if (end <= at) return incomplete;
        switch (key) {
          case keyName:
            event.nameStart = start;
            event.nameEnd = at;
            break;
          case keyCategory:
            event.categoryStart = start;
            event.categoryEnd = at;
            break;
          case keyPhase:
            event.phase = bytes[start]!;
            break;
          case keyProcess:
            event.process = trackNumber(bytes, start, at);
            break;
          case keyThread:
            event.thread = trackNumber(bytes, start, at);
            break;
          case keyTime:
            event.time = numberIn(bytes, start, at);
            break;
          case keyDuration:
            event.duration = numberIn(bytes, start, at);
            break;
        }
        at += 1;
      } else if (byte === openBrace || byte === openBracket) {
        const start = at;
        // Most of the time goes into this loop: on to the end of the arguments.
        let depth = 1;
        at += 1;
        do {
          byte = bytes[at]!;
          at += 1;
          if (byte === quote) {
            const open = at;
            while (bytes[at] !== quote) at += 1;
            if (bytes[at - 1] === backslash) at = stringEnd(bytes, open);
            if (end <= at) return incomplete;
            at += 1;
          } else if (0x5a < byte) {
            // Both kinds of brackets differ by one bit alone: { from [, } from ].
            byte |= 0x20;
            if (byte === openBrace) depth += 1;
            else if (byte === closeBrace) depth -= 1;
          }
        } while (0 < depth);
        if (key === keyArguments) {
          event.argsStart = start;
          event.argsEnd = at;
        }
      } else {
        const start = at;
        while (byte !== comma && byte !== closeBrace && 0x20 < byte && byte !== quote) {
          at += 1;
          byte = bytes[at]!;
        }
        if (end <= at) return incomplete;
        if (at === start || byte === quote) return broken;
        switch (key) {
          case keyTime:
            event.time = numberIn(bytes, start, at);
            break;
          case keyDuration:
            event.duration = numberIn(bytes, start, at);
            break;
          case keyProcess:
            event.process = numberIn(bytes, start, at);
            break;
          case keyThread:
            event.thread = numberIn(bytes, start, at);
            break;
        }
      }
      // After a value comes a comma or the end; anything else is a quote that was not escaped, or worse.
      while (bytes[at]! <= 0x20) at += 1;
      if (end <= at) return incomplete;
      byte = bytes[at]!;
      if (byte === comma) at += 1;
      else if (byte !== closeBrace) return broken;
    }
  };

  return {
    push(chunk) {
      const length = left + chunk.length;
      if (buffer.length < length + guard) {
        const larger = new Uint8Array(Math.max(length + guard, buffer.length * 2));
        larger.set(buffer.subarray(0, left));
        buffer = larger;
      }
      buffer.set(chunk, left);
      left = length;
      if (length < enough) return;
      // Quotes after the end stop every loop; that they are beyond it is noticed then.
      buffer.fill(quote, length, length + guard);
      const used = parse(buffer, length, false);
      offset += used;
      buffer.copyWithin(0, used, length);
      left = length - used;
      enough = used === 0 ? Math.min(left * 2, longestValue + 1) : 0;
    },
    end() {
      if (buffer.length < left + guard) buffer = new Uint8Array(guard);
      buffer.fill(quote, left, left + guard);
      const used = parse(buffer, left, true);
      offset += used;
      const rest = left - used;
      if (state === "done" || state === "search" || state === "start") return;
      // Chrome's own rule: a list of events may lack its end.
      if (state === "events" && shape === "array" && rest === 0) return;
      const where = state === "events" ? (0 < rest ? "in the middle of an event" : "in the middle of the events") : "before its end";
      damage ??= { offset: offset + rest, reason: `the file ends ${where}` };
    },
    get damage() {
      return damage;
    },
    get unreadable() {
      return unreadable;
    },
    get events() {
      return events;
    },
    get shape() {
      return shape;
    },
    get hasEvents() {
      return hasEvents;
    },
    get firstElement() {
      return firstElement;
    },
  };
}

/** The next place where an event seems to begin: a brace and the member that all writers put first, or one of the usual. */
function nextEvent(bytes: Uint8Array, from: number, end: number): number {
  for (let at = bytes.indexOf(openBrace, from); 0 <= at; at = bytes.indexOf(openBrace, at + 1)) {
    let next = at + 1;
    while (next < end && bytes[next]! <= 0x20) next += 1;
    if (end <= next + 5) return -1;
    if (bytes[next] !== quote) continue;
    const key = decode(bytes, next + 1, next + 6);
    if (/^(?:ph|ts|pid|tid|cat|name)"/.test(key)) return at;
  }
  return -1;
}

/** Where a string ends: the place of its closing quote. There are quotes after the end of the bytes, so that there is always one. */
function stringEnd(bytes: Uint8Array, from: number): number {
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
  if (first === quote) {
    const close = stringEnd(bytes, from + 1);
    return end <= close ? incomplete : close + 1;
  }
  let at = from;
  if (first !== openBrace && first !== openBracket) {
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) break;
      if (byte === quote || byte === colon) return broken;
      at += 1;
    }
    return at === from ? broken : at;
  }
  let depth = 0;
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

/** Processes and threads may have names for numbers ("Spans"): those get numbers that no process has. */
function trackNumber(bytes: Uint8Array, start: number, end: number): number {
  const number = numberIn(bytes, start, end);
  if (!Number.isNaN(number)) return number;
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return -0x1_0000_0000 - (hash >>> 0);
}

/** What a visitor is told about each member of an event's arguments. */
export type ArgumentVisitor = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void;

/** Goes through the members of an object, not into them. */
export function eachMember(bytes: Uint8Array, start: number, end: number, visit: ArgumentVisitor): void {
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
