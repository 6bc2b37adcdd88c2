import fs from "node:fs";
import type { Range, Reading } from "../../packages/core/src/elf/image.ts";

/** What a reading asked for. */
export interface Asked {
  bytes: number;
  pieces: number;
  ranges: Range[];
}

/** Runs a reading over bytes in memory. */
export function readBytes<T>(bytes: Uint8Array, reading: Reading<T>, asked?: Asked): T {
  return answer(reading, ({ offset, length }) => bytes.subarray(offset, offset + length), asked);
}

/** Runs a reading over a file on this disk. */
export function readFile<T>(path: string, begin: (size: number) => Reading<T>, asked?: Asked): T {
  const handle = fs.openSync(path, "r");
  try {
    return answer(
      begin(fs.fstatSync(handle).size),
      ({ offset, length }) => {
        const bytes = new Uint8Array(length);
        return bytes.subarray(0, fs.readSync(handle, bytes, 0, length, offset));
      },
      asked,
    );
  } finally {
    fs.closeSync(handle);
  }
}

function answer<T>(reading: Reading<T>, read: (range: Range) => Uint8Array, asked?: Asked): T {
  let step = reading.next();
  while (!step.done) {
    for (const range of asked ? step.value : []) {
      asked!.bytes += range.length;
      asked!.pieces += 1;
      asked!.ranges.push(range);
    }
    step = reading.next(step.value.map(read));
  }
  return step.value;
}

export const nothingAsked = (): Asked => ({ bytes: 0, pieces: 0, ranges: [] });
