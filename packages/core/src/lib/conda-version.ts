// Versions of conda packages, and what a specification such as `>=12,<13|11.8.*` lets in.
import { fitsGlob } from "./glob.ts";

interface CondaVersion {
  /** The epoch, then the parts between dots and underscores; in each, numbers and texts alternate, a number first. */
  parts: Atom[][];
  local: Atom[][];
  text: string;
}

/** `post` is Infinity: after every number. */
type Atom = number | bigint | string;

/** Undefined for a text that is no version. */
export function parseCondaVersion(text: string): CondaVersion | undefined {
  let lower = text.trim().toLowerCase();
  const allowed = /^[*.+!_0-9a-z]+$/;
  // Dashes stand for underscores where there are none.
  if (!allowed.test(lower) && !lower.includes("_")) lower = lower.replaceAll("-", "_");
  if (!allowed.test(lower)) return undefined;
  const [first, second, ...more] = lower.split("!");
  if (0 < more.length || (second !== undefined && !/^\d+$/.test(first!))) return undefined;
  const [main, label, ...others] = (second ?? first!).split("+");
  if (0 < others.length || main === "") return undefined;
  // An underscore at the end belongs to the last part: 1.0.1_ < 1.0.1a, as OpenSSL counts.
  const isOpen = main!.endsWith("_");
  const split = (isOpen ? main!.slice(0, -1) : main!).split(/[._]/);
  if (isOpen) split[split.length - 1] += "_";
  const parts = [second === undefined ? "0" : first!, ...split].map(atomsOf);
  const local = label === undefined ? [] : label.split(/[._]/).map(atomsOf);
  if ([...parts, ...local].some((part) => part === undefined)) return undefined;
  return { parts: parts as Atom[][], local: local as Atom[][], text: lower };
}

function atomsOf(part: string): Atom[] | undefined {
  const found = part.match(/[0-9]+|[*]+|[^0-9*]+/g);
  if (!found) return undefined;
  const atoms = found.map((text): Atom => {
    if (/^\d/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
    // Capitals come before `_` and small letters: dev is the first of all.
    return text === "post" ? Infinity : text === "dev" ? "DEV" : text;
  });
  return /^\d/.test(part) ? atoms : [0, ...atoms];
}

/** Negative when `a` comes before `b`; undefined when one of them is no version. */
export function compareCondaVersions(a: string, b: string): number | undefined {
  const [x, y] = [parseCondaVersion(a), parseCondaVersion(b)];
  return x && y && compare(x, y);
}

const compare = (a: CondaVersion, b: CondaVersion) => compareLists(a.parts, b.parts) || compareLists(a.local, b.local);

// What is missing counts as 0: 1.1 is 1.1.0.
function compareLists(a: Atom[][], b: Atom[][]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [x, y] = [a[index] ?? [], b[index] ?? []];
    for (let at = 0; at < Math.max(x.length, y.length); at += 1) {
      const difference = compareAtoms(x[at] ?? 0, y[at] ?? 0);
      if (difference !== 0) return difference;
    }
  }
  return 0;
}

function compareAtoms(a: Atom, b: Atom): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "string" || typeof b === "string") return typeof a === "string" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function startsWith(version: CondaVersion, start: CondaVersion): boolean {
  const isLocal = 0 < start.local.length;
  if (isLocal && compareLists(version.parts, start.parts) !== 0) return false;
  const [parts, wanted] = isLocal ? [version.local, start.local] : [version.parts, start.parts];
  const last = wanted.length - 1;
  if (compareLists(parts.slice(0, last), wanted.slice(0, last)) !== 0) return false;
  const [part, end] = [parts[last] ?? [], wanted[last]!];
  const position = end.length - 1;
  if (compareLists([part.slice(0, position)], [end.slice(0, position)]) !== 0) return false;
  const [atom, sought] = [part[position] ?? 0, end[position]!];
  return typeof sought === "string" ? typeof atom === "string" && atom.startsWith(sought) : compareAtoms(atom, sought) === 0;
}

/** Whether a version is within a specification: `,` is and, `|` is or; undefined when one of them cannot be read. */
export function isWithinConda(version: string, specification: string): boolean | undefined {
  const candidate = parseCondaVersion(version);
  if (!candidate) return undefined;
  const tokens = `(${specification})`.match(/\s*\^[^$]*\$|\s*[()|,]|[^()|,]+/g)?.map((token) => token.trim()) ?? [];
  let at = 0;
  let isReadable = true;
  const single = (): boolean => {
    const token = tokens[at];
    at += 1;
    if (token === "(") {
      const inner = either();
      isReadable &&= tokens[at] === ")";
      at += 1;
      return inner;
    }
    const met = token === undefined || /^[)|,]?$/.test(token) ? undefined : meets(version, candidate, token);
    isReadable &&= met !== undefined;
    return met ?? false;
  };
  const joined = (separator: string, next: () => boolean, fold: (a: boolean, b: boolean) => boolean): boolean => {
    let value = next();
    while (tokens[at] === separator) {
      at += 1;
      const other = next();
      value = fold(value, other);
    }
    return value;
  };
  const all = () => joined(",", single, (a, b) => a && b);
  const either = (): boolean => joined("|", all, (a, b) => a || b);
  const answer = single();
  return isReadable && at === tokens.length ? answer : undefined;
}

function meets(text: string, candidate: CondaVersion, clause: string): boolean | undefined {
  if (clause === "*") return true;
  if (clause.startsWith("^") || clause.endsWith("$"))
    return undefinedUnless(clause.startsWith("^") && clause.endsWith("$"), () => matches(text, clause));
  if (/^[=<>!~]/.test(clause)) {
    const [, operator, written] = /^(==|!=|<=|>=|~=|=|<|>)(?![=<>!~])(\S+)$/.exec(clause) ?? [];
    if (operator === undefined || written === undefined) return undefined;
    const isPrefix = written.endsWith(".*");
    if (isPrefix && operator === "~=") return undefined;
    const wanted = parseCondaVersion(isPrefix ? written.slice(0, -2) : written);
    return wanted && related(candidate, operator, wanted, isPrefix);
  }
  const bare = clause.replace(/(?<!\*)\*+$/, "");
  if (bare.includes("*")) {
    return fitsGlob(text, clause);
  }
  const wanted = parseCondaVersion(bare.length < clause.length ? bare.replace(/(?<!\.)\.+$/, "") : clause);
  return wanted && (bare.length < clause.length ? startsWith(candidate, wanted) : compare(candidate, wanted) === 0);
}

const undefinedUnless = (holds: boolean, answer: () => boolean | undefined) => (holds ? answer() : undefined);

// A pattern is whoever's who wrote the file: one that could try every way to fit is not tried at all.
function matches(text: string, pattern: string): boolean | undefined {
  if (100 < pattern.length || 64 < text.length || 3 < (pattern.match(/[*+?{]/g) ?? []).length) return undefined;
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return undefined;
  }
}

function related(candidate: CondaVersion, operator: string, wanted: CondaVersion, isPrefix: boolean): boolean | undefined {
  const order = compare(candidate, wanted);
  switch (operator) {
    case "=":
      return startsWith(candidate, wanted);
    case "==":
      return order === 0;
    case "!=":
      return isPrefix ? !startsWith(candidate, wanted) : order !== 0;
    case "<=":
      return order <= 0;
    case ">=":
      return order >= 0;
    case "<":
      return order < 0;
    case ">":
      return order > 0;
    default: {
      const start = parseCondaVersion(wanted.text.split(".").slice(0, -1).join("."));
      return start && order >= 0 && startsWith(candidate, start);
    }
  }
}
