/** Where reading stands; values come back through it, so that none has to be made per field. */
export interface Cursor {
  bytes: Uint8Array;
  at: number;
  /** Halves of the last number that was read. */
  low: number;
  high: number;
}

export const cursorOver = (bytes: Uint8Array): Cursor => ({ bytes, at: 0, low: 0, high: 0 });

/** The bytes are not what the format allows. */
export class ProtobufError extends Error {}

const two32 = 0x1_0000_0000;

/**
 * Reads a number of up to 64 bits; false when the bytes end within it. The value as a double is rounded beyond 2^53; its halves
 * (`low`, `high`) are exact.
 */
export function readVarint(cursor: Cursor, end: number): boolean {
  const { bytes } = cursor;
  let at = cursor.at;
  if (end <= at) return false;
  let byte = bytes[at]!;
  at += 1;
  if (byte < 0x80) {
    cursor.low = byte;
    cursor.high = 0;
    cursor.at = at;
    return true;
  }
  let low = byte & 0x7f;
  let high = 0;
  for (let shift = 7; ; shift += 7) {
    if (end <= at) return false;
    byte = bytes[at]!;
    at += 1;
    const part = byte & 0x7f;
    if (shift < 28) low |= part << shift;
    else if (shift === 28) {
      low |= part << 28;
      high = part >> 4;
    } else if (shift < 64) high |= part << (shift - 32);
    else throw new ProtobufError("a number of more than ten bytes");
    if (byte < 0x80) break;
  }
  cursor.low = low >>> 0;
  cursor.high = high >>> 0;
  cursor.at = at;
  return true;
}

export const unsigned = ({ low, high }: Cursor) => (high === 0 ? low : high * two32 + low);
export const signed = ({ low, high }: Cursor) => (high === 0 ? low : (high | 0) * two32 + low);

/** Goes over one value without looking at it; false when the bytes end within it. */
export function skipField(cursor: Cursor, wire: number, end: number): boolean {
  switch (wire) {
    case 0:
      return readVarint(cursor, end);
    case 1:
      cursor.at += 8;
      return cursor.at <= end;
    case 2: {
      if (!readVarint(cursor, end)) return false;
      const length = unsigned(cursor);
      cursor.at += length;
      return cursor.at <= end;
    }
    case 5:
      cursor.at += 4;
      return cursor.at <= end;
    default:
      throw new ProtobufError(`wire type ${wire}, which no current writer uses`);
  }
}

/** What a visitor is told of each field: for wire type 2 where its bytes lie, for numbers the cursor holds the halves. */
export type FieldVisitor = (field: number, wire: number, start: number, end: number) => void;

/** Goes through the fields of one message that is there as a whole. */
export function eachField(cursor: Cursor, end: number, visit: FieldVisitor): void {
  while (cursor.at < end) {
    if (!readVarint(cursor, end)) throw new ProtobufError("a field that is cut off");
    const field = cursor.low >>> 3;
    const wire = cursor.low & 7;
    if (field === 0) throw new ProtobufError("field number 0");
    let start = cursor.at;
    if (wire === 2) {
      if (!readVarint(cursor, end)) throw new ProtobufError("a length that is cut off");
      start = cursor.at;
      const stop = start + unsigned(cursor);
      if (end < stop) throw new ProtobufError("a field longer than its message");
      visit(field, wire, start, stop);
      cursor.at = stop;
      continue;
    }
    if (!skipField(cursor, wire, end)) throw new ProtobufError("a field longer than its message");
    const next = cursor.at;
    visit(field, wire, start, next);
    cursor.at = next;
  }
}
