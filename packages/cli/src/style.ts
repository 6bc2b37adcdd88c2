import fs from "node:fs";
import process from "node:process";
import type { Style } from "@culprit/core";

/** Colours where a person looks at a terminal that wants them (https://no-color.org). */
export function terminalStyle(stream?: { isTTY?: boolean; columns?: number }): Style {
  const isTerminal = stream ? stream.isTTY === true : mayBeTerminal() && process.stdout.isTTY === true;
  const { NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM } = process.env;
  const isForced = [FORCE_COLOR, CLICOLOR_FORCE].some((value) => value !== undefined && value !== "" && value !== "0");
  const wanted = !NO_COLOR && (isForced || (isTerminal && TERM !== "dumb"));
  const paint = (begin: number, end: number) => (text: string) => (wanted ? `${mark(begin)}${text}${mark(end)}` : text);
  // The output of a notebook's cell is no terminal, and narrow.
  const isNotebook = process.env["COLAB_RELEASE_TAG"] !== undefined || process.env["JPY_PARENT_PID"] !== undefined;
  const columns = isTerminal ? columnsOf(stream) : isNotebook ? 80 : undefined;
  const width = columns === undefined ? {} : { width: columns };
  return { strong: paint(1, 22), faint: paint(2, 22), good: paint(32, 39), bad: paint(31, 39), ...width };
}

/** Of a terminal: what COLUMNS says, as in other programs, else what it says itself. */
function columnsOf(stream: { columns?: number } = process.stdout): number | undefined {
  const said = Number(process.env["COLUMNS"]);
  const columns = Number.isInteger(said) && 0 < said ? said : stream.columns;
  return columns !== undefined && 0 < columns ? columns : undefined;
}

// A report says where a colour begins and ends with a mark that no text from elsewhere can hold: nobody knows it before.
const secret = `${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
const mark = (code: number) => `\u0001${secret}${code}\u0002`;
const marks = new RegExp(`\u0001${secret}(\\d+)\u0002`);

/** The text between the marks cleaned, and only then colours in the place of the marks. */
export const coloured = (text: string, clean: (text: string) => string): string =>
  text
    .split(marks)
    .map((part, index) => (index % 2 === 0 ? clean(part) : `\u001b[${part}m`))
    .join("");

// Node's own stream costs milliseconds to set up; what goes into a file, a pipe or /dev/null needs none.
function mayBeTerminal(): boolean {
  const { rdev } = fs.fstatSync(1);
  return rdev !== 0 && rdev !== nullDevice;
}

const nullDevice = 0x103;
