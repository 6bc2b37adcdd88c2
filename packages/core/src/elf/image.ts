import { textUntilNul } from "../lib/text.ts";
import type { Chain, Range } from "../model/target.ts";

export type { Range } from "../model/target.ts";

/**
 * A reading is pure: it yields the pieces it wants next and is resumed with their bytes (fewer at the end of the file).
 * So the same code reads a disk, a remote host or an image layer.
 */
export type Reading<T> = Generator<Range[], T, Uint8Array[]>;

/** Several readings at once: whoever fetches the bytes gets all their wishes together. */
export function* sideBySide<T>(readings: Reading<T>[]): Reading<T[]> {
  const steps = readings.map((reading) => reading.next());
  for (;;) {
    const open = steps.flatMap((step, index) => (step.done ? [] : [{ index, wanted: step.value }]));
    if (open.length === 0) return steps.map((step) => step.value as T);
    const answers = yield open.flatMap(({ wanted }) => wanted);
    let at = 0;
    for (const { index, wanted } of open) {
      steps[index] = readings[index]!.next(answers.slice(at, at + wanted.length));
      at += wanted.length;
    }
  }
}

// Fields may lie. No single piece is larger, and no file is asked for more in all, than any real one needs.
const largestPiece = 64 << 20;
const mostBytes = 256 << 20;
const mostPieces = 4096;
const mostCharacters = 64 << 20;

interface Piece {
  start: number;
  end: number;
  bytes: Uint8Array;
  view: DataView;
}

/** The pieces of one file that were read so far, with numbers in the file's byte order. */
export class Image {
  readonly size: number;
  littleEndian = true;
  #pieces: Piece[] = [];
  #bytesAsked = 0;
  /** Where the last number was: the next one is nearly always there too. */
  #recent: Piece | undefined;

  constructor(size: number) {
    this.size = size;
  }

  /** Makes sure that each range (as far as the file goes) is at hand. */
  *load(ranges: Range[]): Reading<void> {
    const wanted: Range[] = [];
    for (const { offset, length } of ranges) {
      if (!(0 <= offset && offset < this.size && 0 < length)) continue;
      const bounded = Math.min(length, this.size - offset, largestPiece);
      if (this.#piece(offset, bounded) !== undefined) continue;
      if (mostPieces <= this.#pieces.length + wanted.length || mostBytes < this.#bytesAsked + bounded) continue;
      this.#bytesAsked += bounded;
      wanted.push({ offset, length: bounded });
    }
    if (wanted.length === 0) return;
    const answers = yield wanted;
    wanted.forEach(({ offset }, index) => {
      const bytes = answers[index]!;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      this.#pieces.unshift({ start: offset, end: offset + bytes.length, bytes, view });
    });
  }

  /** One piece that is looked at and not kept: for long lists that are passed through once. */
  *peek(offset: number, length: number, chain?: Chain): Reading<DataView> {
    const bounded = Math.min(length, this.size - offset);
    if (!(0 <= offset && 0 < bounded)) return new DataView(new ArrayBuffer(length));
    const [bytes] = yield [{ offset, length: bounded, ...(chain ? { chain } : {}) }];
    const whole = new Uint8Array(length);
    whole.set(bytes!);
    return new DataView(whole.buffer);
  }

  has(offset: number, length: number): boolean {
    return this.#piece(offset, length) !== undefined;
  }

  bytes(offset: number, length: number): Uint8Array | undefined {
    const piece = this.#piece(offset, length);
    return piece?.bytes.subarray(offset - piece.start, offset - piece.start + length);
  }

  u8(offset: number): number {
    const piece = this.#piece(offset, 1);
    return piece ? piece.view.getUint8(offset - piece.start) : 0;
  }

  u16(offset: number): number {
    const piece = this.#piece(offset, 2);
    return piece ? piece.view.getUint16(offset - piece.start, this.littleEndian) : 0;
  }

  u32(offset: number): number {
    const piece = this.#piece(offset, 4);
    return piece ? piece.view.getUint32(offset - piece.start, this.littleEndian) : 0;
  }

  /** Exact up to 2^53; what is larger lies beyond every file anyway. */
  u64(offset: number): number {
    const piece = this.#piece(offset, 8);
    if (piece === undefined) return 0;
    const at = offset - piece.start;
    const first = piece.view.getUint32(at, this.littleEndian);
    const second = piece.view.getUint32(at + 4, this.littleEndian);
    return this.littleEndian ? second * 0x1_0000_0000 + first : first * 0x1_0000_0000 + second;
  }

  /** The NUL-terminated text at an offset that was loaded; undefined when it does not end within what was loaded. */
  text(offset: number): string | undefined {
    for (let index = 0; index < this.#pieces.length; index += 1) {
      const piece = this.#pieces[index]!;
      if (offset < piece.start || piece.end <= offset) continue;
      const text = textUntilNul(piece.bytes, offset - piece.start);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** Loads texts that lie anywhere in a table: near ones together, long ones in a second step. */
  *texts(offsets: number[]): Reading<Map<number, string>> {
    const found = new Map<number, string>();
    let characters = 0;
    const isMissing = (offset: number): boolean => {
      const text = this.text(offset);
      if (text === undefined) return true;
      // Offsets into one endless text would otherwise add up to the square of its length.
      characters += text.length;
      if (characters <= mostCharacters) found.set(offset, text);
      return false;
    };
    let missing = [...new Set(offsets)].sort((a, b) => a - b);
    for (const window of [256, 8192, 1 << 17]) {
      if (missing.length === 0) break;
      const ranges: Range[] = [];
      for (const offset of missing) {
        const last = ranges.at(-1);
        if (last && offset <= last.offset + last.length + 4096) last.length = offset + window - last.offset;
        else ranges.push({ offset, length: window });
      }
      yield* this.load(ranges);
      missing = missing.filter(isMissing);
    }
    return found;
  }

  #piece(offset: number, length: number): Piece | undefined {
    const recent = this.#recent;
    if (recent !== undefined && recent.start <= offset && offset + length <= recent.end) return recent;
    // Counting, not `for of`: this is called before anything is compiled, when every iterator is an object.
    for (let index = 0; index < this.#pieces.length; index += 1) {
      const piece = this.#pieces[index]!;
      if (piece.start <= offset && offset + length <= piece.end) return (this.#recent = piece);
    }
    return undefined;
  }
}
