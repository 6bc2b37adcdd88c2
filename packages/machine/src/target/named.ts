// Files that the user names. A pipe that somebody writes into is read like a file (`culprit explain <(command)`), to its end; what never
// ends, and what nobody writes into, is refused. Nothing that we only come across is read in this way: see `beside` and `disk`.
import fs from "node:fs";

/** Why a named file is not read, as the end of a sentence. */
export class Unfit extends Error {}

export interface NamedFile {
  handle: number;
  /** Its length is known, and it may be read from any place. */
  isPlain: boolean;
}

/** Opens without waiting. Whatever is wrong with it comes as `Unfit`, or as the system's own error. */
export function openNamed(path: string): NamedFile {
  if (path === "-") return { handle: 0, isPlain: false };
  const handle = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY);
  try {
    const stat = fs.fstatSync(handle);
    if (stat.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
    // The one device that ends; /dev/stdin is whatever standard input is, and a terminal is somebody who types.
    const isNull = stat.isCharacterDevice() && stat.rdev === fs.statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
    if (stat.isBlockDevice() || (stat.isCharacterDevice() && !isNull && !isTerminal(handle))) throw new Unfit("it is a device");
    return { handle, isPlain: stat.isFile() };
  } catch (error) {
    fs.closeSync(handle);
    throw error;
  }
}

/** The bytes, piece by piece, in one buffer that is used again. Closes the file at the end. */
export function* namedPieces({ handle, isPlain }: NamedFile): Generator<Uint8Array, void> {
  const buffer = Buffer.allocUnsafe(1 << 20);
  let got = 0;
  let waited = 0;
  try {
    for (;;) {
      const length = readSome(handle, buffer, isPlain);
      if (0 < length) {
        got += length;
        yield buffer.subarray(0, length);
      } else if (0 < got || isPlain || handle === 0 || !isPipe(handle)) return;
      // A pipe that nobody has opened yet looks like one that has ended.
      else if (patience <= waited) throw new Unfit("it is a pipe that nobody writes into");
      else waited += pause(20);
    }
  } finally {
    if (handle !== 0) fs.closeSync(handle);
  }
}

/** The whole file; of more than `most` bytes not even those. */
export function readNamed(path: string, most: number): Buffer {
  const file = openNamed(path);
  const tooLarge = new Unfit(`it is too large: ${most >> 20} MB are the most`);
  if (file.isPlain && most < fs.fstatSync(file.handle).size) {
    fs.closeSync(file.handle);
    throw tooLarge;
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const piece of namedPieces(file)) {
    length += piece.length;
    if (most < length) throw tooLarge;
    pieces.push(Uint8Array.from(piece));
  }
  return pieces.length === 1 ? Buffer.from(pieces[0]!.buffer) : Buffer.concat(pieces);
}

/** Milliseconds that a pipe is given to find its writer. */
const patience = 1000;

const isPipe = (handle: number) => fs.fstatSync(handle).isFIFO();

// Asking a terminal is the one thing that Node does not offer for a number: its name is what the kernel says it is.
function isTerminal(handle: number): boolean {
  try {
    return /^\/dev\/(?:pts\/|tty|console)/.test(fs.readlinkSync(`/proc/self/fd/${handle}`));
  } catch {
    return false;
  }
}

function readSome(handle: number, buffer: Buffer, isPlain: boolean): number {
  for (;;) {
    try {
      return fs.readSync(handle, buffer, 0, buffer.length, null);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EOF") return 0;
      // Some files of the kernel are plain by name alone, and have nothing to say until something happens.
      if (code === "EAGAIN" && isPlain) throw new Unfit("it has nothing to say now");
      if (code !== "EAGAIN") throw error;
      // A pipe that is empty: give its writer a moment.
      pause(5);
    }
  }
}

function pause(milliseconds: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  return milliseconds;
}
