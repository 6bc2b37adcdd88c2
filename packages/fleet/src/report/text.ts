// Answers for people at a terminal. What comes from nodes is cleaned where it is printed.

/** `a1, a2, a3 and 12 more` */
export function some(names: string[], most = 6): string {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

export const amount = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** To the minute, in UTC. */
export const moment = (at: string | Date): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")}`;

/** Columns as wide as they need to be; the last one as it comes. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: string[]) =>
    cells.map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column]!))).join("  ");
  return [line(head), ...rows.map(line)].map((each) => `${each.trimEnd()}\n`).join("");
}
