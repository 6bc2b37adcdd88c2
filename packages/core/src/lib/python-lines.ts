// Logical lines of a Python file, as its tokenizer would join them: what stands in brackets or behind a backslash goes on, comments are gone.

import { memo } from "./memo.ts";

export interface PythonLine {
  /** How many columns it stands in; 0 is the left margin. */
  indent: number;
  /** Without comments; texts are `""` here. */
  code: string;
  /** The texts in it, without prefixes; those over several lines are left out. */
  texts: string[];
}

/** A comment, a text, a bracket, a line that goes on, or the end of one. */
const token = /#[^\n]*|"""|'''|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|[([{]|[)\]}]|\\\r?\n|\n/g;

// The same text is asked about in several ways, one after the other.
export const pythonLines = memo(4, (source: string): PythonLine[] => linesOf(source));

function linesOf(source: string): PythonLine[] {
  const lines: PythonLine[] = [];
  let line: PythonLine = { indent: 0, code: "", texts: [] };
  let depth = 0;
  let from = 0;
  const end = () => {
    const indent = /^[ \t]*/.exec(line.code)![0].length;
    line.code = line.code.trim();
    line.indent = indent;
    if (line.code !== "") lines.push(line);
    line = { indent: 0, code: "", texts: [] };
  };
  token.lastIndex = 0;
  for (let found = token.exec(source); found; found = token.exec(source)) {
    const [text] = found;
    line.code += source.slice(from, found.index);
    from = token.lastIndex;
    if (text === '"""' || text === "'''") {
      from = token.lastIndex = endOfText(source, from, text);
      line.code += '""';
    } else if (text.startsWith('"') || text.startsWith("'")) {
      line.code += '""';
      line.texts.push(text.slice(1, -1));
    } else if (text === "\n") {
      if (depth === 0) end();
      else line.code += " ";
    } else if (text.startsWith("\\")) line.code += " ";
    else if ("([{".includes(text)) {
      depth++;
      line.code += text;
    } else if (")]}".includes(text)) {
      depth = Math.max(0, depth - 1);
      line.code += text;
    }
  }
  line.code += source.slice(from);
  end();
  return lines;
}

/** Behind the three quotes that end a text; a quote behind a backslash is none. */
function endOfText(source: string, from: number, quotes: string): number {
  for (let at = source.indexOf(quotes, from); 0 <= at; at = source.indexOf(quotes, at + 1)) {
    let slashes = 0;
    while (source[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + quotes.length;
  }
  return source.length;
}
