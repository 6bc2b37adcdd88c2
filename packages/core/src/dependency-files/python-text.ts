// Programs in Python as far as text goes: texts, lists and tables that are written out, and the calls that they are given to. Nothing is run:
// whatever is worked out stays unknown.

import { conditionWords, modesOf, plainlyHolds, type Mode } from "./python-blocks.ts";

export interface PythonToken {
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
  /** `texts` are those that it is worked out from. */
  | { kind: "unknown"; texts: string[]; line: number; column: number };

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
  /** Every text that is written out. */
  texts: string[];
}

/** Whether a condition holds that the text leaves open, in words; `usual`: what it is where nobody says otherwise. */
export type HoldsInPython = (words: string, at: { line: number; column: number }, usual: boolean) => boolean;

interface Reading {
  tokens: PythonToken[];
  /** What the statements so far have set. */
  variables: Map<string, PythonValue>;
  /** Absent: what is open stays unknown. */
  decide?: (condition: PythonToken[]) => boolean | undefined;
  /** How much more is gone over. */
  left: number;
}

/** More than any such file has. */
const mostTokens = 200_000;

const deepest = 50;

/** `follow`: the calls that are of interest; conditions that change what they are given are asked about. */
export function readPythonText(source: string, follow?: { calls: RegExp; holds: HoldsInPython }): PythonProgram {
  const tokens = tokensOf(source);
  const decide = (condition: PythonToken[]): boolean | undefined => {
    const words = conditionWords(condition);
    return plainlyHolds(words) ?? follow?.holds(words, condition[0]!, usually(words));
  };
  const reading: Reading = { tokens, variables: new Map(), left: mostTokens * 20, ...(follow ? { decide } : {}) };
  const counted = follow ? namesThatCount(tokens, follow.calls) : new Set<string>();
  const modes = modesOf(tokens, follow ? decide : () => undefined, (body) =>
    body.some(({ kind, text }) => kind === "name" && counted.has(text)),
  );
  const calls: PythonCall[] = [];
  const functions: PythonProgram["functions"] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const mode = modes[at] ?? "run";
    if (token.kind !== "name" || mode === "skip") continue;
    if (startsStatement(tokens, at)) {
      if (token.text === "def" && tokens[at + 1]?.kind === "name") functions.push({ name: tokens[at + 1]!.text, line: token.line });
      if (mode !== "apart") setVariable(reading, at, mode);
    }
    if (tokens[at - 1]?.text === ".") continue;
    const call = tokens[at - 1]?.text === "def" ? undefined : readCall(reading, at);
    if (call) calls.push(call);
  }
  return { calls, functions, texts: textsIn(tokens) };
}

const startsStatement = (tokens: PythonToken[], at: number): boolean => {
  const before = tokens[at - 1];
  return before === undefined || before.kind === "end" || before.text === ":";
};

/** A Python that is asked about by its release is usually a new one. */
const usually = (words: string): boolean => /^sys\.version_info(?:\[: ?2\])? >=? \(3, (?:9|10|11|12)\)$/.test(words);

/** Names that the arguments of some calls are made of, and those that they are made of in turn. */
function namesThatCount(tokens: PythonToken[], calls: RegExp): Set<string> {
  const counted = new Set<string>();
  const addUpTo = (from: number, isEnd: (token: PythonToken, depth: number) => boolean) => {
    let depth = 0;
    for (let at = from; at < tokens.length; at += 1) {
      const { kind, text } = tokens[at]!;
      if (kind !== "text" && /^[([{]$/.test(text)) depth += 1;
      else if (kind !== "text" && /^[)\]}]$/.test(text)) depth -= 1;
      if (isEnd(tokens[at]!, depth)) return;
      if (kind === "name" && tokens[at - 1]?.text !== "." && tokens[at + 1]?.text !== "=") counted.add(text);
    }
  };
  for (const [at, { kind, text }] of tokens.entries())
    if (kind === "name" && calls.test(text) && tokens[at + 1]?.text === "(") {
      counted.add(text);
      for (let key = at + 2; key < tokens.length && tokens[key]!.kind !== "end"; key += 1)
        if (/^(?:install_requires|extras_require|python_requires)$/.test(tokens[key]!.text) && tokens[key + 1]?.text === "=")
          addUpTo(key + 2, (token, depth) => depth < 0 || (depth === 0 && token.text === ","));
    }
  for (let size = -1; size !== counted.size;) {
    size = counted.size;
    for (const [at, { kind, text }] of tokens.entries())
      if (kind === "name" && counted.has(text) && tokens[at + 1]?.text === "=" && tokens[at + 2]?.text !== "=")
        addUpTo(at + 2, (token, depth) => token.kind === "end" || depth < 0);
  }
  return counted;
}

