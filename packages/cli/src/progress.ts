import fs from "node:fs";
import process from "node:process";
import tty from "node:tty";
import { shown } from "@culprit/core/lib/shown";

// One line on standard error, for whoever waits in front of a terminal: what is being done, and how far it is. It is gone before anything
// else is printed, and never gets into a file, a pipe or the log of a CI run.

/** What is done within this time needs no line. */
const patience = 1000;
/** Nobody reads faster. */
const pause = 100;

let isDrawn = false;
let isOff = false;
let last = 0;
let ticker: NodeJS.Timeout | undefined;

/** No line, whatever happens. */
export function withoutProgress(): void {
  isOff = true;
}

function isWanted(): boolean {
  const { CI, TERM } = process.env;
  return !isOff && tty.isatty(2) && TERM !== "dumb" && (CI === undefined || CI === "" || CI === "false");
}

/** Says how far the work is, where it takes long and somebody looks. */
export function progress(words: string): void {
  const now = performance.now();
  if (now < patience || now - last < pause || !isWanted()) return;
  last = now;
  const width = Number(process.env["COLUMNS"]) || process.stderr.columns || 80;
  if (!isDrawn) process.on("SIGINT", interrupted);
  isDrawn = true;
  fs.writeSync(2, `\r\u001b[K${shown(words).slice(0, width - 1)}`);
}

/** Says it again and again until something is printed; who began says it. */
export function progressOf(words: () => string): void {
  if (ticker !== undefined || !isWanted()) return;
  ticker = setInterval(() => progress(words()), 500);
  ticker.unref();
}

/** The same for work of which nothing is known but that it goes on. */
export const busyWith = (words: string): void => progressOf(() => `${words}  ${Math.round(performance.now() / 1000)} s`);

/** Leaves the line as it was found. */
export function clearProgress(): void {
  clearInterval(ticker);
  ticker = undefined;
  if (!isDrawn) return;
  process.off("SIGINT", interrupted);
  isDrawn = false;
  fs.writeSync(2, "\r\u001b[K");
}

// As if nobody had listened, on a clean line.
function interrupted(): void {
  clearProgress();
  process.kill(process.pid, "SIGINT");
}

/** `4.1/11 GB`, `12 MB`. */
export function amount(done: number, all?: number): string {
  const [unit, name] = (all ?? done) < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  const short = (bytes: number) => (bytes / unit < 10 ? (bytes / unit).toFixed(1) : String(Math.round(bytes / unit)));
  return `${short(done)}${all === undefined ? "" : `/${short(all)}`} ${name}`;
}
