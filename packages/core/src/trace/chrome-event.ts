import {
  afterBlanks,
  backslash,
  broken,
  closeBrace,
  colon,
  comma,
  incomplete,
  numberIn,
  openBrace,
  openBracket,
  quote,
  stringEnd,
} from "./json-bytes.ts";

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

export function createEvent(): ChromeEvent {
  return {
    bytes: new Uint8Array(0),
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
}

function clear(event: ChromeEvent, bytes: Uint8Array): void {
  event.bytes = bytes;
  event.phase = 0;
  event.time = Number.NaN;
  event.duration = Number.NaN;
  event.process = 0;
  event.thread = 0;
  event.categoryStart = -1;
  event.nameStart = -1;
  event.argsStart = -1;
}

/** Reads the event whose brace is at `from`. Answers with the place after it. There must be a guard behind `end`. */
export function readEvent(event: ChromeEvent, bytes: Uint8Array, from: number, end: number): number {
  clear(event, bytes);
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
    at = valuePlace(bytes, at + 1, end);
    if (at < 0) return at;
    byte = bytes[at]!;
    if (byte === quote) at = readText(event, key, bytes, at + 1, end);
    else if (byte === openBrace || byte === openBracket) at = readNested(event, key, bytes, at, end);
    else at = readPlain(event, key, bytes, at, end);
    if (at < 0) return at;
    // After a value comes a comma or the end; anything else is a quote that was not escaped, or worse.
    at = afterBlanks(bytes, at);
    if (end <= at) return incomplete;
    byte = bytes[at]!;
    if (byte === comma) at += 1;
    else if (byte !== closeBrace) return broken;
  }
}

/** Where the value begins, behind the name of its member. */
function valuePlace(bytes: Uint8Array, from: number, end: number): number {
  let at = afterBlanks(bytes, from);
  if (end <= at) return incomplete;
  if (bytes[at] !== colon) return broken;
  at = afterBlanks(bytes, at + 1);
  return end <= at ? incomplete : at;
}

/** A value in quotes. */
function readText(event: ChromeEvent, key: number, bytes: Uint8Array, start: number, end: number): number {
  let at = start;
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
  return at + 1;
}

/** An object or a list. Most of the time goes into this loop: on to the end of the arguments. */
function readNested(event: ChromeEvent, key: number, bytes: Uint8Array, start: number, end: number): number {
  let depth = 1;
  let at = start + 1;
  do {
    let byte = bytes[at]!;
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
  return at;
}

/** A number, or a word: `true`, `null`, `NaN`. */
function readPlain(event: ChromeEvent, key: number, bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  let byte = bytes[at]!;
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
  return at;
}

/** Processes and threads may have names for numbers ("Spans"): those get numbers that no process has. */
function trackNumber(bytes: Uint8Array, start: number, end: number): number {
  const number = numberIn(bytes, start, end);
  if (!Number.isNaN(number)) return number;
  let hash = 0;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return -0x1_0000_0000 - (hash >>> 0);
}
