// LZMA2, as the reference of the xz format has it: chunks of at most 64 KB packed and 2 MB unpacked, over one window. Node has none, and
// what npm has of it brings no text of its licence. https://tukaani.org/xz/xz-file-format.txt, https://www.7-zip.org/sdk.html
import { Refusal } from "./tar.ts";

const damaged = () => new Refusal("its xz data is damaged");

/** Larger windows than this are asked for by nobody who packs a log or a profile (`xz -9` takes 64 MB). */
const mostWindow = 256 << 20;

/** The window that what comes next may refer to, and what was unpacked last. */
interface Window {
  bytes: Uint8Array;
  end: number;
  /** How far back a reference may go. */
  readonly size: number;
  /** How much of it is there, and how many bytes came, since it was begun anew. */
  filled: number;
  came: number;
}

export interface Lzma2 {
  /** An uncompressed chunk. */
  plain(bytes: Uint8Array, resetsWindow: boolean): Uint8Array;
  /** A compressed one of this many unpacked bytes; `reset`: 1 the state, 2 with new properties, 3 with a new window. */
  packed(bytes: Uint8Array, size: number, reset: number, properties: number): Uint8Array;
}

export function createLzma2(windowSize: number): Lzma2 {
  if (mostWindow < windowSize) throw new Refusal("its xz data wants a window of more than 256 MB");
  const window: Window = { bytes: new Uint8Array(1 << 16), end: 0, size: windowSize, filled: 0, came: 0 };
  const model = createModel();
  let isReady = false;
  let isBegun = false;
  return {
    plain(bytes, resetsWindow) {
      if (resetsWindow) {
        window.filled = window.came = 0;
        isBegun = true;
        // Packed chunks that follow must say how they are coded.
        isReady = false;
      }
      if (!isBegun) throw damaged();
      makeRoom(window, bytes.length);
      window.bytes.set(bytes, window.end);
      return taken(window, bytes.length);
    },
    packed(bytes, size, reset, properties) {
      if (reset === 3) {
        window.filled = window.came = 0;
        isBegun = true;
      }
      if (2 <= reset) setProperties(model, properties);
      if (1 <= reset) resetModel(model);
      if (2 <= reset) isReady = true;
      if (!isBegun || !isReady) throw damaged();
      makeRoom(window, size);
      decode(model, window, bytes, size);
      return taken(window, size);
    },
  };
}

/** Room for so many more bytes, behind all that may still be referred to. */
function makeRoom(window: Window, length: number): void {
  if (window.end + length <= window.bytes.length) return;
  const kept = Math.min(window.end, window.size);
  if (window.bytes.length < 2 * kept + length) {
    const larger = new Uint8Array(Math.max(2 * kept + length, 1 << 20));
    larger.set(window.bytes.subarray(window.end - kept, window.end));
    window.bytes = larger;
  } else window.bytes.copyWithin(0, window.end - kept, window.end);
  window.end = kept;
}

function taken(window: Window, length: number): Uint8Array {
  const from = window.end;
  window.end += length;
  window.filled = Math.min(window.size, window.filled + length);
  window.came += length;
  return window.bytes.slice(from, window.end);
}

const states = 12;
// Where the probabilities of each kind begin.
const isMatch = 0;
const isRep = isMatch + (states << 4);
const isRepG0 = isRep + states;
const isRepG1 = isRepG0 + states;
const isRepG2 = isRepG1 + states;
const isRep0Long = isRepG2 + states;
const slots = isRep0Long + (states << 4);
const special = slots + 4 * 64;
const align = special + 128;
const lengths = align + 16;
const lengthsSize = 2 + 16 * 8 + 16 * 8 + 256;
const repLengths = lengths + lengthsSize;
const literals = repLengths + lengthsSize;

interface Model {
  probabilities: Uint16Array;
  literalContext: number;
  literalPosition: number;
  positionMask: number;
  state: number;
  /** The last four distances, less one. */
  distances: [number, number, number, number];
}

const createModel = (): Model => ({
  probabilities: new Uint16Array(literals),
  literalContext: 0,
  literalPosition: 0,
  positionMask: 0,
  state: 0,
  distances: [0, 0, 0, 0],
});

function setProperties(model: Model, properties: number): void {
  if (4 * 45 + 44 < properties) throw damaged();
  model.literalContext = properties % 9;
  const rest = Math.floor(properties / 9);
  model.literalPosition = rest % 5;
  model.positionMask = (1 << Math.floor(rest / 5)) - 1;
  // LZMA2 allows no more.
  if (4 < model.literalContext + model.literalPosition) throw damaged();
  model.probabilities = new Uint16Array(literals + (0x300 << (model.literalContext + model.literalPosition)));
}

function resetModel(model: Model): void {
  model.probabilities.fill(1024);
  model.state = 0;
  model.distances = [0, 0, 0, 0];
}

/** The bits of one chunk, each with the probability that its like have had so far. */
interface Bits {
  one(index: number): number;
  /** A number of so many bits, the highest first; or the lowest first. */
  tree(from: number, bits: number): number;
  reversed(from: number, bits: number): number;
  /** Bits that are as likely as not. */
  direct(bits: number): number;
  /** Whether all was used up, as at the end of a chunk. */
  isOver(): boolean;
}

