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

/** Names of files are anybody's: characters that would steer a terminal or turn a line around are spelled out. */
export function visible(text: string): string {
  return text.replace(steering, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

// C0 and C1 controls, line separators, and what changes the direction of writing.
// oxlint-disable-next-line no-control-regex
const steering = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
