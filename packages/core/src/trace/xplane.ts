import { decode } from "../lib/text.ts";
import { createAccount } from "./account.ts";
import { emptyFacts, type TraceFacts, type TraceReader } from "./facts.ts";
import { cursorOver, ProtobufError, readVarint, skipField, unsigned, type Cursor } from "./protobuf.ts";
import type { Timeline } from "./timeline.ts";
import { dropLines, hold, holdLine, holdNothing, type HeldLines } from "./xplane-held.ts";
import { beginLine, countEvent, createLineCounter, lineNumber, nameLine, type LineCounter } from "./xplane-line.ts";
import { nameOperations, newPlane, planeField, readPlanes, wantsLines, type Plane } from "./xplane-plane.ts";

/*
 * XSpace, what TensorFlow, JAX and torch_xla write (tsl/profiler/protobuf/xplane.proto): planes of lines of events. Names stand in two
 * maps of each plane, and these come after the lines: so the file is read twice, first everything but the lines, then the lines.
 * Where the bytes are packed, the lines of a plane are held until its names are there, as long as they fit.
 */

/** Any single value other than a line is kept whole while it is read, up to this size. */
const longestValue = 16 << 20;

/** A file that was copied as text shows it everywhere: so far it is looked for. */
const mangledWithin = 4 << 20;

const noField = "bytes that are no field of a profile";
const tooLong = "a field longer than what it is in";

/** How far the reader of an XSpace has come. */
interface Space {
  readonly facts: TraceFacts;
  readonly counter: LineCounter;
  readonly held: HeldLines;
  /** 1: everything but the lines; 2: the lines. */
  pass: 1 | 2;
  again: boolean;
  readonly planes: Plane[];
  readonly hostnames: string[];
  /** Bytes that were not used up yet, `left` of them. */
  buffer: Uint8Array;
  left: number;
  /** Where `buffer` begins in the file, and up to where nothing is to be looked at. */
  offset: number;
  skipTo: number;
  /** The plane that is being read; where it and its line end, -1 outside of them. */
  plane: Plane | undefined;
  planeIndex: number;
  planeEnd: number;
  lineEnd: number;
  /** The field that is being read: where it breaks if it does. */
  broke: number;
  /** Something broke: what follows is not looked at in this pass. */
  finished: boolean;
  /** A held line was damaged: what comes after it is not to be trusted, but names are still worth having. */
  linesEnd: boolean;
  /** Characters that stand for bytes which were no UTF-8: signs that the file was copied as text. */
  mangled: number;
}

/** `most`: how many bytes of a plane's lines may be held in memory. */
export function xplaneTrace(timeline?: Timeline, most = 0): TraceReader {
  const account = createAccount(false, timeline);
  const facts = emptyFacts("xplane", account);
  const space: Space = {
    facts,
    counter: createLineCounter(account, facts, timeline),
    held: holdNothing(most),
    pass: 1,
    again: false,
    planes: [],
    hostnames: [],
    buffer: new Uint8Array(0),
    left: 0,
    offset: 0,
    skipTo: 0,
    plane: undefined,
    planeIndex: -1,
    planeEnd: -1,
    lineEnd: -1,
    broke: 0,
    finished: false,
    linesEnd: false,
    mangled: 0,
  };
  return {
    get again() {
      return space.again;
    },
    get skip() {
      return space.left === 0 && space.held.coming === 0 ? Math.max(0, space.skipTo - space.offset) : 0;
    },
    skipped(count) {
      space.offset += count;
    },
    push: (chunk) => push(space, chunk),
    end: () => end(space),
    facts: () => facts,
  };
}

function push(space: Space, chunk: Uint8Array): void {
  if (space.finished) return;
  if (space.pass === 1 && space.mangled < 1000 && space.offset < mangledWithin) space.mangled += replacementCharacters(chunk);
  // Bytes to be skipped need not be kept; nothing waits while some are.
  const skip = space.left === 0 && space.offset < space.skipTo ? Math.min(space.skipTo - space.offset, chunk.length) : 0;
  if (0 < space.held.coming && 0 < skip) hold(space.held, chunk, 0, Math.min(skip, space.held.coming));
  space.offset += skip;
  const length = space.left + chunk.length - skip;
  if (length === 0) return;
  if (space.buffer.length < length) {
    const larger = new Uint8Array(Math.max(length, space.buffer.length * 2));
    larger.set(space.buffer.subarray(0, space.left));
    space.buffer = larger;
  }
  space.buffer.set(skip === 0 ? chunk : chunk.subarray(skip), space.left);
  let used = length;
  if (!survives(space, () => void (used = parse(space, space.buffer, length)))) space.finished = true;
  space.offset += used;
  space.buffer.copyWithin(0, used, length);
  space.left = length - used;
}