/** What a statement sets: `NAME = …`, `NAME += …`, `NAME["key"] = …`, `NAME.append(…)`. What may happen, or often, leaves it unknown. */
function setVariable(reading: Reading, at: number, mode: Mode): void {
  const { tokens, variables } = reading;
  const { text, line, column } = tokens[at]!;
  const before = variables.get(text);
  const set = valueSet(reading, at, before);
  if (!set) return;
  const isSure = mode === "run" || (mode === "maybe" && !before);
  variables.set(text, (isSure ? set.value : undefined) ?? { kind: "unknown", texts: [], line, column });
}

/** What a statement gives to the name that it begins with; undefined where it gives nothing. */
function valueSet(reading: Reading, at: number, before: PythonValue | undefined): { value: PythonValue | undefined } | undefined {
  const { tokens, decide } = reading;
  const [next, second] = [tokens[at + 1]?.text, tokens[at + 2]];
  if (next === "=" && second?.text !== "=") {
    const { value } = readValue(reading, at + 2, 0);
    return { value: decide || !before ? value : undefined };
  }
  if (!before || !second) return undefined;
  if (next === "+" && second.text === "=") return { value: joinedList(before, readValue(reading, at + 3, 0).value) };
  if (next === "." && tokens[at + 3]?.text === "(") return valueOfMethod(reading, at, before);
  if (next !== "[" || second.kind !== "text" || tokens[at + 3]?.text !== "]" || tokens[at + 4]?.text !== "=") return undefined;
  return { value: withEntry(before, second, readValue(reading, at + 5, 0).value) };
}

const joinedList = (before: PythonValue, more: PythonValue): PythonValue | undefined =>
  before.kind === "list" && more.kind === "list" ? { ...before, items: [...before.items, ...more.items] } : undefined;

function valueOfMethod(reading: Reading, at: number, before: PythonValue): { value: PythonValue | undefined } | undefined {
  const method = reading.tokens[at + 2]!;
  if (before.kind === "text") return undefined;
  const [value] = readArguments(reading, at + 4).values;
  if (method.text === "append" && value)
    return { value: joinedList(before, { kind: "list", items: [value], line: method.line, column: method.column }) };
  if (method.text === "extend" && value) return { value: joinedList(before, value) };
  return /^(?:insert|remove|pop|clear|update|setdefault)$/.test(method.text) ? { value: undefined } : undefined;
}

function withEntry(before: PythonValue, { text, line, column }: PythonToken, value: PythonValue): PythonValue | undefined {
  const isEmpty = before.kind === "list" && before.items.length === 0;
  const entries = before.kind === "table" ? before.entries : isEmpty ? new Map<string, PythonValue>() : undefined;
  return entries && { kind: "table", entries: new Map([...entries, [text, value]]), line, column };
}

