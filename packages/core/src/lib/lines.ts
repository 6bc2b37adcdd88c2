/** Breaks a text at spaces only, so that a path or an option stays whole and can be copied; what is longer than a line stands out. */
export function wrapped(text: string, width = Infinity, firstWidth = width): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && (lines.length === 0 ? firstWidth : width) < line.length + 1 + word.length) {
      lines.push(line.trimEnd());
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** How wide a text is: what colours it (`cli/style.ts`) has no width, and nothing from elsewhere holds such characters (`shown.ts`). */
// oxlint-disable-next-line no-control-regex
export const lengthOf = (text: string): number => text.replaceAll(/\u0001[^\u0002]*\u0002/g, "").length;

/** A line, broken at spaces; what follows stands two further in than its beginning. */
export function folded(line: string, width: number): string[] {
  if (lengthOf(line) <= width) return [line];
  const indent = /^ */.exec(line)![0].length;
  const hang = " ".repeat(indent + 2);
  const lines: string[] = [];
  let current = "";
  for (const word of line.slice(indent).split(" ")) {
    const before = current === "" ? (lines.length === 0 ? " ".repeat(indent) : hang) : `${current} `;
    // A word that is wider than a line stands out, on a line of its own where that helps.
    if (current !== "" && width < lengthOf(before) + lengthOf(word)) {
      lines.push(current.trimEnd());
      current = `${hang}${word}`;
    } else current = `${before}${word}`;
  }
  return [...lines, current.trimEnd()];
}