function end(space: Space): void {
  const { facts, held, planeEnd, skipTo } = space;
  const stopped = space.offset + space.left;
  if (!space.finished && (0 < space.left || 0 <= planeEnd || space.offset < skipTo)) {
    const whole = Math.max(planeEnd, skipTo);
    const at = space.plane?.name ? ` in the plane \`${space.plane.name}\`` : 0 <= planeEnd ? " in a plane" : "";
    const lacking = stopped < whole ? `; ${whole - stopped} bytes or more are missing` : "";
    facts.damage ??= { offset: Math.min(stopped, whole < 0 ? Infinity : whole), reason: `the file ends${at}${lacking}` };
  }
  if (facts.damage && 20 < space.mangled)
    facts.damage.reason = "the file was copied as text: bytes that are not UTF-8 were replaced by U+FFFD, and cannot be brought back";
  if (space.pass === 2) {
    space.again = false;
    nameOperations(space.planes, space.counter.account);
    return;
  }
  readPlanes(space.planes, facts, space.hostnames, space.counter.account.names);
  held.coming = 0;
  dropLines(held);
  held.bytes = new Uint8Array(0);
  beginSecondPass(space);
  if (!space.again) nameOperations(space.planes, space.counter.account);
}

function beginSecondPass(space: Space): void {
  space.pass = 2;
  space.again = !space.linesEnd && space.planes.some((each) => wantsLines(each) && !each.done);
  space.left = 0;
  space.offset = 0;
  space.skipTo = 0;
  space.planeEnd = space.lineEnd = space.planeIndex = -1;
  space.plane = undefined;
  space.finished = false;
}

/** Does something with bytes that may be damaged, and notes where they are; false where they are. */
function survives(space: Space, read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    const { broke, plane, planeEnd } = space;
    const where = planeEnd < 0 ? "between planes" : plane?.name ? `in the plane \`${plane.name}\`` : "in a plane";
    space.facts.damage ??= { offset: broke, reason: `${error.message}, ${where}` };
    return false;
  }
}

type Level = "space" | "plane" | "line";

/** A step answers so where the bytes from the beginning of the field on have to wait for more, or where all were used up. */
const waits = -1;
const usedUp = -2;

/** Goes through the bytes as far as they make sense; answers with how many are used up. */
function parse(space: Space, bytes: Uint8Array, length: number): number {
  const cursor = cursorOver(bytes);
  for (;;) {
    if (0 <= space.lineEnd) {
      const end = Math.min(length, space.lineEnd - space.offset);
      cursor.at = countEvents(space, space.plane!, bytes, cursor.at, end, space.offset);
    }
    const here = cursor.at;
    space.broke = space.offset + here;
    leave(space, space.broke);
    if (length <= here) return here;
    const level = 0 <= space.lineEnd ? "line" : 0 <= space.planeEnd ? "plane" : "space";
    const next = readField(space, level, cursor, length);
    if (next === waits) return here;
    if (next === usedUp) return length;
    cursor.at = next;
  }
}

/** Whatever ends here is left. */
function leave(space: Space, position: number): void {
  if (space.lineEnd === position) space.lineEnd = -1;
  if (space.planeEnd !== position) return;
  if (space.pass === 1 && !space.plane!.left) readHeld(space, space.plane!);
  space.planeEnd = -1;
  space.plane = undefined;
}

/** The next field at this level. Answers with where to go on. */
function readField(space: Space, level: Level, cursor: Cursor, length: number): number {
  const here = cursor.at;
  if (!readVarint(cursor, length)) return waits;
  const field = cursor.low >>> 3;
  const wire = cursor.low & 7;
  if (field === 0 || wire === 3 || wire === 4 || 5 < wire) throw new ProtobufError(noField);
  if (wire !== 2) return numberField(space, level, field, wire, cursor, length);
  if (!readVarint(cursor, length)) return waits;
  const start = cursor.at;
  const stop = start + unsigned(cursor);
  if (limitOf(space, level) < space.offset + stop) throw new ProtobufError(tooLong);
  if (level === "space" && field === 1) return enterPlane(space, start, stop);
  if (level === "plane" && field === 3) return enterLine(space, cursor.bytes, start, stop, length);
  if (space.pass === 2 && (level !== "line" || (field !== 2 && field !== 4))) return passOver(space, stop, length);
  if (length < stop) return longestValue < stop - here ? passOver(space, stop, length) : waits;
  readWhole(space, level, field, cursor.bytes, start, stop);
  return stop;
}

/** Where all fields of this level must end. */
const limitOf = ({ lineEnd, planeEnd }: Space, level: Level) => (level === "line" ? lineEnd : level === "plane" ? planeEnd : Infinity);

/** A field without a length; only those of lines matter. */
function numberField(space: Space, level: Level, field: number, wire: number, cursor: Cursor, length: number): number {
  if (!skipField(cursor, wire, length)) return waits;
  if (limitOf(space, level) < space.offset + cursor.at) throw new ProtobufError(tooLong);
  if (wire === 0 && level === "line") lineNumber(space.counter, field, cursor);
  return cursor.at;
}

