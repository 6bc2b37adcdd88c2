import process from "node:process";
import { styleText } from "node:util";
import type { Style } from "../index.ts";

type Colour = Parameters<typeof styleText>[0];

/** Colours where a person looks at a terminal that wants them (https://no-color.org). */
export function terminalStyle(stream: { isTTY?: boolean } = process.stdout): Style {
  const wanted = stream.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  const paint = (colour: Colour) => (text: string) => (wanted ? styleText(colour, text) : text);
  return { strong: paint("bold"), faint: paint("dim"), good: paint("green"), bad: paint("red") };
}