function readCall(reading: Reading, at: number): PythonCall | undefined {
  const { tokens } = reading;
  const { text, line, column } = tokens[at]!;
  let [name, end] = [text, at + 1];
  while (tokens[end]?.text === "." && tokens[end + 1]?.kind === "name") {
    name += `.${tokens[end + 1]!.text}`;
    end += 2;
  }
  if (tokens[end]?.text !== "(") return undefined;
  return { name, ...readArguments(reading, end + 1), line, column, isDecorator: tokens[at - 1]?.text === "@" };
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

interface Read {
  value: PythonValue;
  next: number;
}

const closing: { [opening: string]: string } = { "[": "]", "(": ")", "{": "}" };

/** One value, up to the comma or the bracket behind it. */
function readValue(reading: Reading, from: number, depth: number): Read {
  const { tokens } = reading;
  let at = from;
  // `*LIST` gives its items.
  while (tokens[at]?.text === "*") at += 1;
  const token = tokens[at];
  if (!token) return { value: { kind: "unknown", texts: [], line: 1, column: 1 }, next: at };
  const read = deepest < depth ? undefined : readWhole(reading, at, token, depth);
  const behindIt = read ? tokens[read.next] : undefined;
  // What goes on is worked out.
  if (read && (!behindIt || behindIt.kind === "end" || (behindIt.kind === "sign" && /^[,)\]}:]$/.test(behindIt.text)))) return read;
  const next = behind(reading, at);
  return { value: { kind: "unknown", texts: textsIn(tokens.slice(at, next)), line: token.line, column: token.column }, next };
}

/** A value with what is put to it: `[…] + […]`, `A if CONDITION else B`. */
function readWhole(reading: Reading, at: number, token: PythonToken, depth: number): Read | undefined {
  const { tokens } = reading;
  let read = readPlain(reading, at, token, depth);
  while (read && tokens[read.next]?.text === "+" && tokens[read.next + 1]) {
    const more = readPlain(reading, read.next + 1, tokens[read.next + 1]!, depth + 1);
    const value = more && joinedList(read.value, more.value);
    if (!value) return undefined;
    read = { value, next: more.next };
  }
  const behindIt = read && tokens[read.next];
  return read && reading.decide && behindIt?.kind === "name" && behindIt.text === "if" ? readEither(reading, read, depth) : read;
}

/** One of two values, by the condition between them. */
function readEither(reading: Reading, first: Read, depth: number): Read | undefined {
  const { tokens, decide } = reading;
  const other = elseBehind(tokens, first.next + 1);
  if (other === undefined) return undefined;
  const holds = decide?.(tokens.slice(first.next + 1, other));
  const second = readValue(reading, other + 1, depth + 1);
  return holds === undefined ? undefined : { value: holds ? first.value : second.value, next: second.next };
}

function elseBehind(tokens: PythonToken[], from: number): number | undefined {
  let open = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const { kind, text } = tokens[at]!;
    if (kind === "end") return undefined;
    if (kind === "name" && text === "else" && open === 0) return tokens[at + 1] && at;
    if (kind === "text") continue;
    if (/^[([{]$/.test(text)) open += 1;
    else if (/^[)\]}]$/.test(text) && (open -= 1) < 0) return undefined;
  }
  return undefined;
}

const textsIn = (tokens: PythonToken[]): string[] =>
  tokens.flatMap(({ kind, text, isKnown }) => (kind === "text" && isKnown ? [text] : []));

function readPlain(reading: Reading, at: number, token: PythonToken, depth: number): Read | undefined {
  const { tokens, variables } = reading;
  const { line, column } = token;
  if (token.kind === "text") {
    // Texts beside each other are one.
    let next = at + 1;
    while (tokens[next]?.kind === "text") next += 1;
    const parts = tokens.slice(at, next);
    const isKnown = parts.every((part) => part.isKnown);
    return { value: { kind: "text", text: parts.map(({ text }) => text).join(""), isKnown, line, column }, next };
  }
  if (token.kind === "name") {
    const known = variables.get(token.text);
    return known && { value: known, next: at + 1 };
  }
  const close = closing[token.text];
  return close === undefined ? undefined : readItems(reading, at, close, depth);
}

