import { decode } from "../lib/text.ts";
import { createEvent, readEvent, type ChromeEvent } from "./chrome-event.ts";
import {
  afterBlanks,
  backslash,
  broken,
  closeBrace,
  closeBracket,
  colon,
  comma,
  guard,
  incomplete,
  openBrace,
  openBracket,
  quote,
  skipValue,
  stringEnd,
} from "./json-bytes.ts";

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

/** The longest event or member that is kept whole while it is read; a longer one is skipped. */
const longestValue = 32 << 20;

/** How far a scanner has come. */
interface Scanner {
  readonly handler: ChromeHandler;
  /** Bytes that were not used up yet, `left` of them: the beginning of a value whose end has not come. */
  buffer: Uint8Array;
  left: number;
  /** Where `buffer` begins in the file. */
  offset: number;
  /** An attempt at an incomplete value is repeated only when there are so many bytes, twice those of the last: cost stays linear. */
  enough: number;
  /** What comes next; `search`: the next event, after something that is not JSON. */
  state: "start" | "key" | "value" | "events" | "skip" | "search" | "done";
  shape: "object" | "array" | undefined;
  /** The name of the member whose value comes next. */
  key: string;
  /** Of a value too long to keep, only its depth, whether a string is open, and what comes after it are remembered. */
  skipDepth: number;
  skipString: boolean;
  afterSkip: "key" | "events";
  /** The one record that all events are read into. */
  readonly event: ChromeEvent;
  events: number;
  hasEvents: boolean;
  firstElement: string | undefined;
  damage: Damage | undefined;
  unreadable: number;
}

/**
 * Reads a Chrome trace of any size from pieces of bytes, and hands out one event after the other. It takes what torch, TensorFlow,
 * JAX and Python's json write: any order of members, NaN and Infinity, control characters, commas too many, a file that is cut
 * off. After something that is not JSON it goes on with the next event.
 */
export function readChrome(handler: ChromeHandler): ChromeReader {
  const scanner: Scanner = {
    handler,
    buffer: new Uint8Array(0),
    left: 0,
    offset: 0,
    enough: 0,
    state: "start",
    shape: undefined,
    key: "",
    skipDepth: 0,
    skipString: false,
    afterSkip: "key",
    event: createEvent(),
    events: 0,
    hasEvents: false,
    firstElement: undefined,
    damage: undefined,
    unreadable: 0,
  };
  return {
    push: (chunk) => push(scanner, chunk),
    end: () => end(scanner),
    get damage() {
      return scanner.damage;
    },
    get unreadable() {
      return scanner.unreadable;
    },
    get events() {
      return scanner.events;
    },
    get shape() {
      return scanner.shape;
    },
    get hasEvents() {
      return scanner.hasEvents;
    },
    get firstElement() {
      return scanner.firstElement;
    },
  };
}

function push(scanner: Scanner, chunk: Uint8Array): void {
  const length = scanner.left + chunk.length;
  if (scanner.buffer.length < length + guard) {
    const larger = new Uint8Array(Math.max(length + guard, scanner.buffer.length * 2));
    larger.set(scanner.buffer.subarray(0, scanner.left));
    scanner.buffer = larger;
  }
  scanner.buffer.set(chunk, scanner.left);
  scanner.left = length;
  if (length < scanner.enough) return;
  scanner.buffer.fill(quote, length, length + guard);
  const used = parse(scanner, scanner.buffer, length, false);
  scanner.offset += used;
  scanner.buffer.copyWithin(0, used, length);
  scanner.left = length - used;
  scanner.enough = used === 0 ? Math.min(scanner.left * 2, longestValue + 1) : 0;
}

