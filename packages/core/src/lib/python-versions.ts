// What an expression of Python says about the releases of packages: `Version(np.__version__) >= Version("2")`, `(1, 22) <= first_two(np)`.

/** A release of a package (by its module or its own name) beside another one. */
export interface Compared {
  of: string;
  by: "<" | "<=" | ">" | ">=" | "==" | "!=";
  than: string;
  /** As texts, or so many of its numbers (0: all); as releases, if nothing is said. */
  as?: "text" | number;
  /** One of its numbers alone, by its place. */
  at?: number;
}

export type Value =
  /** A text; `{numpy}` in it stands for the release of numpy. */
  | { kind: "text"; text: string }
  | { kind: "numbers"; numbers: number[] }
  | { kind: "number"; number: number }
  /** The release of a package: its text, read as a release, or so many of its numbers (0: all); `isOne`: one of its numbers alone, the first or the one `at` a place. */
  | { kind: "version"; of: string; as: "text" | "release" | number; isOne?: true; at?: number }
  /** A regular expression that finds so many numbers; and what it found in the release of a package. */
  | { kind: "pattern"; numbers: number }
  | { kind: "match"; of: string; numbers: number }
  | { kind: "module"; name: string }
  | { kind: "function"; parameter: string; body: string; texts: string[] };

/** What names stand for, as far as that is known. */
export type Names = Map<string, Value>;

/** Functions that read a text as a release, by the last part of their names. */
const readers = new Set(["parse", "Version", "LooseVersion", "StrictVersion", "parse_version", "digit_version", "_parse_version"]);

/** Deeper expressions ask about more than releases. */
const mostDepth = 12;
const mostWays = 8;

/** Each way in which releases alone make a condition hold (or not hold): all comparisons of one way together. What else it asks makes no way. */
export function comparedIn(condition: string, texts: string[], names: Names, holds: boolean): Compared[][] {
  const numbered = number(condition, texts);
  return numbered === undefined ? [] : waysOf(numbered, texts, names, holds, 0);
}

/** What an expression is worth, where it is a text, numbers, or about a release. */
export function valueOf(expression: string, texts: string[], names: Names): Value | undefined {
  const numbered = number(expression, texts);
  return numbered === undefined ? undefined : termOf(numbered, texts, names, 0);
}

/** Texts with their numbers in them, so that nothing in a text is taken for code: `"0"`. */
function number(code: string, texts: string[]): string | undefined {
  let next = 0;
  const numbered = code.replaceAll('""', () => `"${next++}"`);
  return next <= texts.length && numbered.length < 2000 ? numbered : undefined;
}

function waysOf(text: string, texts: string[], names: Names, holds: boolean, depth: number): Compared[][] {
  const bare = withoutBrackets(text);
  if (mostDepth < depth) return [];
  const within = (each: string, isSo: boolean) => waysOf(each, texts, names, isSo, depth + 1);
  for (const [word, needsAll] of [
    [" or ", !holds],
    [" and ", holds],
  ] as const) {
    const parts = split(bare, [word]).parts;
    if (parts.length === 1) continue;
    const ways = parts.map((each) => within(each, holds));
    if (!needsAll) return ways.flat().slice(0, mostWays);
    return ways.reduce((a, b) => a.flatMap((x) => b.map((y) => [...x, ...y])).slice(0, mostWays), [[]]);
  }
  if (/^not\b/.test(bare)) return within(bare.slice(3), !holds);
  const { parts, signs } = split(bare, ["<=", ">=", "==", "!=", "<", ">"]);
  if (signs.length === 0 && isMatch(bare, texts, names)) return holds ? [[]] : [];
  if (signs.length === 0 || 3 < signs.length) return [];
  const terms = parts.map((part) => termOf(part, texts, names, depth + 1));
  const each = signs.map((sign, index) => comparedTo(terms[index], sign as Compared["by"], terms[index + 1]));
  if (!holds) return each.flatMap((one) => (one ? [[{ ...one, by: opposite[one.by] }]] : []));
  return each.every((one) => one !== undefined) ? [each] : [];
}

/** `m`, `m is not None`: the numbers of a release are found in it. */
function isMatch(text: string, texts: string[], names: Names): boolean {
  return termOf(text.replace(/\sis not None$/, ""), texts, names, 0)?.kind === "match";
}

const opposite = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==" } as const;
const turned = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!=" } as const;

function comparedTo(left: Value | undefined, by: Compared["by"], right: Value | undefined): Compared | undefined {
  if (!left || !right) return undefined;
  if (left.kind !== "version") return right.kind === "version" ? comparedTo(right, turned[by], left) : undefined;
  const { of, as, at } = left;
  if (right.kind === "number")
    return left.isOne ? { of, by, than: String(right.number), as: 1, ...(at === undefined ? {} : { at }) } : undefined;
  if (right.kind === "numbers") return typeof as === "number" && !left.isOne ? { of, by, than: right.numbers.join("."), as } : undefined;
  if (right.kind !== "text" || !/^\d[\w.+!-]*$/.test(right.text) || typeof as === "number") return undefined;
  return { of, by, than: right.text, ...(as === "text" ? { as } : {}) };
}

