// The lines of an XSpace: events of streams and threads, counted one after the other.
import { copy, kernel, memset, onHost, type Account } from "./account.ts";
import type { TraceFacts } from "./facts.ts";
import { cursorOver, ProtobufError, readVarint, signed, skipField, type Cursor } from "./protobuf.ts";
import type { Timeline } from "./timeline.ts";
import { bytesIn, copyName, hostCallKind, kindByName, lineRole, operatorName, type LineRole } from "./xla-json.ts";
import {
  copyDetails,
  correlation,
  firstOperatorPart,
  kernelDetails,
  memsetDetails,
  nothing,
  operatorParts,
  roleOf,
  stepNumber,
  type Plane,
} from "./xplane-plane.ts";

/** The line that is being read. */
interface Line {
  role: LineRole;
  id: number;
  /** Microseconds since the first line began. */
  start: number;
}

/** Counts events, and what it needs for that. */
export interface LineCounter {
  readonly account: Account;
  readonly facts: TraceFacts;
  readonly timeline: Timeline | undefined;
  line: Line;
  /** When the first line began, in nanoseconds, as halves. */
  base: { low: number; high: number } | undefined;
  /** By number of the name: what the call does, plus one; 0 not asked yet. */
  kinds: Uint8Array;
  /** Where a number was read that is longer than most. */
  readonly cursor: Cursor;
  /** What the values of the event that is being read say. */
  readonly values: EventValues;
}

interface EventValues {
  /** Whether any of the others was set. */
  touched: boolean;
  isKernel: boolean;
  isMemset: boolean;
  /** The id of the details of a copy; -1 where it is none. */
  copied: number;
  /** NaN where there is none. */
  correlation: number;
  isStep: boolean;
  /** Ids of the texts that name the operator; -1 where there is none. */
  tfOp: number;
  jaxOp: number;
  hloOp: number;
  hloModule: number;
}

const newLine = (): Line => ({ role: "derived", id: 0, start: 0 });

export function createLineCounter(account: Account, facts: TraceFacts, timeline: Timeline | undefined): LineCounter {
  return {
    account,
    facts,
    timeline,
    line: newLine(),
    base: undefined,
    kinds: new Uint8Array(1 << 10),
    cursor: cursorOver(new Uint8Array(0)),
    values: {
      touched: false,
      isKernel: false,
      isMemset: false,
      copied: -1,
      correlation: Number.NaN,
      isStep: false,
      tfOp: -1,
      jaxOp: -1,
      hloOp: -1,
      hloModule: -1,
    },
  };
}

export function beginLine(counter: LineCounter): void {
  counter.line = newLine();
}

/** A field of a line that is a number; the cursor is behind it. */
export function lineNumber(counter: LineCounter, field: number, cursor: Cursor): void {
  if (field === 1) counter.line.id = signed(cursor);
  if (field === 3) {
    counter.base ??= { low: cursor.low, high: cursor.high };
    const { base } = counter;
    // Nanoseconds since 1970 are more than a double holds: the difference is taken first.
    counter.line.start = ((cursor.high - base.high) * 0x1_0000_0000 + (cursor.low - base.low)) / 1000;
  }
}

/**
 * Its id is the thread's own number. Lines of several planes with one id are one thread: its Python calls and its calls of the driver are
 * planes of their own until XProf merges them, by this id (MergePlanes in xplane_utils.cc).
 */
export function nameLine(counter: LineCounter, plane: Plane, name: string): void {
  counter.line.role = lineRole(name);
  if (!plane.device) counter.timeline?.threadName(counter.line.id, name);
}

/** Numbers of more than seven bytes are negative, or of no use here. Leaves `cursor` behind it. */
function longNumber(cursor: Cursor, bytes: Uint8Array, at: number, stop: number): number {
  cursor.bytes = bytes;
  cursor.at = at;
  if (!readVarint(cursor, stop)) throw new ProtobufError("a number that is cut off");
  return signed(cursor);
}

/** What four bytes of a number hold. */
const fourBytes = 2 ** 28;