function end(scanner: Scanner): void {
  const { left } = scanner;
  if (scanner.buffer.length < left + guard) scanner.buffer = new Uint8Array(guard);
  scanner.buffer.fill(quote, left, left + guard);
  const used = parse(scanner, scanner.buffer, left, true);
  scanner.offset += used;
  const rest = left - used;
  const { state } = scanner;
  if (state === "done" || state === "search" || state === "start") return;
  // Chrome's own rule: a list of events may lack its end.
  if (state === "events" && scanner.shape === "array" && rest === 0) return;
  const where = state === "events" ? (0 < rest ? "in the middle of an event" : "in the middle of the events") : "before its end";
  scanner.damage ??= { offset: scanner.offset + rest, reason: `the file ends ${where}` };
}

function spoil(scanner: Scanner, at: number, reason: string): void {
  scanner.damage ??= { offset: scanner.offset + at, reason };
  scanner.unreadable += 1;
}

/*
 * Each step below reads what its state says is next, and answers with the place to go on from; or with `wait(place)`, where nothing more
 * can be read before more bytes come: those before the place are used up.
 */
const wait = (at: number) => -1 - at;

/** Goes through the bytes as far as they make sense; answers with how many are used up. `last`: none will follow. */
function parse(scanner: Scanner, bytes: Uint8Array, end: number, last: boolean): number {
  let at = 0;
  while (0 <= at) {
    switch (scanner.state) {
      case "events":
        at = eventsStep(scanner, bytes, at, end, last);
        break;
      case "skip":
        at = skipStep(scanner, bytes, at, end);
        break;
      case "search":
        at = searchStep(scanner, bytes, at, end, last);
        break;
      case "start":
        at = startStep(scanner, bytes, at, end);
        break;
      case "key":
        at = keyStep(scanner, bytes, at, end);
        break;
      case "value":
        at = valueStep(scanner, bytes, at, end, last);
        break;
      case "done":
        at = wait(end);
    }
  }
  return wait(at);
}

function startStep(scanner: Scanner, bytes: Uint8Array, from: number, end: number): number {
  const at = afterBlanks(bytes, from);
  if (at === end) return wait(end);
  // A mark of UTF-8.
  if (bytes[at] === 0xef && bytes[at + 1] === 0xbb) return at + 3;
  const isArray = bytes[at] === openBracket;
  scanner.shape = isArray ? "array" : "object";
  scanner.hasEvents = isArray;
  scanner.state = isArray ? "events" : "key";
  return at + 1;
}

function keyStep(scanner: Scanner, bytes: Uint8Array, from: number, end: number): number {
  const at = afterBlanks(bytes, from);
  if (at === end) return wait(end);
  if (bytes[at] === comma) return at + 1;
  if (bytes[at] === closeBrace) {
    scanner.state = "done";
    return wait(end);
  }
  if (bytes[at] !== quote) {
    spoil(scanner, at, "something else where the name of a member should be");
    scanner.state = "search";
    return at;
  }
  const close = stringEnd(bytes, at + 1);
  if (end <= close) {
    if (longestValue < end - at) {
      spoil(scanner, at, "a name without an end");
      scanner.state = "done";
    }
    return wait(from);
  }
  const next = afterBlanks(bytes, close + 1);
  if (next === end) return wait(from);
  if (bytes[next] !== colon) {
    spoil(scanner, next, "no colon after the name of a member");
    scanner.state = "search";
    return next;
  }
  scanner.key = decode(bytes, at + 1, Math.min(close, at + 200));
  scanner.state = "value";
  return next + 1;
}

/** A value of the outermost object. */
function valueStep(scanner: Scanner, bytes: Uint8Array, from: number, end: number, last: boolean): number {
  const at = afterBlanks(bytes, from);
  if (at === end) return wait(end);
  const byte = bytes[at]!;
  if (scanner.key === "traceEvents" && byte === openBracket) {
    scanner.hasEvents = true;
    scanner.state = "events";
    return at + 1;
  }
  const next = skipValue(bytes, at, end);
  // The end of the bytes ends a number only if nothing follows.
  if (next === incomplete || (next === end && !last && byte !== quote && byte !== openBrace && byte !== openBracket)) {
    if (end - at <= longestValue) return wait(at);
    scanner.handler.member(scanner.key, undefined);
    beginSkipping(scanner, "key");
    return at;
  }
  if (next === broken) {
    spoil(scanner, at, `the value of "${scanner.key}" is not valid JSON`);
    scanner.state = "search";
    return at;
  }
  scanner.handler.member(scanner.key, decode(bytes, at, next));
  scanner.state = "key";
  return next;
}

