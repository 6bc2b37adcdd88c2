// Words for a shell, as Dockerfiles, notebooks and workflows hold them; `flow` makes commands of them. It reads, it never runs
// anything: what a command prints, and a variable that is not known, stay unknown.

import { cutAs } from "./glob.ts";

export interface Word {
  text: string;
  /** Every part of it is known. */
  isKnown: boolean;
  /** 1-based, within the text. */
  line: number;
  column: number;
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

export const isAssignment = (text: string) => /^[A-Za-z_]\w*=/.test(text);

interface ReadWord {
  text: string;
  isKnown: boolean;
  isQuoted: boolean;
  end: number;
  /** Where a quote stands that is never closed. */
  open?: number;
}

/** The word that begins here, with what is known of its variables. */
export function readWord(text: string, from: number, variables: Variables): ReadWord {
  const parts: string[] = [];
  let isKnown = true;
  let quote = "";
  let opened = from;
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
      opened = at;
      at += 1;
    } else if (character === "'" && quote === "") {
      quote = "'";
      opened = at;
      at += 1;
    } else if (character === "$" && quote === "" && text[at + 1] === "'") {
      // Of `$'it\'s'` only the end matters.
      const [ansi] = /^\$'(?:[^'\\]|\\.)*'/s.exec(text.slice(at, at + longest)) ?? ["$"];
      isKnown &&= ansi === "$";
      parts.push(ansi);
      at += ansi.length;
    } else if (character === "$") {
      const variable = readVariable(text, at, variables);
      if (variable.value === undefined) {
        isKnown = false;
        parts.push(text.slice(at, variable.end));
      } else parts.push(variable.value);
      at = variable.end;
    } else if (character === "`") {
      isKnown = false;
      at = behindBackquote(text, at + 1);
    } else if (quote === "" && (/\s/.test(character) || ";&|()".includes(character))) break;
    else {
      parts.push(character);
      at += 1;
    }
  }
  const isOpen = quote !== "";
  return {
    text: parts.join(""),
    isKnown,
    isQuoted,
    end: Math.min(at, text.length),
    ...(isOpen ? { open: opened } : {}),
  };
}

/** Commands within commands have their quotes behind a backslash. */
function behindBackquote(text: string, from: number): number {
  for (let at = from; at < text.length; at += text[at] === "\\" ? 2 : 1) if (text[at] === "`") return at + 1;
  return text.length;
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
  const [whole, cut, operation] = /^\$\{([A-Za-z_]\w*)([%#/:^,][^{}$]*)\}/.exec(rest) ?? [];
  const uncut = whole === undefined ? undefined : variables.get(cut!);
  const left = uncut === undefined ? undefined : cutAs(uncut, operation!);
  if (left !== undefined) return given(left, at + whole!.length);
  const asked = /^\$\(([a-z][a-z -]{1,40})\)/.exec(rest);
  const answer = asked ? ofSystem.get(asked[1]!.trim()) : undefined;
  if (answer !== undefined) return { value: answer, end: at + asked![0].length };
  const opening = text[at + 1];
  if (opening !== "(" && opening !== "{") return { end: at + 1 + (opening === undefined || /[\s"']/.test(opening) ? 0 : 1) };
  const end = (opening === "(" ? behindCommand(text, at + 1) : undefined) ?? behindBrackets(text, at + 1);
  return { end: end ?? text.length };
}

function behindBrackets(text: string, from: number): number | undefined {
  const [opening, closing] = text[from] === "(" ? ["(", ")"] : ["{", "}"];
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === opening) depth += 1;
    else if (text[at] === closing && (depth -= 1) === 0) return at + 1;
  }
  return undefined;
}

/** Of longer ones, and deeper ones, brackets alone are counted. */
const longestCommand = 4000;
const deepestCommand = 8;

/**
 * What is quoted within `$(…)` opens and closes nothing, but for commands within double quotes. Where that leads nowhere (`# don't`),
 * brackets alone tell the end that somebody meant.
 */
function behindCommand(text: string, from: number, level = 0): number | undefined {
  const last = Math.min(text.length, from + longestCommand);
  let depth = 0;
  let isInDouble = false;
  for (let at = from; at < last; at += 1) {
    const character = text[at]!;
    if (character === "\\") at += 1;
    else if (character === '"') isInDouble = !isInDouble;
    else if (isInDouble) {
      const inner = character === "$" && text[at + 1] === "(" ? inside(at + 1) : at + 1;
      if (inner === undefined) return undefined;
      at = inner - 1;
    } else if (character === "'") {
      at = text.indexOf("'", at + 1);
      if (at < 0) return undefined;
    } else if (character === "(") depth += 1;
    else if (character === ")" && (depth -= 1) === 0) return at + 1;
  }
  return undefined;

  function inside(begin: number): number | undefined {
    return level < deepestCommand ? behindCommand(text, begin, level + 1) : undefined;
  }
}

/** What is asked of the system again and again; x86_64 is what is known here. */
const ofSystem: ReadonlyMap<string, string> = new Map([
  ["uname", "Linux"],
  ["uname -s", "Linux"],
  ["uname -m", "x86_64"],
  ["uname -p", "x86_64"],
  ["arch", "x86_64"],
  ["dpkg --print-architecture", "amd64"],
]);

const given = (value: string | undefined, end: number) => (value === undefined || longest < value.length ? { end } : { value, end });

/** Longer values are nobody's: a variable that doubles itself line by line would fill the memory. */
const longest = 8192;
