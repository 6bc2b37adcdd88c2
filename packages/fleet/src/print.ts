import fs from "node:fs";
import { shown } from "@culprit/core/lib/shown";
import { jsonText, visibleLines } from "@culprit/core/lib/visible";

// Names of nodes, groups and files are anybody's: what would steer a terminal is spelled out here.
export const print = (report: string): void => write(1, visibleLines(report));
export const printJson = (value: unknown): void => write(1, `${jsonText(value, 1)}\n`);
export const say = (sentence: string): void => write(2, `culprit-fleet: ${shown(sentence)}\n`);

function write(handle: 1 | 2, content: string): void {
  const bytes = Buffer.from(content);
  for (let done = 0; done < bytes.length;) {
    try {
      done += fs.writeSync(handle, bytes, done);
    } catch (error) {
      const code = (error as { code?: string }).code;
      // A reader that goes away (`… | head`) ends us quietly.
      if (code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}