/** The list of events: as many as are there. */
function eventsStep(scanner: Scanner, bytes: Uint8Array, from: number, end: number, last: boolean): number {
  const { event, handler } = scanner;
  let at = from;
  for (;;) {
    at = afterBlanks(bytes, at);
    if (at === end) return wait(end);
    const byte = bytes[at];
    if (byte === comma) at += 1;
    else if (byte === openBrace) {
      const next = readEvent(event, bytes, at, end);
      if (next < 0) return unreadEvent(scanner, next, bytes, at, end, last);
      at = next;
      scanner.events += 1;
      handler.event(event);
    } else if (byte === closeBracket) {
      // A list that closes here may be closed by a writer who died and was appended to; what follows decides.
      scanner.state = scanner.shape === "array" ? "done" : "key";
      return at + 1;
    } else return elementStep(scanner, bytes, at, end);
  }
}

/** What could not be read as an event: its end has not come, it never will, or it is not JSON. */
function unreadEvent(scanner: Scanner, why: number, bytes: Uint8Array, at: number, end: number, last: boolean): number {
  if (why === incomplete) {
    if (end - at <= longestValue) return wait(at);
    spoil(scanner, at, "an event of more than 32 MB was skipped");
    beginSkipping(scanner, "events");
    return at;
  }
  spoil(scanner, at, "an event that is not valid JSON");
  const found = nextEvent(bytes, at + 1, end);
  if (0 <= found) return found;
  scanner.state = "search";
  return wait(last ? end : Math.max(at + 1, end - 64));
}

/** An element that is no object (a memory timeline is a list of lists): the first is remembered, the rest skipped. */
function elementStep(scanner: Scanner, bytes: Uint8Array, at: number, end: number): number {
  if (scanner.shape === "array" && scanner.events === 0) scanner.firstElement ??= decode(bytes, at, Math.min(end, at + 200));
  const next = skipValue(bytes, at, end);
  if (next === incomplete) {
    if (end - at <= longestValue) return wait(at);
    beginSkipping(scanner, "events");
    return at;
  }
  if (next === broken) {
    spoil(scanner, at, "an element that is not valid JSON");
    scanner.state = "search";
    return at + 1;
  }
  return next;
}

/** After something that is not JSON: on to what seems to be an event. */
function searchStep(scanner: Scanner, bytes: Uint8Array, at: number, end: number, last: boolean): number {
  const found = nextEvent(bytes, at, end);
  if (found < 0) return wait(last ? end : Math.max(at, end - 64));
  scanner.state = "events";
  scanner.hasEvents = true;
  return found;
}

function beginSkipping(scanner: Scanner, after: "key" | "events"): void {
  scanner.skipDepth = 0;
  scanner.skipString = false;
  scanner.state = "skip";
  scanner.afterSkip = after;
}

/** Skips the rest of a value too long to keep. */
function skipStep(scanner: Scanner, bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  let isOver = false;
  while (at < end && !isOver) {
    const byte = bytes[at]!;
    at += 1;
    if (scanner.skipString) {
      if (byte === backslash) {
        // The escaped byte is in the next piece: both wait for it.
        if (at === end) return wait(at - 1);
        at += 1;
      } else if (byte === quote) {
        scanner.skipString = false;
        isOver = scanner.skipDepth === 0;
      }
    } else if (byte === quote) scanner.skipString = true;
    else if (byte === openBrace || byte === openBracket) scanner.skipDepth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      scanner.skipDepth -= 1;
      isOver = scanner.skipDepth <= 0;
    }
  }
  if (!isOver) return wait(at);
  scanner.state = scanner.afterSkip;
  return at;
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
