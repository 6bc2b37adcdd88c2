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
