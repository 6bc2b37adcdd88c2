// Programs in Python as far as text goes: texts, lists and tables that are written out, and the calls that they are given to. Nothing is run:
// whatever is worked out stays unknown.

interface Token {
  kind: "text" | "name" | "sign" | "end";
  text: string;
  line: number;
  column: number;
  /** Of a text: nothing is put into it. */
  isKnown?: boolean;
}

export interface PythonText {
  kind: "text";
  text: string;
  isKnown: boolean;
  line: number;
  column: number;
}

export type PythonValue =
  | PythonText
  | { kind: "list"; items: PythonValue[]; line: number; column: number }
  | { kind: "table"; entries: Map<string, PythonValue>; line: number; column: number }
  | { kind: "unknown"; line: number; column: number };

export interface PythonCall {
  /** With its dots: `session.install`. */
  name: string;
  values: PythonValue[];
  named: Map<string, PythonValue>;
  line: number;
  column: number;
  /** It decorates what follows. */
  isDecorator: boolean;
}

export interface PythonProgram {
  calls: PythonCall[];
  /** `def name` and where. */
  functions: { name: string; line: number }[];
}

interface Reading {
  tokens: Token[];
  /** What is set at the beginning of a line, once and for all. */
  variables: Map<string, PythonValue>;
  /** How much more is gone over. */
  left: number;
}

/** More than any such file has. */
const mostTokens = 200_000;

const deepest = 50;

export function readPythonText(source: string): PythonProgram {
  const tokens = tokensOf(source);
  const variables = new Map<string, PythonValue>();
  const reading: Reading = { tokens, variables, left: mostTokens * 20 };
  const calls: PythonCall[] = [];
  const functions: PythonProgram["functions"] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind !== "name") continue;
    const isFirst = at === 0 || tokens[at - 1]!.kind === "end";
    if (isFirst && token.text === "def" && tokens[at + 1]?.kind === "name")
      functions.push({ name: tokens[at + 1]!.text, line: token.line });
    // Only what is set once and for all: a name that is set again is not known.
    if (isFirst && token.column === 1 && tokens[at + 1]?.text === "=" && tokens[at + 2]?.text !== "=") {
      const { value } = readValue(reading, at + 2, 0);
      variables.set(token.text, variables.has(token.text) ? { kind: "unknown", line: token.line, column: token.column } : value);
    }
    if (tokens[at - 1]?.text === ".") continue;
    let [name, end] = [token.text, at + 1];
    while (tokens[end]?.text === "." && tokens[end + 1]?.kind === "name") {
      name += `.${tokens[end + 1]!.text}`;
      end += 2;
    }
    if (tokens[end]?.text !== "(" || tokens[at - 1]?.text === "def") continue;
    const { values, named } = readArguments(reading, end + 1);
    calls.push({ name, values, named, line: token.line, column: token.column, isDecorator: tokens[at - 1]?.text === "@" });
  }
  return { calls, functions };
}

function readArguments(reading: Reading, from: number): Pick<PythonCall, "values" | "named"> {
  const { tokens } = reading;
  const values: PythonValue[] = [];
  const named = new Map<string, PythonValue>();
  let at = from;
  while (at < tokens.length && tokens[at]!.text !== ")") {
    const key = tokens[at]!.kind === "name" && tokens[at + 1]?.text === "=" && tokens[at + 2]?.text !== "=" ? tokens[at]!.text : undefined;
    const { value, next } = readValue(reading, key === undefined ? at : at + 2, 0);
    if (key === undefined) values.push(value);
    else named.set(key, value);
    at = tokens[next]?.text === "," ? next + 1 : Math.max(next, at + (tokens[next]?.text === ")" ? 0 : 1));
  }
  return { values, named };
}

