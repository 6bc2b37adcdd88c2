// Requirements of Python packages: https://packaging.python.org/en/latest/specifications/dependency-specifiers/
import { isWithin } from "./pep440.ts";

export interface PythonRequirement {
  /** As it is written. */
  name: string;
  extras: string[];
  /** `>=12.1,<13.0`; empty for any version, and for one that comes from an address. */
  specifier: string;
  /** The condition after the semicolon. */
  marker?: string;
}

const pattern = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(.*)$/s;

/** Undefined for a text that is no requirement. */
export function parseRequirement(text: string): PythonRequirement | undefined {
  const [, name, extras = "", rest = ""] = pattern.exec(text) ?? [];
  if (name === undefined) return undefined;
  // An address may hold a semicolon: only one after a space ends it.
  const isAddress = rest.startsWith("@");
  const at = isAddress ? rest.search(/\s;/) : rest.indexOf(";");
  const [versions, marker] = at < 0 ? [rest, undefined] : [rest.slice(0, at), rest.slice(at).replace(/^\s*;/, "")];
  return {
    name,
    extras: extras
      .split(",")
      .map((extra) => extra.trim())
      .filter((extra) => extra !== ""),
    // Older metadata has parentheses around the versions.
    specifier: isAddress
      ? ""
      : versions
          .trim()
          .replace(/^\((.*)\)$/s, "$1")
          .trim(),
    ...(marker === undefined ? {} : { marker: marker.trim() }),
  };
}

/** Values of the variables of markers, as far as they are known. */
export type MarkerVariables = { [name: string]: string | undefined };

const versioned = new Set(["python_version", "python_full_version", "implementation_version"]);
const token = /\s*(?:(\(|\))|(~=|===|==|!=|<=|>=|<|>)|(not\s+in|in|and|or)\b|(?:'([^']*)'|"([^"]*)")|([A-Za-z_][A-Za-z0-9_.]*))/y;

type Token = { is: "bracket" | "operator" | "word" | "text" | "variable"; text: string };

/** Whether a condition holds; undefined where it asks for what is not known, or cannot be read. */
export function markerHolds(marker: string, variables: MarkerVariables): boolean | undefined {
  const tokens = tokensOf(marker);
  if (!tokens) return undefined;
  let at = 0;
  const next = () => tokens[at];
  const isNext = (text: string) => next()?.text === text && next()!.is !== "text";
  let isReadable = true;

  // Three values: `false and unknown` is false, `true or unknown` is true.
  const either = (): boolean | undefined => {
    let value = both();
    while (isNext("or")) {
      at += 1;
      const other = both();
      value = value === true || other === true ? true : value === undefined || other === undefined ? undefined : false;
    }
    return value;
  };
  const both = (): boolean | undefined => {
    let value = one();
    while (isNext("and")) {
      at += 1;
      const other = one();
      value = value === false || other === false ? false : value === undefined || other === undefined ? undefined : true;
    }
    return value;
  };
  const one = (): boolean | undefined => {
    if (isNext("(")) {
      at += 1;
      const value = either();
      if (!isNext(")")) isReadable = false;
      at += 1;
      return value;
    }
    const [left, operator, right] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    at += 3;
    if (!left || !operator || !right || (operator.is !== "operator" && operator.text !== "in" && operator.text !== "not in")) {
      isReadable = false;
      return undefined;
    }
    return compared(left, operator.text, right, variables);
  };
  const value = either();
  return isReadable && at === tokens.length ? value : undefined;
}

function tokensOf(marker: string): Token[] | undefined {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  const end = marker.trimEnd().length;
  while (token.lastIndex < end) {
    const [, bracket, operator, word, single, double, variable] = token.exec(marker) ?? [];
    if (bracket !== undefined) tokens.push({ is: "bracket", text: bracket });
    else if (operator !== undefined) tokens.push({ is: "operator", text: operator });
    else if (word !== undefined) tokens.push({ is: "word", text: word.replace(/\s+/, " ") });
    else if ((single ?? double) !== undefined) tokens.push({ is: "text", text: (single ?? double)! });
    else if (variable !== undefined) tokens.push({ is: "variable", text: variable });
    else return undefined;
  }
  return tokens;
}

function compared(left: Token, operator: string, right: Token, variables: MarkerVariables): boolean | undefined {
  const valueOf = ({ is, text }: Token) => (is === "text" ? text : is === "variable" ? variables[text] : undefined);
  const [a, b] = [valueOf(left), valueOf(right)];
  if (a === undefined || b === undefined) return undefined;
  if (operator === "in") return b.includes(a);
  if (operator === "not in") return !b.includes(a);
  const names = [left, right].filter(({ is }) => is === "variable").map(({ text }) => text);
  if (names.some((name) => versioned.has(name))) {
    // `"3.8" <= python_version` reads the other way round.
    const turned = { "<": ">", ">": "<", "<=": ">=", ">=": "<=" }[operator] ?? operator;
    return left.is === "variable" ? isWithin(a, `${operator}${b}`) : isWithin(b, `${turned}${a}`);
  }
  // Names of extras are compared as names of packages are.
  const plain = (text: string) => (names.includes("extra") ? text.toLowerCase().replace(/[-_.]+/g, "-") : text);
  switch (operator) {
    case "==":
    case "===":
      return plain(a) === plain(b);
    case "!=":
      return plain(a) !== plain(b);
    case "<":
      return a < b;
    case ">":
      return b < a;
    case "<=":
      return a <= b;
    case ">=":
      return b <= a;
    default:
      return undefined;
  }
}