function bitsOf(input: Uint8Array, probabilities: Uint16Array): Bits {
  if (input.length < 5 || input[0] !== 0) throw damaged();
  let code = ((input[1]! << 24) | (input[2]! << 16) | (input[3]! << 8) | input[4]!) >>> 0;
  let range = 0xffff_ffff;
  let at = 5;
  const normalize = (): void => {
    if (0x100_0000 <= range) return;
    range = (range << 8) >>> 0;
    code = ((code << 8) | (at < input.length ? input[at]! : 0)) >>> 0;
    at += 1;
  };
  const one = (index: number): number => {
    normalize();
    const probability = probabilities[index]!;
    const bound = (range >>> 11) * probability;
    if (code < bound) {
      range = bound;
      probabilities[index] = probability + ((2048 - probability) >> 5);
      return 0;
    }
    range -= bound;
    code -= bound;
    probabilities[index] = probability - (probability >> 5);
    return 1;
  };
  return {
    one,
    tree(from, bits) {
      let symbol = 1;
      for (let each = 0; each < bits; each += 1) symbol = (symbol << 1) | one(from + symbol);
      return symbol - (1 << bits);
    },
    reversed(from, bits) {
      let symbol = 1;
      let value = 0;
      for (let each = 0; each < bits; each += 1) {
        const next = one(from + symbol);
        symbol = (symbol << 1) | next;
        value |= next << each;
      }
      return value;
    },
    direct(bits) {
      let value = 0;
      for (let each = 0; each < bits; each += 1) {
        normalize();
        range >>>= 1;
        const next = range <= code ? 1 : 0;
        if (next === 1) code -= range;
        value = value * 2 + next;
      }
      return value;
    },
    isOver() {
      normalize();
      return code === 0 && at === input.length;
    },
  };
}

function lengthOf(bits: Bits, from: number, position: number): number {
  if (bits.one(from) === 0) return 2 + bits.tree(from + 2 + (position << 3), 3);
  if (bits.one(from + 1) === 0) return 10 + bits.tree(from + 2 + 128 + (position << 3), 3);
  return 18 + bits.tree(from + 2 + 256, 8);
}

function distanceOf(bits: Bits, length: number): number {
  const slot = bits.tree(slots + (Math.min(length - 2, 3) << 6), 6);
  if (slot < 4) return slot;
  const amount = (slot >> 1) - 1;
  const high = (2 | (slot & 1)) * 2 ** amount;
  if (slot < 14) return high + bits.reversed(special + high - slot, amount);
  return high + bits.direct(amount - 4) * 16 + bits.reversed(align, 4);
}

/** A byte that is not a repetition; `before` is the one in front of it, `matched` the one at the last distance. */
function literalOf(
  bits: Bits,
  { literalContext, literalPosition, state }: Model,
  position: number,
  before: number,
  matched: number,
): number {
  const context = ((position & ((1 << literalPosition) - 1)) << literalContext) | (before >> (8 - literalContext));
  const from = literals + 0x300 * context;
  let symbol = 1;
  // After a repetition it differs from what would have gone on with it.
  if (7 <= state)
    for (let rest = matched; symbol < 0x100; rest <<= 1) {
      const wanted = (rest >> 7) & 1;
      const next = bits.one(from + ((1 + wanted) << 8) + symbol);
      symbol = (symbol << 1) | next;
      if (wanted !== next) break;
    }
  while (symbol < 0x100) symbol = (symbol << 1) | bits.one(from + symbol);
  return symbol & 0xff;
}

/** A repetition: its length; its distance is the first of the model's then. */
function repetitionOf(bits: Bits, model: Model, position: number): number {
  const { state, distances } = model;
  const isNew = bits.one(isRep + state) === 0;
  if (isNew) {
    const length = lengthOf(bits, lengths, position);
    model.state = state < 7 ? 7 : 10;
    model.distances = [distanceOf(bits, length), distances[0], distances[1], distances[2]];
    return length;
  }
  if (bits.one(isRepG0 + state) === 0) {
    if (bits.one(isRep0Long + (state << 4) + position) === 0) {
      model.state = state < 7 ? 9 : 11;
      return 1;
    }
  } else {
    // One of the older distances, which is the newest then.
    const which = bits.one(isRepG1 + state) === 0 ? 1 : 2 + bits.one(isRepG2 + state);
    const [distance] = distances.splice(which, 1);
    distances.unshift(distance!);
  }
  const length = lengthOf(bits, repLengths, position);
  model.state = state < 7 ? 8 : 11;
  return length;
}

/** Unpacks one chunk behind the end of the window. */
function decode(model: Model, window: Window, input: Uint8Array, size: number): void {
  const { bytes: out, end: begin, came, filled } = window;
  const bits = bitsOf(input, model.probabilities);
  const stop = begin + size;
  for (let to = begin; to < stop;) {
    const position = came + to - begin;
    const { state } = model;
    if (bits.one(isMatch + (state << 4) + (position & model.positionMask)) === 0) {
      const before = 0 < filled + to - begin ? out[to - 1]! : 0;
      out[to] = literalOf(bits, model, position, before, out[to - model.distances[0] - 1]!);
      to += 1;
      model.state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    const length = repetitionOf(bits, model, position & model.positionMask);
    const [distance] = model.distances;
    if (stop < to + length || Math.min(window.size, filled + to - begin) <= distance) throw damaged();
    for (const last = to + length; to < last; to += 1) out[to] = out[to - distance - 1]!;
  }
  if (!bits.isOver()) throw damaged();
}
