import type { Asked } from "../lib/asked.ts";

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

/** Columns of text with two spaces between them; the last is not padded. */
export function columns(rows: string[][], indent: string): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows.map(
    (row) =>
      indent +
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index]!)))
        .join("  ")
        .trimEnd(),
  );
}

/** Room for text. Where lines would hold a few words only, and where nobody looks at a terminal, they stay whole. */
export const textWidth = ({ width }: Style, indent: number) =>
  width === undefined || width < 40 ? Infinity : Math.min(width, 120) - indent;

export const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
