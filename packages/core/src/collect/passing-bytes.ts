// The bytes of a file that goes by once, as far as they are still at hand.

/** Readers go back: to symbols, strings and code in the first part of a file, and a little from where they are. */
export const headSize = 32 << 20;
const recentSize = 16 << 20;

/** One file while it goes by. There are hundreds of thousands of them: the record and its arrays are used again for the next. */
export interface PassingBytes {
  size: number;
  /** How many bytes have gone by. */
  position: number;
  /** The first part of the file; what lies behind `position` is another file's. */
  head: Uint8Array;
  /** The latest bytes of a file that is longer than that, in a circle. */
  ring: Uint8Array;
  /** Pieces further back that were kept on purpose; empty until they have come. */
  windows: { start: number; end: number; bytes: Uint8Array }[];
  /** Where there is nothing but zeros. */
  holes: { start: number; end: number }[];
  /** What was read of it, by its place: this is what is kept in the end. */
  recorded: Map<number, Uint8Array>;
  recordedBytes: number;
}

export const passingBytes = (): PassingBytes => ({
  size: 0,
  position: 0,
  head: new Uint8Array(0),
  ring: new Uint8Array(0),
  windows: [],
  holes: [],
  recorded: new Map(),
  recordedBytes: 0,
});

/** The next file, of this size. */
export function beginPassing(file: PassingBytes, size: number): void {
  file.size = size;
  file.position = 0;
  file.windows.length = 0;
  file.holes.length = 0;
  file.recorded.clear();
  file.recordedBytes = 0;
  const wanted = Math.min(size, headSize);
  if (file.head.length < wanted) file.head = new Uint8Array(Math.min(headSize, Math.max(size, 2 * file.head.length)));
}

/** The bytes from `at` on that are still at hand; a number is that many zeros. */
export function known(file: PassingBytes, at: number, length: number): Uint8Array | number | undefined {
  const { head, position, ring } = file;
  if (at < headSize) return head.subarray(at, Math.min(position, headSize));
  if (position - ring.length <= at) return ring.subarray(at % ring.length, Math.min((at % ring.length) + position - at, ring.length));
  const window = file.windows.find(({ start, bytes }) => start <= at && at < start + bytes.length);
  if (window) return window.bytes.subarray(at - window.start);
  const hole = file.holes.findLast(({ start, end }) => start <= at && at < end);
  if (hole) return hole.end - at;
  const before = file.recorded.get(at);
  return before && length <= before.length ? before : undefined;
}

/** Whether these bytes lie at `at`; the first was found at `index` of `bytes`, which may end before the last. */
export function isAt(file: PassingBytes, wanted: Uint8Array, at: number, bytes: Uint8Array, index: number): boolean {
  for (let other = 1; other < wanted.length; other += 1) {
    const byte = index + other < bytes.length ? bytes[index + other] : byteAt(file, at + other);
    if (byte !== wanted[other]) return false;
  }
  return true;
}

function byteAt(file: PassingBytes, at: number): number | undefined {
  const bytes = at < file.position ? known(file, at, 1) : undefined;
  return bytes === undefined || typeof bytes === "number" ? 0 : bytes[0];
}

/** More bytes have come. A file that is kept whole, which is short, needs no circle. */
export function passPiece(file: PassingBytes, piece: Uint8Array, isWhole: boolean): void {
  if (file.position < headSize) file.head.set(piece.subarray(0, headSize - file.position), file.position);
  if (headSize < file.size && !isWhole) remember(file, piece);
  file.position += piece.length;
}

/** So many zeros have come. */
export function passZeros(file: PassingBytes, count: number): void {
  const before = file.position;
  if (before < headSize) file.head.fill(0, before, Math.min(headSize, before + count));
  if (headSize < file.size) forget(file, count);
  file.position += count;
  if (headSize < file.position) file.holes.push({ start: Math.max(before, headSize), end: file.position });
}

// Copied, and not held: what was unpacked is soon gone, and makes room for the next.
function remember(file: PassingBytes, piece: Uint8Array): void {
  if (file.ring.length === 0) file.ring = new Uint8Array(recentSize);
  const { position, ring } = file;
  for (let done = Math.max(0, piece.length - ring.length); done < piece.length;) {
    const at = (position + done) % ring.length;
    const part = piece.subarray(done, done + ring.length - at);
    ring.set(part, at);
    done += part.length;
  }
}

function forget(file: PassingBytes, zeros: number): void {
  if (file.ring.length === 0) file.ring = new Uint8Array(recentSize);
  const { ring } = file;
  const at = file.position % ring.length;
  ring.fill(0, at, Math.min(ring.length, at + zeros));
  ring.fill(0, 0, Math.min(at, Math.max(0, at + zeros - ring.length)));
}
