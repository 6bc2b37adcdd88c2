import fs from "node:fs";
import process from "node:process";
import { styleText } from "node:util";
import type { Style } from "../index.ts";

type Colour = Parameters<typeof styleText>[0];

/** Colours where a person looks at a terminal that wants them (https://no-color.org). */
export function terminalStyle(stream?: { isTTY?: boolean }): Style {
  const isTerminal = stream ? stream.isTTY === true : mayBeTerminal() && process.stdout.isTTY === true;
  const wanted = isTerminal && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  const paint = (colour: Colour) => (text: string) => (wanted ? styleText(colour, text) : text);
  // The output of a notebook's cell is no terminal, and narrow.
  const isNotebook = process.env["COLAB_RELEASE_TAG"] !== undefined || process.env["JPY_PARENT_PID"] !== undefined;
  const width = isTerminal && 0 < process.stdout.columns ? { width: process.stdout.columns } : isNotebook ? { width: 80 } : {};
  return { strong: paint("bold"), faint: paint("dim"), good: paint("green"), bad: paint("red"), ...width };
}

// Node's own stream costs milliseconds to set up; what goes into a file, a pipe or /dev/null needs none.
function mayBeTerminal(): boolean {
  const { rdev } = fs.fstatSync(1);
  return rdev !== 0 && rdev !== nullDevice;
}

const nullDevice = 0x103;
