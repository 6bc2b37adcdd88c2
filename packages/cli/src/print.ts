import fs from "node:fs";
import { withoutSecretsIn } from "@culprit/core/lib/secrets";
import { shown } from "@culprit/core/lib/shown";
import { escapedJson, jsonText, visibleLines } from "@culprit/core/lib/visible";
import { reasonOf } from "@culprit/core/lib/reason";
import { clearProgress, withoutProgress } from "./progress.ts";
import { coloured } from "./style.ts";
import { UsageError } from "./usage.ts";

/**
 * Everything that we say goes through this file. What would steer a terminal is spelled out here, whatever a report did with it, and
 * colours come only behind that.
 */
export const cleaned = (text: string): string => coloured(text, visibleLines);

/** Writes a report to standard output. */
export function print(text: string): void {
  write(1, cleaned(text));
}

/** Writes one JSON document to standard output, without secrets and with every character that would steer a terminal escaped. */
export function printJson(value: unknown, indent?: number): void {
  write(1, `${jsonText(withoutSecretsIn(value), indent)}\n`);
}

/** Text that is JSON already. */
export function printDocument(text: string): void {
  write(1, escapedJson(text));
}

/** Writes a report to standard error: lines of ours, in which texts from elsewhere went through `shown`. */
export function printAside(text: string): void {
  write(2, cleaned(text));
}

/** One sentence beside the answer, on a line of its own whatever is in it. */
export function say(sentence: string): void {
  write(2, `culprit: ${shown(sentence)}\n`);
}

let isQuiet = false;

/** From now on only answers and failures are printed. */
export function beQuiet(): void {
  isQuiet = true;
  withoutProgress();
}

/** Something to know beside the answer. */
export function note(sentence: string): void {
  if (!isQuiet) say(`note: ${sentence}`);
}

/**
 * Writes all of it before anything else happens. Node's own stream costs milliseconds to set up and may lose what a pipe has not taken yet
 * when the process ends. A reader that goes away (`culprit … | head`) ends us quietly.
 */
function write(handle: 1 | 2, text: string): void {
  clearProgress();
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += fs.writeSync(handle, bytes, done);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EAGAIN") {
        // Where nobody can be told, there is nobody to tell that.
        if (handle === 2) return;
        if (code === "EPIPE") throw new ReaderGone();
        throw new UsageError(`standard output cannot be written: ${reasonOf(error)}`, { cause: error });
      }
      // A pipe that is full and set not to block: give its reader a moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

export class ReaderGone extends Error {}