/** One value, up to the comma or the bracket behind it. */
function readValue(reading: Reading, from: number, depth: number): { value: PythonValue; next: number } {
  const { tokens, variables } = reading;
  let at = from;
  // `*LIST` gives its items.
  while (tokens[at]?.text === "*") at += 1;
  const token = tokens[at];
  const unknown: PythonValue = { kind: "unknown", line: token?.line ?? 1, column: token?.column ?? 1 };
  if (!token) return { value: unknown, next: at };
  const skipped = () => ({ value: unknown, next: behind(reading, at) });
  if (deepest < depth) return skipped();
  const ends = (next: number) => next >= tokens.length || /^[,)\]}:]$/.test(tokens[next]!.text) || tokens[next]!.kind === "end";
  if (token.kind === "text") {
    // Texts beside each other are one.
    let next = at + 1;
    const parts = [token];
    while (tokens[next]?.kind === "text") parts.push(tokens[next++]!);
    const value: PythonText = {
      kind: "text",
      text: parts.map(({ text }) => text).join(""),
      isKnown: parts.every(({ isKnown }) => isKnown),
      line: token.line,
      column: token.column,
    };
    return ends(next) ? { value, next } : skipped();
  }
  if (token.kind === "name") {
    const known = variables.get(token.text);
    return known && ends(at + 1) ? { value: known, next: at + 1 } : skipped();
  }
  const close = { "[": "]", "(": ")", "{": "}" }[token.text];
  if (close === undefined) return skipped();
  const items: PythonValue[] = [];
  const entries = new Map<string, PythonValue>();
  let next = at + 1;
  while (next < tokens.length && tokens[next]!.text !== close) {
    const begin = next;
    const first = readValue(reading, next, depth + 1);
    next = first.next;
    if (tokens[next]?.text === ":" && token.text === "{") {
      const second = readValue(reading, next + 1, depth + 1);
      next = second.next;
      if (first.value.kind === "text") entries.set(first.value.text, second.value);
    } else items.push(first.value);
    if (tokens[next]?.text === ",") next += 1;
    else if (tokens[next]?.text !== close && next === begin) next += 1;
  }
  next += 1;
  if (!ends(next)) return skipped();
  const at0 = { line: token.line, column: token.column };
  return { value: 0 < entries.size ? { kind: "table", entries, ...at0 } : { kind: "list", items, ...at0 }, next };
}

/** The comma or bracket behind what is not understood. */
function behind(reading: Reading, from: number): number {
  const { tokens } = reading;
  let depth = 0;
  let at = from;
  for (; at < tokens.length; at += 1) {
    // Calls within calls are gone over again and again.
    reading.left -= 1;
    if (reading.left < 0)
      throw new Error(`line ${tokens[from]!.line}, column ${tokens[from]!.column}: it is more entangled than anybody writes`);
    const { text, kind } = tokens[at]!;
    if (kind === "text") continue;
    if (kind === "end" && depth === 0) break;
    if (depth === 0 && /^[,)\]}]$/.test(text)) break;
    if (/^[([{]$/.test(text)) depth += 1;
    else if (/^[)\]}]$/.test(text)) depth -= 1;
  }
  return at;
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /([rRbBuUfF]{0,2})("""|'''|"|')|([A-Za-z_]\w*)|(#[^\n]*)|(\\\r?\n)|(\n)|([^\s\w])|(\d[\w.]*)/g;
  let depth = 0;
  let line = 1;
  let lineStart = 0;
  const advance = (from: number, to: number) => {
    for (let at = source.indexOf("\n", from); 0 <= at && at < to; at = source.indexOf("\n", at + 1)) {
      line += 1;
      lineStart = at + 1;
    }
  };
  for (let found = pattern.exec(source); found; found = pattern.exec(source)) {
    const [whole, prefix, quote, name, , , newline, sign] = found;
    const place = { line, column: found.index - lineStart + 1 };
    if (mostTokens < tokens.length) throw new Error(`line ${line}, column ${place.column}: it has more words than anybody writes`);
    if (quote !== undefined) {
      const begin = found.index + whole.length;
      const end = endOfText(source, begin, quote);
      const raw = source.slice(begin, end);
      const isFormatted = /f/i.test(prefix!) && /\{/.test(raw);
      tokens.push({
        kind: "text",
        text: raw.replace(/\\\r?\n/g, "").replace(/\\(["'\\])/g, "$1"),
        isKnown: !isFormatted && !/b/i.test(prefix!),
        ...place,
      });
      pattern.lastIndex = Math.min(source.length, end + quote.length);
      advance(found.index, pattern.lastIndex);
      continue;
    }
    if (name !== undefined) tokens.push({ kind: "name", text: name, ...place });
    else if (newline !== undefined && depth === 0) tokens.push({ kind: "end", text: "", ...place });
    else if (sign !== undefined) {
      if (/[([{]/.test(sign)) depth += 1;
      if (/[)\]}]/.test(sign)) depth = Math.max(0, depth - 1);
      tokens.push({ kind: "sign", text: sign, ...place });
    } else if (/^\d/.test(whole)) tokens.push({ kind: "sign", text: whole, ...place });
    advance(found.index, found.index + whole.length);
  }
  return tokens;
}

function endOfText(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source.startsWith(quote, at) || (quote.length === 1 && source[at] === "\n")) return at;
  }
  return source.length;
}
