// Lines for a shell, as Dockerfiles, notebooks and workflows hold them → commands. It reads, it never runs anything:
// what a command prints, and a variable that is not known, stay unknown.

export interface Word {
  text: string;
  /** Every part of it is known. */
  isKnown: boolean;
  /** 1-based, within the text. */
  line: number;
  column: number;
  /** The command is run only if something holds. */
  isConditional?: boolean;
}

/** Values of variables, as far as they are known. */
export interface Variables {
  get: (name: string) => string | undefined;
  set: (name: string, value: string) => void;
  delete: (name: string) => void;
  /** Every name that may have a value. */
  keys: () => Iterable<string>;
}

/** Variables that lie over others, which stay as they are. Nothing is copied: a long file has thousands of lines and of variables. */
export function variablesOver(below: Variables): Variables {
  const own = new Map<string, string | undefined>();
  return {
    get: (name) => (own.has(name) ? own.get(name) : below.get(name)),
    set: (name, value) => own.set(name, value),
    delete: (name) => own.set(name, undefined),
    keys: () => new Set([...below.keys(), ...own.keys()]),
  };
}

const keywords = new Set(["then", "do", "else", "elif", "if", "while", "until", "!", "{", "(", "time", "exec", "sudo", "command", "nohup"]);

const openings = new Set(["if", "for", "while", "until", "case", "select"]);
const closings = new Set(["fi", "done", "esac"]);

/** The commands of a text, one after the other; whatever joins them. Assignments become known as they are read. */
export function readCommands(text: string, variables: Variables): Word[][] {
  const commands: Word[][] = [];
  let words: Word[] = [];
  // Within `if`, `case` and loops, and after `||`, nobody knows what is done.
  let depth = 0;
  let isOtherwise = false;
  let line = 1;
  let lineStart = 0;
  let at = 0;
  // Where the next line ends: looked for once a line, as a line may have a million words.
  let newline = text.indexOf("\n");
  let count = 0;
  // Only assignments stand before what comes next.
  let isFirst = true;
  const end = () => {
    if (0 < words.length) commands.push(words);
    words = [];
    isFirst = true;
  };
  while (at < text.length) {
    const character = text[at]!;
    if (character === "\n") {
      end();
      isOtherwise = false;
      at += 1;
      line += 1;
      lineStart = at;
    } else if (character === "\\" && /[\r\n]/.test(text[at + 1] ?? "")) {
      at += text.startsWith("\r\n", at + 1) ? 3 : 2;
      line += 1;
      lineStart = at;
    } else if (/\s/.test(character)) at += 1;
    else if (character === "#") at = endOfLine(text, at);
    else if (";&|()".includes(character)) {
      end();
      isOtherwise = text.startsWith("||", at) || (isOtherwise && text.startsWith("&&", at));
      at += text.startsWith("||", at) || text.startsWith("&&", at) ? 2 : 1;
    } else {
      count += 1;
      if (mostWords < count) throw new Error(`it holds a script of more than ${mostWords} words, which nobody wrote`);
      const word = readWord(text, at, variables);
      if (isFirst && openings.has(word.text)) depth += 1;
      if (isFirst && closings.has(word.text)) depth = Math.max(0, depth - 1);
      const isConditional = 0 < depth || isOtherwise;
      const found: Word = {
        text: word.text,
        isKnown: word.isKnown,
        line,
        column: at - lineStart + 1,
        ...(isConditional ? { isConditional } : {}),
      };
      // A word may go over several lines.
      while (0 <= newline && newline < at) newline = text.indexOf("\n", at);
      for (; 0 <= newline && newline < word.end; newline = text.indexOf("\n", newline + 1)) {
        line += 1;
        lineStart = newline + 1;
      }
      at = word.end;
      if (words.length === 0 && !word.isQuoted) {
        const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(found.text) ?? [];
        if (name !== undefined) {
          if (found.isKnown && !isConditional) variables.set(name, value!);
          else variables.delete(name);
          // It stands alone, or before a command that it is for.
          words.push({ ...found, text: `${name}=${value}` });
          continue;
        }
      }
      if (isFirst && keywords.has(found.text)) continue;
      words.push(found);
      isFirst &&= isAssignment(found.text);
    }
  }
  end();
  return commands;
}

export const isAssignment = (text: string) => /^[A-Za-z_]\w*=/.test(text);

const endOfLine = (text: string, at: number) => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

function readWord(text: string, from: number, variables: Variables): { text: string; isKnown: boolean; isQuoted: boolean; end: number } {
  const parts: string[] = [];
  let isKnown = true;
  let quote = "";
  const isQuoted = text[from] === '"' || text[from] === "'";
  let at = from;
  while (at < text.length) {
    const character = text[at]!;
    if (quote === "'") {
      if (character === "'") quote = "";
      else parts.push(character);
      at += 1;
    } else if (character === "\\") {
      const next = text[at + 1] ?? "";
      if (next === "\n") at += 2;
      else if (next === "\r" && text[at + 2] === "\n") at += 3;
      else {
        parts.push(next);
        at += 2;
      }
    } else if (character === '"') {
      quote = quote === '"' ? "" : '"';
      at += 1;
    } else if (character === "'" && quote === "") {
      quote = "'";
      at += 1;
    } else if (character === "$") {
      const variable = readVariable(text, at, variables);
      if (variable.value === undefined) {
        isKnown = false;
        parts.push(text.slice(at, variable.end));
      } else parts.push(variable.value);
      at = variable.end;
    } else if (character === "`") {
      const close = text.indexOf("`", at + 1);
      isKnown = false;
      at = close < 0 ? text.length : close + 1;
    } else if (quote === "" && (/\s/.test(character) || ";&|()".includes(character))) break;
    else {
      parts.push(character);
      at += 1;
    }
  }
  return { text: parts.join(""), isKnown, isQuoted, end: Math.min(at, text.length) };
}

/** `$NAME`, `${NAME}`, `${NAME:-value}`; anything else is unknown. */
function readVariable(text: string, at: number, variables: Variables): { value?: string; end: number } {
  const rest = text.slice(at, at + 400);
  const [plain, name] = /^\$([A-Za-z_]\w*)/.exec(rest) ?? [];
  if (plain !== undefined) return given(variables.get(name!), at + plain.length);
  const [braced, inner, operator, other] = /^\$\{([A-Za-z_]\w*)(?:(:?[-+])([^${}]*))?\}/.exec(rest) ?? [];
  if (braced !== undefined) {
    const value = variables.get(inner!);
    const end = at + braced.length;
    if (operator?.endsWith("-")) return given(value === undefined || (value === "" && operator === ":-") ? other : value, end);
    if (operator?.endsWith("+")) return given(value === undefined || value === "" ? "" : other, end);
    return given(value, end);
  }
  const opening = text[at + 1];
  if (opening !== "(" && opening !== "{") return { end: at + 1 + (opening === undefined || /[\s"']/.test(opening) ? 0 : 1) };
  let depth = 0;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === opening) depth += 1;
    else if (text[end] === (opening === "(" ? ")" : "}") && (depth -= 1) === 0) return { end: end + 1 };
  }
  return { end: text.length };
}

const given = (value: string | undefined, end: number) => (value === undefined || longest < value.length ? { end } : { value, end });

/** More than any script has that installs something. */
const mostWords = 200_000;

/** Longer values are nobody's: a variable that doubles itself line by line would fill the memory. */
const longest = 8192;