/** What ends here is of no interest. */
function passOver(space: Space, stop: number, length: number): number {
  space.skipTo = space.offset + stop;
  return length < stop ? usedUp : stop;
}

function enterPlane(space: Space, start: number, stop: number): number {
  space.planeEnd = space.offset + stop;
  space.planeIndex += 1;
  if (space.pass === 1) {
    space.plane = newPlane();
    space.planes.push(space.plane);
  } else {
    space.plane = space.planes[space.planeIndex];
    if (!space.plane) throw new ProtobufError("a plane that was not there before");
  }
  return start;
}

/** A line is read, held until the names of its plane are there, or left for the second time. */
function enterLine(space: Space, bytes: Uint8Array, start: number, stop: number, length: number): number {
  const { held, pass } = space;
  const plane = space.plane!;
  if (pass === 2 && wantsLines(plane) && !plane.done) {
    space.lineEnd = space.offset + stop;
    beginLine(space.counter);
    return start;
  }
  if (space.linesEnd) plane.done = true;
  else if (pass === 1) {
    // A plane whose name comes after its lines may turn out to be wanted.
    if (!plane.left && wantsLines(plane) && holdLine(held, stop - start, space.offset + start))
      hold(held, bytes, start, Math.min(stop, length));
    else {
      plane.left = true;
      dropLines(held);
    }
  }
  return passOver(space, stop, length);
}

/** A field whose bytes are all there. */
function readWhole(space: Space, level: Level, field: number, bytes: Uint8Array, start: number, stop: number): void {
  if (level === "line") {
    if (field === 4) countEvent(space.counter, space.plane!, bytes, start, stop);
    else nameLine(space.counter, space.plane!, decode(bytes, start, stop));
  } else if (level === "plane") planeField(space.plane!, field, bytes, start, stop, space.counter.account.names);
  else spaceField(space, field, decode(bytes, start, stop));
}

function spaceField({ facts, hostnames }: Space, field: number, text: string): void {
  if (field === 2 && facts.errors.length < 100) facts.errors.push(text);
  else if (field === 3 && facts.warnings.length < 100) facts.warnings.push(text);
  else if (field === 4) hostnames.push(text);
}

/** The names of a plane are there: the lines that were held can be read. */
function readHeld(space: Space, plane: Plane): void {
  const { lines, size } = space.held;
  const areSound = survives(space, () => {
    for (const [index, { at, offset }] of lines.entries()) readHeldLine(space, plane, at, lines[index + 1]?.at ?? size, offset - at);
  });
  if (!areSound) space.linesEnd = true;
  plane.done = true;
  dropLines(space.held);
}

function readHeldLine(space: Space, plane: Plane, start: number, end: number, origin: number): void {
  const { bytes } = space.held;
  const cursor = cursorOver(bytes);
  beginLine(space.counter);
  for (let at = start; ; at = cursor.at) {
    cursor.at = countEvents(space, plane, bytes, at, end, origin);
    if (end <= cursor.at) return;
    space.broke = origin + cursor.at;
    heldField(space.counter, plane, cursor, end);
  }
}

/**
 * Counts the events of a line from here on, as long as they are whole and of less than 16 kB, which all but a few are. Answers with the
 * place after them; `origin` is where `bytes` begin in the file.
 */
function countEvents(space: Space, plane: Plane, bytes: Uint8Array, start: number, end: number, origin: number): number {
  const { counter } = space;
  let at = start;
  while (at < end && bytes[at] === 0x22 && bytes[at + 2]! < 0x80) {
    const first = bytes[at + 1]!;
    const from = first < 0x80 ? at + 2 : at + 3;
    const stop = from + (first < 0x80 ? first : (first & 0x7f) | (bytes[at + 2]! << 7));
    if (end < stop) return at;
    space.broke = origin + at;
    countEvent(counter, plane, bytes, from, stop);
    at = stop;
  }
  return at;
}

/** Any other field of a held line. */
function heldField(counter: LineCounter, plane: Plane, cursor: Cursor, end: number): void {
  const { bytes } = cursor;
  const isThere = readVarint(cursor, end);
  const wire = cursor.low & 7;
  const field = cursor.low >>> 3;
  if (isThere && (field === 0 || wire === 3 || wire === 4 || 5 < wire)) throw new ProtobufError(noField);
  if (!isThere || (wire === 2 ? !readVarint(cursor, end) : !skipField(cursor, wire, end))) throw new ProtobufError(tooLong);
  if (wire === 0) lineNumber(counter, field, cursor);
  if (wire !== 2) return;
  const start = cursor.at;
  cursor.at += unsigned(cursor);
  if (end < cursor.at) throw new ProtobufError(tooLong);
  if (field === 4) countEvent(counter, plane, bytes, start, cursor.at);
  else if (field === 2) nameLine(counter, plane, decode(bytes, start, cursor.at));
}

// EF BF BD is what an editor or a text-mode copy leaves where a byte was not UTF-8.
function replacementCharacters(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xef); 0 <= at && count < 1000; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count += 1;
  return count;
}
