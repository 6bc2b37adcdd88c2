// A profile among what was dropped: its bytes go by once, as on the command line.
import type { TraceDrawing, TraceFile } from "../../../core/src/model/trace.ts";
import { openTrace, sniffedBytes } from "../../../core/src/trace/trace.ts";
import { Refusal } from "../../../machine/src/target/tar.ts";
import { bytesOf } from "../for-node/fs.ts";
import { firstBytes, isPacked, plainPieces } from "./bytes.ts";

/** More than a page shows well; the longest events are kept. */
const mostDrawn = 1_000_000;
/** A database is held whole where it is packed. */
const mostHeld = 1 << 29;

export interface Profile {
  summary: TraceFile;
  drawing: TraceDrawing | undefined;
}

export async function readProfile(name: string, file: Blob, told: (words: string) => void): Promise<Profile> {
  const reading = openTrace(await firstBytes(file, sniffedBytes), name, { drawn: mostDrawn, isCompressed: isPacked(file) });
  if (reading.pages) {
    const size = await givePages(file, reading.pages);
    return { summary: reading.finish(name, size), drawing: reading.drawing() };
  }
  let taken: { bytes: number; broken?: { offset: number; reason: string } };
  do {
    taken = await givePieces(file, reading, (read) => told(`reading ${Math.round((100 * read) / Math.max(1, file.size))} %`));
    reading.end();
  } while (reading.again);
  return { summary: reading.finish(name, taken.bytes, taken.broken), drawing: reading.drawing() };
}

type Reading = ReturnType<typeof openTrace>;

async function givePieces(
  file: Blob,
  reading: Reading,
  told: (read: number) => void,
): Promise<{ bytes: number; broken?: { offset: number; reason: string } }> {
  let bytes = 0;
  try {
    for await (const piece of plainPieces(file, told)) {
      bytes += piece.length;
      pushWanted(reading, piece);
    }
    return { bytes };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { bytes, broken: { offset: bytes, reason: error.message.replace(/^its/, "the file's") } };
  }
}

/** What is of no interest is passed over. */
function pushWanted(reading: Reading, piece: Uint8Array): void {
  let rest = piece;
  while (0 < rest.length) {
    const skip = Math.min(reading.skip ?? 0, rest.length);
    if (skip === 0) {
      reading.push(rest);
      return;
    }
    reading.skipped?.(skip);
    rest = rest.subarray(skip);
  }
}

async function givePages(file: Blob, pages: NonNullable<Reading["pages"]>): Promise<number> {
  const whole = isPacked(file) ? await firstBytes(file, mostHeld) : undefined;
  const size = whole?.length ?? file.size;
  const wishes = pages(size);
  for (let wish = wishes.next(); !wish.done;) {
    const { offset, length } = wish.value;
    wish = wishes.next(whole ? whole.subarray(offset, offset + length) : bytesOf(file, offset, length));
  }
  return size;
}
