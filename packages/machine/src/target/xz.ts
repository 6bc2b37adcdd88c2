// The container around LZMA2: streams of blocks, each with a check of what was unpacked. https://tukaani.org/xz/xz-file-format.txt
import { createLzma2, type Lzma2 } from "./lzma2.ts";
import { Refusal, type Pieces } from "./tar.ts";

const damaged = () => new Refusal("its xz data is damaged");
const cutOff = () => new Refusal("its xz data is cut off");

/** Bytes that come piece by piece, asked for in any lengths. */
interface Source {
  /** So many bytes; less only at the end. */
  take(length: number): Promise<Uint8Array>;
  /** How many were taken. */
  readonly at: number;
}

function sourceOf(pieces: Pieces): Source & { end(): Promise<void> } {
  const from = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  let waiting: Uint8Array = new Uint8Array(0);
  let at = 0;
  return {
    async take(length) {
      const parts = [];
      for (let got = 0; got < length;) {
        if (waiting.length === 0) {
          const next = await from.next();
          if (next.done) break;
          waiting = next.value;
        }
        const part = waiting.subarray(0, length - got);
        waiting = waiting.subarray(part.length);
        parts.push(part);
        got += part.length;
        at += part.length;
      }
      return parts.length === 1 ? parts[0]! : joined(parts);
    },
    get at() {
      return at;
    },
    async end() {
      await from.return?.();
    },
  };
}

export async function* unpackXz(pieces: Pieces): AsyncGenerator<Uint8Array, void> {
  const source = sourceOf(pieces);
  try {
    while (true) {
      const head = await source.take(4);
      if (head.length === 0) return;
      // Between streams there may be zeros.
      if (head.length === 4 && head.every((byte) => byte === 0)) continue;
      yield* stream(source, head);
    }
  } finally {
    await source.end();
  }
}

const magic = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0];

/** A number of four bytes. */
const word = (bytes: Uint8Array, at: number): number => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function exactly(source: Source, length: number): Promise<Uint8Array> {
  const bytes = await source.take(length);
  if (bytes.length < length) throw cutOff();
  return bytes;
}

async function* stream(source: Source, head: Uint8Array): AsyncGenerator<Uint8Array, void> {
  const start = joined([head, await exactly(source, 8)]);
  if (magic.some((byte, index) => start[index] !== byte) || crc32(start.subarray(6, 8)) !== word(start, 8)) throw damaged();
  const kind = start[7]! & 15;
  while (true) {
    const [length] = await exactly(source, 1);
    if (length === 0) break;
    yield* block(source, length!, kind);
  }
  await skipIndex(source);
  const foot = await exactly(source, 12);
  if (foot[10] !== 0x59 || foot[11] !== 0x5a) throw damaged();
}

async function* block(source: Source, length: number, kind: number): AsyncGenerator<Uint8Array, void> {
  const header = joined([Uint8Array.of(length), await exactly(source, 4 * (length + 1) - 1)]);
  if (crc32(header.subarray(0, -4)) !== word(header, header.length - 4)) throw damaged();
  const lzma = createLzma2(windowIn(header));
  const from = source.at;
  const check = createCheck(kind);
  while (true) {
    const unpacked = await chunk(source, lzma);
    if (!unpacked) break;
    check.add(unpacked);
    yield unpacked;
  }
  // Blocks are made up to four bytes.
  await exactly(source, (4 - ((source.at - from) % 4)) % 4);
  if (!check.isIt(await exactly(source, check.length))) throw damaged();
}

/** The size of the window, from the header of a block; filters for machine code are not read. */
function windowIn(header: Uint8Array): number {
  const flags = header[1]!;
  let at = 2;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; at < header.length; scale *= 128) {
      const byte = header[at]!;
      at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw damaged();
  };
  if (flags & 0x40) number();
  if (flags & 0x80) number();
  if ((flags & 3) !== 0 || number() !== 0x21) throw new Refusal("its xz data uses a filter that culprit does not undo: `xz -dk FILE` does");
  const [size, bits] = [number(), header[at]!];
  if (size !== 1 || 40 < bits) throw damaged();
  return bits === 40 ? 2 ** 32 : (2 | (bits & 1)) * 2 ** ((bits >> 1) + 11);
}

