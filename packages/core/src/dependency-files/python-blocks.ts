// Which statements of a program in Python run: blocks behind `if` are asked about, those of functions are somebody else's.
import type { PythonToken } from "./python-text.ts";

/** `run`: once, in its order; `apart`: in a function or a class; `loop`: nobody knows how often; `maybe`: behind a condition that is not asked; `skip`: not. */
export type Mode = "run" | "apart" | "loop" | "maybe" | "skip";

/** Whether a condition holds; undefined: nobody says. */
export type Decide = (condition: PythonToken[]) => boolean | undefined;

interface Block {
  column: number;
  mode: Mode;
}

/** For each token, how the statement runs that it is of. */
export function modesOf(tokens: PythonToken[], decide: Decide, isAsked: (body: PythonToken[]) => boolean): Mode[] {
  const modes: Mode[] = [];
  const open: Block[] = [];
  // What became of the `if` that an `elif` or `else` at the same column belongs to.
  const chains = new Map<number, "taken" | "left" | "unsaid">();
  for (let from = 0; from < tokens.length;) {
    let to = from;
    while (to < tokens.length && tokens[to]!.kind !== "end") to += 1;
    const first = tokens[from]!;
    if (first.kind === "end") {
      modes.push("run");
      from += 1;
      continue;
    }
    while (0 < open.length && first.column <= open.at(-1)!.column) open.pop();
    const around = open.at(-1)?.mode ?? "run";
    const colon = colonIn(tokens, from, to);
    const body = colon === undefined ? around : bodyMode(first.text, around, colon);
    for (let at = from; at < to; at += 1) modes.push(colon !== undefined && colon < at ? body : around);
    if (colon !== undefined) open.push({ column: first.column, mode: body });
    from = to;
  }
  return modes;

  function bodyMode(keyword: string, around: Mode, colon: number): Mode {
    const from = modes.length;
    const { column } = tokens[from]!;
    if (keyword === "def" || keyword === "class" || keyword === "async") return around === "skip" ? "skip" : "apart";
    if (around !== "run") return around;
    if (keyword === "for" || keyword === "while") return "loop";
    if (keyword === "except") return "skip";
    if (keyword === "if") return branch(undefined, () => condition(from, colon, column), column);
    if (keyword === "elif") return branch(chains.get(column), () => condition(from, colon, column), column);
    return keyword === "else" && chains.has(column) ? branch(chains.get(column), () => true, column) : "run";
  }

  function branch(before: "taken" | "left" | "unsaid" | undefined, holds: () => boolean | undefined, column: number): Mode {
    if (before === "taken") return "skip";
    if (before === "unsaid") return "maybe";
    const value = holds();
    chains.set(column, value === undefined ? "unsaid" : value ? "taken" : "left");
    if (value === undefined) return "maybe";
    return value ? "run" : "skip";
  }

  function condition(from: number, colon: number, column: number): boolean | undefined {
    let end = colon + 1;
    // Up to the next statement that is no part of the whole `if`.
    for (; end < tokens.length; end += 1)
      if (
        tokens[end - 1]!.kind === "end" &&
        tokens[end]!.kind !== "end" &&
        tokens[end]!.column <= column &&
        !/^el(?:se|if)$/.test(tokens[end]!.text)
      )
        break;
    return isAsked(tokens.slice(colon, end)) ? decide(tokens.slice(from + 1, colon)) : undefined;
  }
}

const keywords = new Set(["if", "elif", "else", "for", "while", "with", "try", "except", "finally", "def", "class", "async"]);

/** The colon behind which the block of a statement begins. */
function colonIn(tokens: PythonToken[], from: number, to: number): number | undefined {
  const { kind, text } = tokens[from]!;
  if (kind !== "name" || !keywords.has(text)) return undefined;
  let depth = 0;
  for (let at = from; at < to; at += 1) {
    const token = tokens[at]!;
    if (token.kind === "text") continue;
    if (/^[([{]$/.test(token.text)) depth += 1;
    else if (/^[)\]}]$/.test(token.text)) depth -= 1;
    else if (token.text === ":" && depth === 0 && !isLambda(tokens, from, at)) return at;
  }
  return undefined;
}

const isLambda = (tokens: PythonToken[], from: number, at: number): boolean => {
  const since = tokens.slice(from, at).findLastIndex(({ kind, text }) => kind === "name" && text === "lambda");
  return 0 <= since && !tokens.slice(from + since, at).some(({ text }) => text === ":");
};

/** A condition as it would be written: `sys.platform == "linux"`. */
export const conditionWords = (tokens: PythonToken[]): string =>
  tokens
    .map(({ kind, text }) => (kind === "text" ? JSON.stringify(text) : text))
    .join(" ")
    .replace(/ ?([.[]) ?/g, "$1")
    .replace(/([\w\])]) \(/g, (whole, before: string, at: number, text: string) =>
      /\b(?:not|and|or|in|is)$/.test(text.slice(0, at + 1)) ? whole : `${before}(`,
    )
    .replace(/\( /g, "(")
    .replace(/ ([\]),])/g, "$1")
    .replace(/([=!<>]) =/g, "$1=");

const here = /^(?:linux\d?|Linux|posix)$/;
const elsewhere = /^(?:darwin|Darwin|win|win32|cygwin|Windows|nt|aix|freebsd)$/;

/** What holds wherever pip installs for Linux, and for every Python that is still about; undefined: it is open. */
export function plainlyHolds(words: string): boolean | undefined {
  const [, not, rest] = /^(not )?([^]*)$/.exec(words)!;
  if (not !== undefined) return negated(plainlyHolds(rest!));
  if (/^__name__ == "__main__"$/.test(words)) return true;
  if (/^"[\w-]+" in sys\.argv$/.test(words)) return false;
  const [, sign = "==", system] =
    /^(?:sys\.platform|platform\.system\(\)|os\.name) (==|!=) "(\w+)"$/.exec(words) ??
    /^sys\.platform\.startswith\((){0}"(\w+)"\)$/.exec(words) ??
    [];
  if (system !== undefined && (here.test(system) || elsewhere.test(system))) return here.test(system) === (sign === "==" || sign === "");
  const [, compared, minor] = /^sys\.version_info(?:\[: ?2\])? (>=|<=|<|>) \(3, (\d+)\)$/.exec(words) ?? [];
  if (minor !== undefined && Number(minor) <= 8) return compared!.startsWith(">");
  const [, major, number] = /^sys\.version_info(?:\[0\]|\.major) (>=|<=|<|>|==) (\d)$/.exec(words) ?? [];
  if (number === "3") return major === ">=" || major === "==" || major === "<=";
  return number === "2" ? major!.startsWith(">") : undefined;
}

const negated = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);