/** What stands between brackets, and the token behind them. */
function readItems(reading: Reading, at: number, close: string, depth: number): Read {
  const { tokens } = reading;
  const { line, column, text } = tokens[at]!;
  const items: PythonValue[] = [];
  const entries = new Map<string, PythonValue>();
  let next = at + 1;
  while (next < tokens.length && tokens[next]!.text !== close) {
    const begin = next;
    const first = readValue(reading, next, depth + 1);
    next = first.next;
    if (tokens[next]?.text === ":" && text === "{") {
      const second = readValue(reading, next + 1, depth + 1);
      next = second.next;
      if (first.value.kind === "text") entries.set(first.value.text, second.value);
    } else items.push(first.value);
    if (tokens[next]?.text === "," || next === begin) next += 1;
  }
  return { value: 0 < entries.size ? { kind: "table", entries, line, column } : { kind: "list", items, line, column }, next: next + 1 };
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

function tokensOf(source: string): PythonToken[] {
  const tokens: PythonToken[] = [];
  const pattern = /([rRbBuUfF]{0,2})("""|'''|"|')|([A-Za-z_]\w*)|(#[^\n]*)|(\\\r?\n)|(\n)|([^\s\w])|(\d[\w.]*)/g;
  const open: PythonToken[] = [];
  let line = 1;
  let lineStart = 0;
  // Where the next line ends: looked for once a line, as a line may have a million words.
  let newline = source.indexOf("\n");
  const advance = (to: number) => {
    for (; 0 <= newline && newline < to; newline = source.indexOf("\n", newline + 1)) {
      line += 1;
      lineStart = newline + 1;
    }
  };
  for (let found = pattern.exec(source); found; found = pattern.exec(source)) {
    const [whole, prefix, quote, name, , , end, sign] = found;
    const place = { line, column: found.index - lineStart + 1 };
    if (mostTokens < tokens.length) throw new Error(`line ${line}, column ${place.column}: it has more words than anybody writes`);
    if (quote !== undefined) {
      const begin = found.index + whole.length;
      const close = endOfText(source, begin, quote);
      if (!source.startsWith(quote, close)) throw notPython(place, "the text that begins here is never closed");
      const raw = source.slice(begin, close);
      const isFormatted = /f/i.test(prefix!) && /\{/.test(raw);
      tokens.push({
        kind: "text",
        text: raw.replace(/\\\r?\n/g, "").replace(/\\(["'\\])/g, "$1"),
        isKnown: !isFormatted && !/b/i.test(prefix!),
        ...place,
      });
      pattern.lastIndex = Math.min(source.length, close + quote.length);
      advance(pattern.lastIndex);
      continue;
    }
    if (name !== undefined) tokens.push({ kind: "name", text: name, ...place });
    else if (end !== undefined && open.length === 0) tokens.push({ kind: "end", text: "", ...place });
    else if (sign !== undefined) {
      const token: PythonToken = { kind: "sign", text: sign, ...place };
      keepBrackets(open, token);
      tokens.push(token);
    } else if (/^\d/.test(whole)) tokens.push({ kind: "sign", text: whole, ...place });
    advance(found.index + whole.length);
  }
  if (0 < open.length) throw notPython(open.at(-1)!, `\`${open.at(-1)!.text}\` is never closed`);
  return tokens;
}

/** What is no Python is never run: nothing can be told from it. */
const notPython = ({ line, column }: Pick<PythonToken, "line" | "column">, why: string) =>
  new Error(`line ${line}, column ${column} is no Python: ${why}`);

/** Brackets that are open so far. */
function keepBrackets(open: PythonToken[], token: PythonToken): void {
  if (Object.hasOwn(closing, token.text)) open.push(token);
  else if (/^[)\]}]$/.test(token.text) && closing[open.pop()?.text ?? ""] !== token.text)
    throw notPython(token, `\`${token.text}\` closes nothing`);
}

function endOfText(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source.startsWith(quote, at) || (quote.length === 1 && source[at] === "\n")) return at;
  }
  return source.length;
}
