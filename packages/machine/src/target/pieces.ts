import fs from "node:fs";
import { Refusal } from "./tar.ts";
import { packingOf, unpack, type Packing } from "./unpack.ts";

/** Who takes the bytes of a file piece by piece (unpacked where they were packed). */
export interface Taker {
  push(piece: Uint8Array): void;
  /** How many of the next bytes are of no interest, and who is told that they were jumped over. */
  readonly skip?: number;
  skipped?(count: number): void;
}

/** How reading went: the number of unpacked bytes, and what broke on the way. */
export interface Taken {
  bytes: number;
  broken?: string;
}

const pieceSize = 1 << 18;

/** Of a `Buffer`, `slice` gives no copy; who takes bytes may keep some, and the next piece comes in the same place. */
const plain = (piece: Uint8Array) => new Uint8Array(piece.buffer, piece.byteOffset, piece.length);

/** Whether packed bytes have turned into more than any that somebody meant: a log or a profile packs some ten times, zeros a thousand. */
export const isBomb = (packed: number, unpacked: number) => 1 << 30 < unpacked && 200 * packed < unpacked;
export const bombWords = "unpacks to more than 200 times its size";

/** The first bytes of a file, unpacked, to tell what it is; less where the file is shorter or broken. */
export async function firstBytes(path: string, length: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let got = 0;
  const enough = Symbol("enough");
  try {
    await takePieces(path, {
      push(piece) {
        pieces.push(piece.slice());
        got += piece.length;
        // eslint-disable-next-line no-throw-literal -- a way out, not a failure
        if (length <= got) throw enough;
      },
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return Buffer.concat(pieces).subarray(0, length);
}

/** Hands over a whole file, in order. Memory stays at a few pieces, whatever the size. Files packed with gzip (also in several members), zstd or xz are unpacked. */
export async function takePieces(path: string, taker: Taker): Promise<Taken> {
  const packing = packingAt(path);
  if (packing === "gzip") return takeUnpacked(path, taker);
  if (packing !== "plain") return takeStreamed(path, packing, taker);
  const handle = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    return await takePlain(handle, fs.fstatSync(handle).size, taker);
  } finally {
    fs.closeSync(handle);
  }
}

/** Who wants ranges of a file, one after the other, in any order. */
type Wanting = (size: number) => Generator<{ offset: number; length: number }, void, Uint8Array>;

// A database is held whole where it is packed; more than this is to be unpacked by who has it.
const mostHeld = 1 << 29;
const blockSize = 1 << 20;

/** Hands over the ranges that are asked for, and answers with the size of the file. Neighbours are read together. */
export async function takePages(path: string, wanting: Wanting): Promise<number> {
  if (isPacked(path)) {
    const whole = await firstBytes(path, mostHeld);
    answerPages(wanting, whole);
    return whole.length;
  }
  const handle = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    const { size } = fs.fstatSync(handle);
    let block: Buffer = Buffer.alloc(0);
    let from = 0;
    answer(wanting(size), (offset, length) => {
      if (offset < from || from + block.length < offset + length) {
        // What was handed over may still be looked at: each block is new.
        const fresh = Buffer.allocUnsafe(Math.max(blockSize, length));
        block = fresh.subarray(0, fs.readSync(handle, fresh, 0, fresh.length, offset));
        from = offset;
      }
      return block.subarray(offset - from, offset - from + length);
    });
    return size;
  } finally {
    fs.closeSync(handle);
  }
}

/** The same of bytes that are all there. */
export const answerPages = (wanting: Wanting, whole: Uint8Array): void =>
  answer(wanting(whole.length), (offset, length) => whole.subarray(offset, offset + length));

function answer(wishes: ReturnType<Wanting>, read: (offset: number, length: number) => Uint8Array): void {
  for (let wish = wishes.next(); !wish.done;) wish = wishes.next(read(wish.value.offset, wish.value.length));
}

/** Whether a file is packed with gzip, zstd or xz. */
export const isPacked = (path: string): boolean => packingAt(path) !== "plain";

function packingAt(path: string): Packing {
  const handle = fs.openSync(path, fs.constants.O_RDONLY);
  try {
    const magic = Buffer.alloc(4);
    return packingOf(magic.subarray(0, fs.readSync(handle, magic, 0, 4, 0)));
  } finally {
    fs.closeSync(handle);
  }
}

async function takeStreamed(path: string, packing: Packing, taker: Taker): Promise<Taken> {
  const source = fs.createReadStream(path, { highWaterMark: pieceSize });
  let bytes = 0;
  try {
    for await (const piece of unpack(source, packing)) {
      bytes += piece.length;
      if (isBomb(source.bytesRead, bytes)) return { bytes, broken: `the ${packing} file ${bombWords}` };
      taker.push(plain(piece));
    }
    return { bytes };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { bytes, broken: error.message.replace(/^its/, "the file's") };
  } finally {
    source.destroy();
  }
}

async function takePlain(handle: number, size: number, taker: Taker): Promise<Taken> {
  const buffer = new Uint8Array(pieceSize * 4);
  let at = 0;
  for (let pieces = 1; ; pieces += 1) {
    // Now and then whoever wants to interrupt us is heard.
    if (pieces % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    const skip = taker.skip ?? 0;
    if (0 < skip) {
      const count = Math.min(skip, Math.max(0, size - at));
      taker.skipped?.(count);
      at += count;
      if (size <= at) return { bytes: size };
      continue;
    }
    const count = fs.readSync(handle, buffer, 0, buffer.length, at);
    if (count === 0) return { bytes: at };
    at += count;
    taker.push(buffer.subarray(0, count));
  }
}

// Unpacking is a part of Node that costs every start, if it is asked for at the start.
async function takeUnpacked(path: string, taker: Taker): Promise<Taken> {
  const { createGunzip } = await import("node:zlib");
  return new Promise((resolve, reject) => {
    const gunzip = createGunzip({ chunkSize: pieceSize * 4 });
    const source = fs.createReadStream(path, { highWaterMark: pieceSize });
    // Unpacking goes on in another thread while a piece is looked at: so pieces wait in a line, and not in the stream's own event.
    const line: Buffer[] = [];
    let bytes = 0;
    let ended = false;
    let working = false;
    let broken: string | undefined;
    const finish = (error?: unknown) => {
      source.destroy();
      gunzip.destroy();
      if (error === undefined) resolve(broken === undefined ? { bytes } : { bytes, broken });
      else reject(error instanceof Error || typeof error === "symbol" ? (error as Error) : new Error(String(error)));
    };
    const work = () => {
      working = false;
      const piece = line.shift();
      if (piece) {
        try {
          bytes += piece.length;
          if (isBomb(source.bytesRead, bytes)) {
            broken = `the gzip file ${bombWords}`;
            return finish();
          }
          taker.push(plain(piece));
        } catch (error) {
          finish(error);
          return;
        }
        if (line.length < 4) gunzip.resume();
        schedule();
      } else if (ended) finish();
    };
    const schedule = () => {
      if (working) return;
      working = true;
      setImmediate(work);
    };
    const end = (reason?: string) => {
      if (ended) return;
      ended = true;
      broken = reason;
      schedule();
    };
    gunzip.on("data", (piece: Buffer) => {
      line.push(piece);
      if (8 <= line.length) gunzip.pause();
      schedule();
    });
    gunzip.on("end", () => end());
    gunzip.on("error", (error: NodeJS.ErrnoException) => {
      end(error.code === "Z_BUF_ERROR" ? "the gzip file is cut off" : `the gzip file is damaged (${error.message})`);
    });
    source.on("error", (error) => finish(error));
    source.pipe(gunzip);
  });
}
