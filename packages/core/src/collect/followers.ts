// Readers that run along with the bytes of a file, each as far as they go.
import type { Range, Reading } from "../elf/image.ts";
import { known, type PassingBytes } from "./passing-bytes.ts";

const mostKeptOfFile = 48 << 20;
export const mostKept = 256 << 20;

/** One reader that runs along, and what it waits for. */
export interface Follower {
  reading: Reading<unknown>;
  asked: Range[];
  got: Uint8Array[];
  /** How much of each is there. */
  filled: number[];
  onAnswer?: (answer: never) => void;
}

/** The readers of one file. */
export interface Followers {
  readonly file: PassingBytes;
  readonly all: Set<Follower>;
  /** Bytes that were kept of the files before. */
  keptInAll: number;
}

export const noFollowers = (file: PassingBytes): Followers => ({ file, all: new Set(), keptInAll: 0 });

/** Starts a reader; undefined when it wants nothing, or too much. */
export function follow<T>(followers: Followers, reading: Reading<T>, onAnswer?: (answer: T) => void): Follower | undefined {
  const step = reading.next();
  const follower: Follower = { reading, asked: [], got: [], filled: [], ...(onAnswer ? { onAnswer } : {}) };
  if (step.done || !ask(followers, follower, step.value)) return undefined;
  followers.all.add(follower);
  if (!advance(followers, follower)) followers.all.delete(follower);
  return follower;
}

/** All go on; those that cannot are left behind. */
export function advanceAll(followers: Followers): void {
  for (const follower of followers.all) if (!advance(followers, follower)) followers.all.delete(follower);
}

/** Goes on with a reader as far as the bytes go; false when one that it wants has gone by, or it wants too much. */
function advance(followers: Followers, follower: Follower): boolean {
  for (;;) {
    const filling = fill(followers.file, follower);
    if (filling !== "full") return filling === "waiting";
    record(followers.file, follower);
    const step = follower.reading.next(follower.got);
    if (step.done) {
      follower.onAnswer?.(step.value as never);
      followers.all.delete(follower);
      return true;
    }
    if (!ask(followers, follower, step.value)) return false;
  }
}

/** Gives a reader what is at hand of what it asked for. */
function fill(file: PassingBytes, { asked, filled, got }: Follower): "full" | "waiting" | "gone" {
  let isWaiting = false;
  for (const [index, { offset, length }] of asked.entries()) {
    while (filled[index]! < length) {
      const at = offset + filled[index]!;
      if (file.position <= at) {
        isWaiting = true;
        break;
      }
      const lacking = length - filled[index]!;
      const bytes = known(file, at, lacking);
      if (bytes === undefined) return "gone";
      if (typeof bytes === "number") filled[index]! += Math.min(bytes, lacking);
      else {
        got[index]!.set(bytes.subarray(0, lacking), at - offset);
        filled[index]! += bytes.length;
      }
    }
  }
  return isWaiting ? "waiting" : "full";
}

function record(file: PassingBytes, { asked, got }: Follower): void {
  asked.forEach(({ offset, length }, index) => {
    if (length <= (file.recorded.get(offset)?.length ?? 0)) return;
    file.recordedBytes += length;
    file.recorded.set(offset, got[index]!);
  });
}

function ask({ file, keptInAll }: Followers, follower: Follower, ranges: Range[]): boolean {
  const wanted = ranges.reduce((sum, { length }) => sum + length, file.recordedBytes);
  if (mostKeptOfFile < wanted || mostKept < keptInAll + wanted) return false;
  follower.asked = ranges;
  follower.got = ranges.map(({ length }) => new Uint8Array(length));
  follower.filled = ranges.map(() => 0);
  return true;
}

/** Just these bytes. */
export function* readPiece(offset: number, length: number): Reading<Uint8Array> {
  const [bytes] = yield [{ offset, length }];
  return bytes!;
}
