/**
 * Lines of the plane that is being read, one after the other. Where the bytes are packed, they are held until the names of the plane are
 * there, as long as they fit.
 */
export interface HeldLines {
  /** How many bytes may be held. */
  readonly most: number;
  bytes: Uint8Array;
  size: number;
  /** Where each begins: here, and in the file. */
  lines: { at: number; offset: number }[];
  /** Bytes of the last line that are still to come. */
  coming: number;
}

export const holdNothing = (most: number): HeldLines => ({ most, bytes: new Uint8Array(0), size: 0, lines: [], coming: 0 });

/** Begins a line of this many bytes; false where it does not fit. */
export function holdLine(held: HeldLines, length: number, offset: number): boolean {
  if (held.most < held.size + length) return false;
  held.lines.push({ at: held.size, offset });
  held.coming = length;
  // Room for all of it at once; a length that lies costs nothing until bytes come.
  enlarge(held, held.size + length);
  return true;
}

/** Adds bytes to the last line. */
export function hold(held: HeldLines, bytes: Uint8Array, start: number, end: number): void {
  const size = held.size + end - start;
  held.bytes.set(bytes.subarray(start, end), held.size);
  held.size = size;
  held.coming -= end - start;
}

function enlarge(held: HeldLines, size: number): void {
  if (size <= held.bytes.length) return;
  const larger = new Uint8Array(Math.min(held.most, Math.max(size, held.bytes.length * 2, 1 << 20)));
  larger.set(held.bytes.subarray(0, held.size));
  held.bytes = larger;
}

/** The lines were read, or are left for the second time. */
export function dropLines(held: HeldLines): void {
  held.size = 0;
  held.lines = [];
}