function termOf(written: string, texts: string[], names: Names, depth: number): Value | undefined {
  const text = withoutBrackets(written).replaceAll(/\s+/g, " ");
  if (mostDepth < depth) return undefined;
  const term = (each: string) => termOf(each, texts, names, depth + 1);
  if (/^(?:[rbfuRBFU]{0,2}"\d+"\s*)+$/.test(text)) return { kind: "text", text: textIn(text, texts, names) };
  if (/^\d{1,9}$/.test(text)) return { kind: "number", number: Number(text) };
  const numbers = /^[([]?\s*(\d+(?:\s*,\s*\d+)*)\s*,?\s*[)\]]?$/.exec(text)?.[1];
  if (numbers !== undefined) return { kind: "numbers", numbers: numbers.split(",").map(Number) };
  // `tuple(int(x) for x in V.split(".")[:2])`, `tuple(map(int, V.split(".")[:2]))`, `[int(x) for x in V.split(".")]`
  const [, listed, of, all, few] =
    /^(?:(?:tuple|list)\(|\[) ?(?:(map\(int, ?)|int\(\w{1,60}\) for \w{1,60} in )(.{1,200}?)\.split\("(\d{1,6})"\) ?(?:\[:(\d{1,6})\])? ?\)? ?[)\]]$/.exec(
      text,
    ) ?? [];
  if (of !== undefined && texts[Number(all)] === "." && (listed === undefined || text.endsWith("))")))
    return numbersOf(term(of), Number(few ?? 0));
  const [, whole, at, place] = /^int\((.+)\.split\("(\d+)"(?:, ?(?:maxsplit ?= ?)?-?\d)?\)\[(\d)\]\)$/.exec(text) ?? [];
  if (whole !== undefined && texts[Number(at)] === ".") return oneOf(term(whole), Number(place));
  const found = foundIn(text, texts, names, term);
  if (found) return found;
  const called = /^([A-Za-z_][\w.]*)\((.*)\)(\.version)?$/.exec(text);
  if (called && isOneArgument(called[2]!)) return calledWith(called[1]!, called[2]!, names, term, called[3] !== undefined);
  return partOf(text, names, term);
}

/** `re.compile("(\d+)\.(\d+)")`, `pattern.match(V)`, `re.match("…", V)`, `tuple(map(int, m.groups()))`: numbers of a release by a regular expression. */
function foundIn(text: string, texts: string[], names: Names, term: (text: string) => Value | undefined): Value | undefined {
  const groups = /^(?:tuple|list)\((?:map\(int, ?|int\(\w{1,60}\) for \w{1,60} in )(\w{1,60})\.groups\(\) ?\)?\)$/.exec(text)?.[1];
  const match = groups === undefined ? undefined : names.get(groups);
  if (match?.kind === "match") return { kind: "version", of: match.of, as: match.numbers };
  const [, written] = /^re\.compile\(r?"(\d+)"\)$/.exec(text) ?? [];
  if (written !== undefined) return patternOf(texts[Number(written)]!);
  const [, by, at, release] = /^(\w{1,60})\.(?:full)?match\((?:r?"(\d+)", ?)?(.+)\)$/.exec(text) ?? [];
  if (by === undefined) return undefined;
  const pattern = at === undefined ? names.get(by) : by === "re" ? patternOf(texts[Number(at)]!) : undefined;
  const value = pattern?.kind === "pattern" ? term(release!) : undefined;
  return pattern?.kind === "pattern" && value?.kind === "version" && value.as === "text"
    ? { kind: "match", of: value.of, numbers: pattern.numbers }
    : undefined;
}

/** `(\d+)\.(\d+).(\d+)`: numbers with points between them, and nothing else. */
function patternOf(text: string): Value | undefined {
  if (!/^\^?\(\\d\+\)(?:\\?\.\(\\d\+\)){1,3}$/.test(text)) return undefined;
  return { kind: "pattern", numbers: text.split("(").length - 1 };
}

