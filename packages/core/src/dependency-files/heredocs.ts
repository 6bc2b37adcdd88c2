// What a script hands to a program as its input: `cat > Dockerfile <<EOF`.
import { splitLines } from "./lines.ts";

/** Lines that could end a heredoc, each looked at once: a word alone. */
export function wordsAlone(lines: string[], pattern: RegExp): Map<string, number[]> {
  const ends = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const alone = pattern.exec(line)?.[1];
    if (alone === undefined) continue;
    const known = ends.get(alone);
    if (known) known.push(index);
    else ends.set(alone, [index]);
  }
  return ends;
}

/** Heredocs become empty lines, unless a shell reads them. */
export function withoutHeredocs(text: string): string {
  if (!text.includes("<<")) return text;
  const lines = splitLines(text);
  const ends = wordsAlone(lines, /^\s*([A-Za-z_]\w*)\s*$/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    const [mark, , word] = /^\s*#/.test(line) ? [] : (/(?<!<)<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(line) ?? []);
    if (mark === undefined) continue;
    const waiting = ends.get(word!) ?? [];
    while (0 < waiting.length && waiting[0]! <= index) waiting.shift();
    const [end] = waiting;
    if (end === undefined) continue;
    const isRun = /(?:^|[\s;&|/])(?:ba|z|da|k)?sh(?:\s+-\S+)*\s*(?:-s\s*)?<<|\bsbatch\b[^|;]*<</.test(line);
    lines[index] = line.replace(mark, " ".repeat(mark.length));
    if (!isRun) for (let at = index + 1; at < end; at += 1) lines[at] = "";
    lines[end] = "";
    if (!isRun) index = end;
  }
  return lines.join("\n");
}