/** The number of three bytes or more that begins at `first`: in halves, since whole numbers are cheaper than others. Leaves `cursor` behind it. */
function largeNumber(cursor: Cursor, bytes: Uint8Array, first: number, stop: number): number {
  let byte = bytes[first + 2]!;
  let low = (bytes[first]! & 0x7f) | ((bytes[first + 1]! & 0x7f) << 7) | ((byte & 0x7f) << 14);
  let at = first + 3;
  if (0x80 <= byte) {
    byte = bytes[at]!;
    low |= (byte & 0x7f) << 21;
    at += 1;
  }
  let high = 0;
  for (let shift = 0; 0x80 <= byte; shift += 7) {
    if (shift === 21) return longNumber(cursor, bytes, first, stop);
    byte = bytes[at]!;
    high |= (byte & 0x7f) << shift;
    at += 1;
  }
  cursor.at = at;
  return high === 0 ? low : high * fourBytes + low;
}

/** A length, as a whole number, and -1 where nothing can be as long. Leaves `cursor` behind it. */
function lengthAt(cursor: Cursor, bytes: Uint8Array, first: number, stop: number): number {
  const second = bytes[first + 1]!;
  if (second < 0x80) {
    cursor.at = first + 2;
    return (bytes[first]! & 0x7f) | (second << 7);
  }
  const length = largeNumber(cursor, bytes, first, stop);
  return 0 <= length && length < fourBytes ? length | 0 : -1;
}

/** A number of any length. Leaves `cursor` behind it where it is longer than one byte. */
function anyNumber(cursor: Cursor, bytes: Uint8Array, first: number, stop: number): number {
  const low = bytes[first]!;
  if (low < 0x80 && first < stop) return low;
  const high = bytes[first + 1]!;
  if (high < 0x80 && first + 1 < stop) {
    cursor.at = first + 2;
    return (low & 0x7f) | (high << 7);
  }
  const value = first + 2 < stop ? largeNumber(cursor, bytes, first, stop) : longNumber(cursor, bytes, first, stop);
  if (stop < cursor.at) throw new ProtobufError("a number that is cut off");
  return value;
}

/** Nine tenths of a profile are events: this is written so that hardly anything but local numbers is touched on the way. */
export function countEvent(counter: LineCounter, plane: Plane, bytes: Uint8Array, from: number, stop: number): void {
  const { cursor, line, values } = counter;
  const { roles } = plane;
  let at = from;
  let metadata = 0;
  let start = 0;
  let duration = 0;
  if (values.touched) forget(values);
  const reads = hasTellingValues(plane, line);
  counter.facts.events += 1;
  while (at < stop) {
    const tag = bytes[at]!;
    let first = bytes[at + 1]!;
    if (0x80 <= tag || (tag & 5) !== 0) at = skipOther(cursor, bytes, at, stop);
    else if ((tag & 7) === 2) {
      if (first < 0x80) at += 2;
      else {
        first = lengthAt(cursor, bytes, at + 1, stop);
        at = cursor.at;
      }
      const end = at + first;
      if (first < 0 || stop < end) throw new ProtobufError(`a ${tag === 0x22 ? "value" : "field"} longer than its event`);
      // Most values are of no interest here, and have small ids.
      if (reads && tag === 0x22 && bytes[at] === 0x08 && roles[bytes[at + 1]!] !== nothing) readValue(counter, plane, bytes, at, end);
      at = end;
    } else {
      const value = anyNumber(cursor, bytes, at + 1, stop);
      at = first < 0x80 ? at + 2 : cursor.at;
      if (tag === 0x08) metadata = value;
      else if (tag === 0x10) start = value / 1e6;
      else if (tag === 0x18) duration = value / 1e6;
    }
  }
  const name = plane.eventNames.get(metadata);
  if (plane.device) countOnDevice(counter, plane, plane.device, name, line.start + start, duration);
  else countOnHost(counter, name, line.start + start, duration);
}

/** Values are read only where one of them may matter. */
const hasTellingValues = (plane: Plane, line: Line): boolean =>
  plane.device ? line.role === "stream" : 0 <= plane.correlation || 0 <= plane.stepNumber;

function forget(values: EventValues): void {
  values.touched = false;
  values.isKernel = false;
  values.isMemset = false;
  values.copied = -1;
  values.correlation = Number.NaN;
  values.isStep = false;
  values.tfOp = values.jaxOp = values.hloOp = values.hloModule = -1;
}