/** The next chunk, unpacked; nothing at the end of the block. */
async function chunk(source: Source, lzma: Lzma2): Promise<Uint8Array | undefined> {
  const [control] = await exactly(source, 1);
  if (control === 0) return undefined;
  if (control! < 0x80) {
    if (2 < control!) throw damaged();
    const [high, low] = await exactly(source, 2);
    return lzma.plain(await exactly(source, ((high! << 8) | low!) + 1), control === 1);
  }
  const head = await exactly(source, 4);
  const size = (((control! & 0x1f) << 16) | (head[0]! << 8) | head[1]!) + 1;
  const reset = (control! >> 5) & 3;
  const properties = 2 <= reset ? (await exactly(source, 1))[0]! : 0;
  return lzma.packed(await exactly(source, ((head[2]! << 8) | head[3]!) + 1), size, reset, properties);
}

/** Where the blocks lie, which one who reads in order need not know. */
async function skipIndex(source: Source): Promise<void> {
  const from = source.at - 1;
  const number = async (): Promise<number> => {
    let value = 0;
    for (let scale = 1; scale < 2 ** 63; scale *= 128) {
      const [byte] = await exactly(source, 1);
      value += (byte! & 0x7f) * scale;
      if (byte! < 0x80) return value;
    }
    throw damaged();
  };
  for (let left = await number(); 0 < left; left -= 1) {
    await number();
    await number();
  }
  await exactly(source, (4 - ((source.at - from) % 4)) % 4);
  await exactly(source, 4);
}

interface Check {
  length: number;
  add(bytes: Uint8Array): void;
  isIt(said: Uint8Array): boolean;
}

function createCheck(kind: number): Check {
  if (kind === 1) {
    let sum = 0;
    return { length: 4, add: (bytes) => void (sum = crc32(bytes, sum)), isIt: (said) => word(said, 0) === sum };
  }
  if (kind === 4) return crc64();
  // None, or SHA-256 or one that nobody has made yet, which are not looked at: their lengths are known.
  return { length: [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64][kind]!, add: () => {}, isIt: () => true };
}

let table32: Uint32Array | undefined;

function crc32(bytes: Uint8Array, before = 0): number {
  table32 ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let each = 0; each < 8; each += 1) value = value & 1 ? (value >>> 1) ^ 0xedb8_8320 : value >>> 1;
    return value;
  });
  let sum = ~before;
  for (const byte of bytes) sum = table32[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return ~sum >>> 0;
}

let table64: { low: Uint32Array; high: Uint32Array } | undefined;

/** Of ECMA-182, in halves. */
function crc64(): Check {
  if (!table64) {
    table64 = { low: new Uint32Array(256), high: new Uint32Array(256) };
    for (let index = 0; index < 256; index += 1) {
      let [low, high] = [index, 0];
      for (let each = 0; each < 8; each += 1) {
        const isOdd = low & 1;
        low = ((low >>> 1) | (high << 31)) >>> 0;
        high >>>= 1;
        if (isOdd) {
          low = (low ^ 0xd787_0f42) >>> 0;
          high = (high ^ 0xc96c_5795) >>> 0;
        }
      }
      table64.low[index] = low;
      table64.high[index] = high;
    }
  }
  const { low: lows, high: highs } = table64;
  let [low, high] = [0xffff_ffff, 0xffff_ffff];
  return {
    length: 8,
    add(bytes) {
      for (const byte of bytes) {
        const index = (low ^ byte) & 0xff;
        low = (((low >>> 8) | (high << 24)) ^ lows[index]!) >>> 0;
        high = ((high >>> 8) ^ highs[index]!) >>> 0;
      }
    },
    isIt: (said) => word(said, 0) === ~low >>> 0 && word(said, 4) === ~high >>> 0,
  };
}
