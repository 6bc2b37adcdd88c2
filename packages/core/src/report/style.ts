import type { Asked } from "../lib/asked.ts";
import { folded, lengthOf } from "../lib/lines.ts";

/** How a text is drawn: the terminal colours it, a file does not. Words are true without colour. */
export interface Style {
  strong(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  /** Columns of the terminal; absent where a line may be as long as it is. */
  width?: number;
  /** The question, for commands that ask it again. */
  asked?: Asked;
}

export const plain: Style = { strong: (text) => text, faint: (text) => text, good: (text) => text, bad: (text) => text };

/** Where lines would hold a few words only, and where nobody looks at a terminal, they stay whole. */
export const lineWidth = ({ width }: Style): number => (width === undefined || width < 40 ? Infinity : width);

// Prose in longer lines is hard to read, however wide the terminal is.
const mostOfProse = 120;
const proseWidth = (style: Style) => (lineWidth(style) === Infinity ? Infinity : Math.min(lineWidth(style), mostOfProse));

/** A text that is one line, however long: a command that was broken could not be copied. */
export const unbroken = (text: string): string => text.replaceAll(" ", "\u0003");

/** Lines → text, none wider than the terminal: broken at spaces, and what follows stands further in. The one way in which a report ends. */
export function laidOut(lines: string[], style: Style): string {
  const width = proseWidth(style);
  return `${lines
    .flatMap((text) => text.split("\n"))
    .flatMap((line) => folded(line, width))
    .join("\n")
    .replaceAll("\u0003", " ")}\n`;
}

/** Columns of text with two spaces between them; the last is not padded. What does not fit beside the rest stands below it. */
export function columns(rows: string[][], indent: string, style: Style = plain): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, lengthOf(cell))));
  const padded = (cell: string, index: number) => cell + " ".repeat(Math.max(0, widths[index]! - lengthOf(cell)));
  const width = lineWidth(style);
  return rows.flatMap((row) => {
    const line = indent + row.map((cell, index) => (index === row.length - 1 ? cell : padded(cell, index))).join("  ");
    if (lengthOf(line.trimEnd()) <= width) return [unbroken(line.trimEnd())];
    return stacked(
      row.map((cell, index) => [cell, padded(cell, index)] as const),
      indent,
      width,
    ).map(unbroken);
  });
}

// Cells side by side as long as they fit; the others below them, further in, each broken at spaces where it must be.
function stacked(cells: (readonly [string, string])[], indent: string, width: number): string[] {
  const below = `${indent}    `;
  const lines: string[] = [];
  let current = "";
  for (const [cell, padded] of cells) {
    if (current === "" && lines.length === 0) {
      current = `${indent}${padded}`;
      continue;
    }
    if (cell === "") {
      if (lines.length === 0) current = `${current}  ${padded}`;
      continue;
    }
    const isFirst = lines.length === 0;
    if (lengthOf(current) + 2 + lengthOf(cell) <= width) current = `${current}  ${isFirst ? padded : cell}`;
    // Out of line rather than on one of its own.
    else if (lengthOf(current.trimEnd()) + 2 + lengthOf(cell) <= width) current = `${current.trimEnd()}  ${cell}`;
    else {
      if (current.trim() !== "") lines.push(current);
      current = `${below}${cell}`;
    }
  }
  return [...lines, current].flatMap((line) => folded(line.trimEnd(), width));
}

/** Room for text. Where lines would hold a few words only, and where nobody looks at a terminal, they stay whole. */
export const textWidth = ({ width }: Style, indent: number) =>
  width === undefined || width < 40 ? Infinity : Math.min(width, 120) - indent;

export const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