/** A field that no event here has. */
function skipOther(cursor: Cursor, bytes: Uint8Array, at: number, stop: number): number {
  cursor.bytes = bytes;
  cursor.at = at;
  if (!readVarint(cursor, stop) || !skipField(cursor, cursor.low & 7, stop)) throw new ProtobufError("a field longer than its event");
  return cursor.at;
}

/** A value of an event, from the tag of its id on. */
function readValue({ cursor, values }: LineCounter, plane: Plane, bytes: Uint8Array, at: number, end: number): void {
  const isShort = bytes[at + 1]! < 0x80;
  const role = isShort ? plane.roles[bytes[at + 1]!]! : roleOf(plane, anyNumber(cursor, bytes, at + 1, end));
  if (role === nothing) return;
  values.touched = true;
  if (role === kernelDetails) values.isKernel = true;
  else if (role === memsetDetails) values.isMemset = true;
  else if (role === stepNumber) values.isStep = true;
  else {
    const tagAt = isShort ? at + 2 : cursor.at;
    const number = tagAt < end && (bytes[tagAt]! & 7) === 0 ? anyNumber(cursor, bytes, tagAt + 1, end) : 0;
    if (role === correlation) values.correlation = number;
    else if (role === copyDetails) values.copied = number;
    // Texts that many events share are numbers, too, of a kind of their own.
    else if (bytes[tagAt] === 0x38) values[operatorParts[role - firstOperatorPart]!] = number;
  }
}

function countOnDevice(
  { account, facts, line, values }: LineCounter,
  plane: Plane,
  { kind, id }: NonNullable<Plane["device"]>,
  name: number,
  begin: number,
  duration: number,
): void {
  if (line.role === "steps") account.step(name, begin, duration, id);
  if (kind !== "GPU") facts.otherDevices.set(kind, (facts.otherDevices.get(kind) ?? 0) + 1);
  else if (line.role !== "stream") account.device(id).events += 1;
  else {
    const { copied } = values;
    const what = values.isKernel ? kernel : values.isMemset ? memset : 0 <= copied ? copy : kindByName(account.names.text(name));
    account.gpu(what, id, line.id, begin, duration, name, values.correlation);
    if (what === kernel) countOperator(account, plane, values, duration);
    if (what === copy && 0 <= copied)
      account.copy(copyName(account.names.text(name)), bytesIn(plane.statNames.get(copied) ?? ""), duration);
  }
}

function countOperator({ names, operators }: Account, { statNames, operatorNames }: Plane, values: EventValues, duration: number): void {
  const { tfOp, jaxOp, hloOp, hloModule } = values;
  if (tfOp < 0 && hloOp < 0) return;
  const key = `${tfOp} ${jaxOp} ${hloOp} ${hloModule}`;
  let name = operatorNames.get(key);
  if (name === undefined) {
    const text = operatorName(statNames.get(tfOp), statNames.get(jaxOp), statNames.get(hloOp), statNames.get(hloModule));
    operatorNames.set(key, (name = text === "" ? 0 : names.numberOf(text)));
  }
  if (name !== 0) operators.add(name, duration);
}

/** Calls of the driver lie among the host's events; only they have a correlation. */
function countOnHost(counter: LineCounter, name: number, begin: number, duration: number): void {
  const { account, line, values } = counter;
  if (Number.isNaN(values.correlation)) {
    account.hostEvent(line.id, begin, duration, name);
    if (values.isStep) account.step(name, begin, duration, onHost);
  } else {
    counter.facts.calls += 1;
    account.call(callKindOf(counter, name), line.id, begin, duration, name, values.correlation);
  }
}

function callKindOf(counter: LineCounter, name: number): number {
  if (counter.kinds.length <= name) {
    const larger = new Uint8Array(Math.max(name + 1, counter.kinds.length * 2));
    larger.set(counter.kinds);
    counter.kinds = larger;
  }
  if (counter.kinds[name] === 0) counter.kinds[name] = hostCallKind(counter.account.names.text(name)) + 1;
  return counter.kinds[name]! - 1;
}
