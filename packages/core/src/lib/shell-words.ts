// A line of shell in its words and commands, as far as that needs no shell.

/** One assignment of a line. Places are those of the line. */
export interface LineAssignment {
  name: string;
  /** Where its name begins. */
  start: number;
  /** Where its value begins, quotes included. */
  valueStart: number;
  end: number;
  /** Not in `export NAME`. */
  hasValue: boolean;
  /** `NAME+=…`, `setenv NAME …`, `path_add NAME …` and `export NAME` are no plain assignments. */
  isPlain: boolean;
  /** `NAME+=…`, where nothing but a shell's `export` or `declare` stands before it. */
  adds?: true;
  command: number;
}

export interface LineCommand {
  start: number;
  end: number;
  /** It exports, so that its words are made before any of its variables is set. */
  exports: boolean;
  assignments: LineAssignment[];
}

export interface ReadLine {
  /** Those that set variables and do nothing else. */
  commands: LineCommand[];
  /** The line does nothing but that, one command after the other, whatever happens. */
  isPlain: boolean;
  /** Where a comment begins. */
  comment?: number;
}

interface Token {
  kind: "word" | "operator";
  text: string;
  start: number;
  end: number;
}

const exporting = new Set(["export", "readonly"]);
const declaring = new Set(["declare", "typeset"]);
const introducing = new Set(["then", "do", "else", "{", "!", "elif", "if", "while"]);

export function readLine(line: string): ReadLine {
  const { tokens, comment } = tokensOf(line);
  const goesOn = tokens.at(-1)?.text === "\\";
  if (goesOn) tokens.pop();
  const read: ReadLine = { commands: [], isPlain: !goesOn, ...(comment === undefined ? {} : { comment }) };
  let words: Token[] = [];
  const close = () => {
    const command = commandOf(words, read.commands.length);
    if (command) read.commands.push(command);
    else if (0 < words.length) read.isPlain = false;
    words = [];
  };
  for (const token of tokens) {
    if (token.kind === "word") words.push(token);
    else {
      close();
      if (token.text !== ";") read.isPlain = false;
    }
  }
  close();
  if (read.commands.length === 0) read.isPlain = false;
  return read;
}

function commandOf(words: Token[], index: number): LineCommand | undefined {
  const isIntroduced = words[0] !== undefined && introducing.has(words[0].text);
  const [first, ...rest] = isIntroduced ? words.slice(1) : words;
  if (!first) return undefined;
  const made = (items: Token[], exports: boolean, read: (item: Token) => LineAssignment | undefined): LineCommand | undefined => {
    const assignments = items.flatMap((item) => read(item) ?? []);
    if (isIntroduced) {
      for (const each of assignments) {
        each.isPlain = false;
        delete each.adds;
      }
    }
    return 0 < assignments.length && assignments.length === items.length
      ? { start: words[0]!.start, end: words.at(-1)!.end, exports, assignments }
      : undefined;
  };
  const assigned = (item: Token) => assignmentOf(item, index);
  const namedOnly = (item: Token): LineAssignment | undefined =>
    assigned(item) ??
    (/^[A-Za-z_]\w*$/.test(item.text)
      ? { name: item.text, start: item.start, valueStart: item.end, end: item.end, hasValue: false, isPlain: false, command: index }
      : undefined);
  if (exporting.has(first.text)) return made(rest, true, namedOnly);
  if (declaring.has(first.text)) return rest[0]?.text === "-x" ? made(rest.slice(1), true, namedOnly) : undefined;
  if (first.text === "setenv" || first.text === "path_add") {
    const [name, value] = rest;
    if (!name || !value || !/^[A-Za-z_]\w*$/.test(name.text)) return undefined;
    return {
      start: first.start,
      end: words.at(-1)!.end,
      exports: true,
      assignments: [
        {
          name: name.text,
          start: name.start,
          valueStart: value.start,
          end: rest.at(-1)!.end,
          hasValue: true,
          isPlain: first.text === "setenv" && rest.length === 2 && !isIntroduced,
          command: index,
        },
      ],
    };
  }
  // Before another command they are its own.
  return made([first, ...rest], false, assigned);
}

function assignmentOf({ text, start, end }: Token, command: number): LineAssignment | undefined {
  const found = /^([A-Za-z_]\w*)(\+?)=/.exec(text);
  if (!found) return undefined;
  const kind = found[2] === "" ? { isPlain: true } : { isPlain: false, adds: true as const };
  return { name: found[1]!, start, valueStart: start + found[0].length, end, hasValue: true, ...kind, command };
}

function tokensOf(line: string): { tokens: Token[]; comment?: number } {
  const tokens: Token[] = [];
  for (let at = 0; at < line.length;) {
    const letter = line[at]!;
    if (/\s/.test(letter)) at += 1;
    else if (letter === "#") return { tokens, comment: at };
    else if (/[;&|<>()]/.test(letter)) {
      const text = /^(?:;;|&&|\|\||[;&|<>()])/.exec(line.slice(at))![0];
      tokens.push({ kind: "operator", text, start: at, end: at + text.length });
      at += text.length;
    } else {
      const end = wordEnd(line, at);
      tokens.push({ kind: "word", text: line.slice(at, end), start: at, end });
      at = end;
    }
  }
  return { tokens };
}

/** Behind the word that begins at a place: quotes, escapes and commands in it are followed to their ends. */
function wordEnd(line: string, from: number): number {
  let quote = "";
  for (let at = from; at < line.length; at += 1) {
    const letter = line[at]!;
    if (quote === "'") quote = letter === "'" ? "" : quote;
    else if (letter === "\\") at += 1;
    else if (letter === "`" || line.startsWith("$(", at)) {
      const close = letter === "`" ? line.indexOf("`", at + 1) : closingBracket(line, at + 1);
      if (close < 0) return line.length;
      at = close;
    } else if (letter === '"') quote = quote === '"' ? "" : '"';
    else if (quote === "" && letter === "'") quote = "'";
    else if (quote === "" && /[\s;&|<>()]/.test(letter)) return at;
  }
  return line.length;
}

/** Where the bracket that begins at a place is closed; -1 where it is not. */
export function closingBracket(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Files that a line reads in (`. FILE`, `source FILE`), where their names need no shell but for the home folder. */
export function sourcedBy(line: string, home: string | undefined): string[] {
  if (!/(?:^|[\s;&|({])(?:\.|source)\s/.test(line)) return [];
  const { tokens } = tokensOf(line);
  return tokens.flatMap((token, index) => {
    const before = tokens[index - 1];
    const isCommand =
      before === undefined || before.kind === "operator" || introducing.has(before.text) || before.text === "]]" || before.text === "]";
    const next = tokens[index + 1];
    if (!isCommand || (token.text !== "." && token.text !== "source") || token.kind !== "word" || next?.kind !== "word") return [];
    const name = next.text.replace(/^"([^"`\\]*)"$|^'([^']*)'$/, (_, double: string, single: string) => double ?? single);
    const path = home === undefined ? name : name.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, home);
    return path.startsWith("/") && !/[$`*?[\\"']/.test(path) ? [path] : [];
  });
}
