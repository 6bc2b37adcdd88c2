// Files that were dropped, read piece by piece: never held as a whole, unless they are small by nature.
import { Refusal } from "../../../machine/src/target/tar.ts";
import { packingOf, unpack } from "../../../machine/src/target/unpack.ts";
import { bytesOf } from "../for-node/fs.ts";

const pieceSize = 1 << 20;

export function* piecesOf(file: Blob, told?: (read: number) => void): Generator<Uint8Array, void> {
  for (let at = 0; at < file.size; at += pieceSize) {
    told?.(at);
    yield bytesOf(file, at, pieceSize);
  }
}

export const isPacked = (file: Blob): boolean => packingOf(bytesOf(file, 0, 16)) !== "plain";

/** Its bytes, unpacked where they are packed. */
export const plainPieces = (file: Blob, told?: (read: number) => void): AsyncGenerator<Uint8Array, void> =>
  unpack(piecesOf(file, told), packingOf(bytesOf(file, 0, 16)));

/** The first bytes, unpacked; fewer where the file is shorter or broken. */
export async function firstBytes(file: Blob, length: number): Promise<Uint8Array> {
  const first = new Uint8Array(length);
  let got = 0;
  try {
    for await (const piece of plainPieces(file)) {
      const part = piece.subarray(0, length - got);
      first.set(part, got);
      got += part.length;
      if (got === length) break;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  return first.subarray(0, got);
}

/** The whole as text. */
export async function textOf(file: Blob, most: number): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  let text = "";
  let read = 0;
  for await (const piece of plainPieces(file)) {
    read += piece.length;
    if (most < read) throw new Refusal(`unpacked it is larger than ${most >> 20} MB`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
