// Files of Python's configparser: tox.ini, setup.cfg. Values go on over lines that are indented.
import { splitLines } from "./lines.ts";

export interface IniLine {
  text: string;
  line: number;
  column: number;
}

export interface IniSection {
  name: string;
  line: number;
  values: Map<string, IniLine[]>;
}

export function readIni(text: string): IniSection[] {
  const sections: IniSection[] = [];
  let value: IniLine[] | undefined;
  for (const [index, raw] of splitLines(text).entries()) {
    const line = index + 1;
    const [, head] = /^\[([^\]]+)\]/.exec(raw) ?? [];
    if (head !== undefined) {
      sections.push({ name: head.trim(), line, values: new Map() });
      value = undefined;
      continue;
    }
    if (/^\s*[#;]/.test(raw) || raw.trim() === "") continue;
    if (/^\s/.test(raw)) {
      if (value) add(value, raw, line, 0);
      continue;
    }
    const [whole, key] = /^([^=:\s][^=:]*?)\s*[=:]\s*/.exec(raw) ?? [];
    const section = sections.at(-1);
    if (whole === undefined || !section) {
      throw new Error(`line ${line}, column 1 ${section ? "is neither a section nor a value" : "stands before the first section"}`);
    }
    section.values.set(key!.toLowerCase(), (value = []));
    add(value, raw, line, whole.length);
  }
  return sections;
}

function add(value: IniLine[], raw: string, line: number, from: number): void {
  // A number sign behind a space begins a comment.
  const bare = raw.slice(from).replace(/(^|\s)#.*$/, "");
  const text = bare.trim();
  if (text !== "") value.push({ text, line, column: from + bare.length - bare.trimStart().length + 1 });
}