/** `V.major`, `V.release[:2]`, `np.__version__`, a name. */
function partOf(text: string, names: Names, term: (text: string) => Value | undefined): Value | undefined {
  const major = /^(.+)\.major$/.exec(text)?.[1];
  if (major !== undefined) return firstOf(term(major));
  const [, release, few] = /^(.+)\.release(?:\[:(\d+)\])?$/.exec(text) ?? [];
  if (release !== undefined) return numbersOf(term(release), Number(few ?? 0));
  const [, sliced, length] = /^(.+)\[:(\d+)\]$/.exec(text) ?? [];
  if (sliced !== undefined) {
    const value = term(sliced);
    return value?.kind === "version" && value.as === 0 ? { ...value, as: Number(length) } : undefined;
  }
  if (!/^[A-Za-z_][\w.]*$/.test(text)) return undefined;
  const known = names.get(text);
  if (known?.kind !== "module") return known ?? versionOf(fullName(text, names));
  return versionOf(known.name) ?? known;
}

/** `numpy.__version__` → the release of numpy. */
function versionOf(name: string | undefined): Value | undefined {
  const of = /^(\w[\w.]*?)(?:\.version)?\.__version__$/.exec(name ?? "")?.[1];
  return of === undefined || of.startsWith(".") ? undefined : { kind: "version", of, as: "text" };
}

function fullName(text: string, names: Names): string | undefined {
  const [first = "", ...rest] = text.split(".");
  const module = names.get(first);
  return module?.kind === "module" ? [module.name, ...rest].join(".") : undefined;
}

function calledWith(
  name: string,
  argument: string,
  names: Names,
  term: (text: string) => Value | undefined,
  isOfDistribution: boolean,
): Value | undefined {
  const full = fullName(name, names) ?? name;
  const last = full.split(".").at(-1)!;
  const value = term(argument);
  const isAsked = isOfDistribution ? last === "get_distribution" : /^importlib[._]metadata\.version$/.test(full);
  if (isAsked || isOfDistribution)
    return isAsked && value?.kind === "text" && /^[\w.-]+$/.test(value.text) ? { kind: "version", of: value.text, as: "text" } : undefined;
  const own = names.get(name);
  if (own?.kind === "function") {
    const inside = value && new Map(names).set(own.parameter, value);
    inside?.delete(name);
    return inside && valueOf(own.body, own.texts, inside);
  }
  if (!readers.has(last) || !value) return undefined;
  if (value.kind === "version") return value.as === "text" ? { ...value, as: "release" } : undefined;
  return value.kind === "text" ? value : undefined;
}

const numbersOf = (value: Value | undefined, few: number): Value | undefined =>
  value?.kind === "version" && typeof value.as === "string" ? { kind: "version", of: value.of, as: few } : undefined;

const firstOf = (value: Value | undefined): Value | undefined => oneOf(value, 0);

const oneOf = (value: Value | undefined, at: number): Value | undefined =>
  value?.kind === "version" && typeof value.as === "string"
    ? { kind: "version", of: value.of, as: 1, isOne: true, ...(at === 0 ? {} : { at }) }
    : undefined;

/** Texts beside each other are one; of what is put in, the releases of packages, and texts that are known. */
function textIn(written: string, texts: string[], names: Names): string {
  return [...written.matchAll(/([rbfuRBFU]{0,2})"(\d+)"/g)]
    .map(([, prefix = "", index]) => {
      const text = texts[Number(index)]!;
      if (!/f/i.test(prefix)) return text.replaceAll("{", "(").replaceAll("}", ")");
      return text.replaceAll(/\{([^{}]*)\}/g, (_, inner: string) => putIn(inner, names));
    })
    .join("");
}

function putIn(inner: string, names: Names): string {
  const value = /^[\w.]+$/.test(inner) ? (names.get(inner) ?? versionOf(fullName(inner, names))) : undefined;
  if (value?.kind === "text") return value.text;
  return value?.kind === "version" && typeof value.as === "string" ? `{${value.of}}` : "…";
}

function withoutBrackets(text: string): string {
  let bare = text.trim();
  while (bare.startsWith("(") && bare.endsWith(")") && isOneArgument(bare.slice(1, -1)) && !/^\(\s*\d+\s*,/.test(bare))
    bare = bare.slice(1, -1).trim();
  return bare;
}

/** Whether brackets that are opened in a text are closed in it, and no comma stands between. */
function isOneArgument(text: string): boolean {
  let depth = 0;
  for (const each of text) {
    if ("([{".includes(each)) depth++;
    else if (")]}".includes(each)) depth--;
    if (depth < 0 || (depth === 0 && each === ",")) return false;
  }
  return depth === 0;
}

/** The parts of a text between some signs that stand in no brackets. */
function split(text: string, signs: readonly string[]): { parts: string[]; signs: string[] } {
  const found: string[] = [];
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if ("([{".includes(text[at]!)) depth++;
    else if (")]}".includes(text[at]!)) depth--;
    const sign = depth === 0 ? signs.find((each) => text.startsWith(each, at)) : undefined;
    if (sign === undefined) continue;
    parts.push(text.slice(from, at));
    found.push(sign.trim());
    at += sign.length - 1;
    from = at + 1;
  }
  return { parts: [...parts, text.slice(from)], signs: found };
}
