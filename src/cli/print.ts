import fs from "node:fs";
import { reasonOf } from "../lib/reason.ts";
import { UsageError } from "./usage.ts";

/**
 * Writes to standard output, all of it, before anything else happens. Node's own stream costs milliseconds to set up and
 * may lose what a pipe has not taken yet when the process ends. A reader that goes away (`culprit … | head`) ends us quietly.
 */
export function print(text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += fs.writeSync(1, bytes, done);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") throw new ReaderGone();
      if (code !== "EAGAIN") throw new UsageError(`standard output cannot be written: ${reasonOf(error)}`, { cause: error });
      // A pipe that is full and set not to block: give its reader a moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

export class ReaderGone extends Error {}

/** Something to know beside the answer. */
export function note(text: string): void {
  fs.writeSync(2, `culprit: note: ${text}\n`);
}
