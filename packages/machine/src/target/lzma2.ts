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

/** Unpacks one chunk behind the end of the window. */
function decode(model: Model, window: Window, input: Uint8Array, size: number): void {
  const { probabilities, literalContext, literalPosition, positionMask } = model;
  const { bytes: out, end: begin } = window;
  if (input.length < 5 || input[0] !== 0) throw damaged();
  let code = ((input[1]! << 24) | (input[2]! << 16) | (input[3]! << 8) | input[4]!) >>> 0;
  let range = 0xffff_ffff;
  let at = 5;
  let { state } = model;
  let [rep0, rep1, rep2, rep3] = model.distances;

  const normalize = (): void => {
    if (0x100_0000 <= range) return;
    range = (range << 8) >>> 0;
    code = ((code << 8) | (at < input.length ? input[at]! : 0)) >>> 0;
    at += 1;
  };
  const bit = (index: number): number => {
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
  const tree = (from: number, bits: number): number => {
    let symbol = 1;
    for (let each = 0; each < bits; each += 1) symbol = (symbol << 1) | bit(from + symbol);
    return symbol - (1 << bits);
  };
  const reversed = (from: number, bits: number): number => {
    let symbol = 1;
    let value = 0;
    for (let each = 0; each < bits; each += 1) {
      const next = bit(from + symbol);
      symbol = (symbol << 1) | next;
      value |= next << each;
    }
    return value;
  };
  const direct = (bits: number): number => {
    let value = 0;
    for (let each = 0; each < bits; each += 1) {
      normalize();
      range >>>= 1;
      const next = range <= code ? 1 : 0;
      if (next === 1) code -= range;
      value = value * 2 + next;
    }
    return value;
  };
  const lengthOf = (from: number, position: number): number => {
    if (bit(from) === 0) return 2 + tree(from + 2 + (position << 3), 3);
    if (bit(from + 1) === 0) return 10 + tree(from + 2 + 128 + (position << 3), 3);
    return 18 + tree(from + 2 + 256, 8);
  };
  const distanceOf = (length: number): number => {
    const slot = tree(slots + (Math.min(length - 2, 3) << 6), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return high + reversed(special + high - slot, bits);
    return high + direct(bits - 4) * 16 + reversed(align, 4);
  };
  const literal = (to: number): number => {
    const before = 0 < window.filled + to - begin ? out[to - 1]! : 0;
    const context = (((window.came + to - begin) & ((1 << literalPosition) - 1)) << literalContext) | (before >> (8 - literalContext));
    const from = literals + 0x300 * context;
    let symbol = 1;
    if (7 <= state) {
      let matched = out[to - rep0 - 1]!;
      while (symbol < 0x100) {
        const wanted = (matched >> 7) & 1;
        matched <<= 1;
        const next = bit(from + ((1 + wanted) << 8) + symbol);
        symbol = (symbol << 1) | next;
        if (wanted !== next) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | bit(from + symbol);
    return symbol & 0xff;
  };

  const stop = begin + size;
  for (let to = begin; to < stop;) {
    const position = (window.came + to - begin) & positionMask;
    if (bit(isMatch + (state << 4) + position) === 0) {
      out[to] = literal(to);
      to += 1;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length: number;
    if (bit(isRep + state) === 0) {
      rep3 = rep2;
      rep2 = rep1;
      rep1 = rep0;
      length = lengthOf(lengths, position);
      state = state < 7 ? 7 : 10;
      rep0 = distanceOf(length);
    } else if (bit(isRepG0 + state) === 0) {
      if (bit(isRep0Long + (state << 4) + position) === 0) {
        state = state < 7 ? 9 : 11;
        length = 1;
      } else {
        length = lengthOf(repLengths, position);
        state = state < 7 ? 8 : 11;
      }
    } else {
      let distance: number;
      if (bit(isRepG1 + state) === 0) distance = rep1;
      else {
        if (bit(isRepG2 + state) === 0) distance = rep2;
        else {
          distance = rep3;
          rep3 = rep2;
        }
        rep2 = rep1;
      }
      rep1 = rep0;
      rep0 = distance;
      length = lengthOf(repLengths, position);
      state = state < 7 ? 8 : 11;
    }
    if (stop < to + length || Math.min(window.size, window.filled + to - begin) <= rep0) throw damaged();
    for (const last = to + length; to < last; to += 1) out[to] = out[to - rep0 - 1]!;
  }
  normalize();
  if (code !== 0 || at !== input.length) throw damaged();
  model.state = state;
  model.distances = [rep0, rep1, rep2, rep3];
}
