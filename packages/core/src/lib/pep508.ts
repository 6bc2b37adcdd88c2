// Requirements of Python packages: https://packaging.python.org/en/latest/specifications/dependency-specifiers/
import { isWithin, parsePythonVersion } from "./pep440.ts";

export interface PythonRequirement {
  /** Normalised: `jax-cuda12-plugin`. */
  name: string;
  extras: string[];
  /** Clauses joined with commas; empty for any version. */
  specifier: string;
  url?: string;
  /** The condition after the semicolon. */
  marker?: string;
}

/** Values of the variables of markers, as far as they are known. Of extras and groups there may be several at once (PEP 751). */
export type MarkerVariables = { [name: string]: string | string[] | undefined };

/** PEP 503: `Jax_CUDA12.plugin` is `jax-cuda12-plugin`. */
export const normalName = (name: string) => (isNormal.test(name) ? name : name.toLowerCase().replace(/[-_.]+/g, "-"));

/** Most names are asked about as they are already. */
const isNormal = /^(?:[a-z\d]+-)*[a-z\d]+$/;

/** What was wrong with a text, as the end of a sentence: `problem` repeats the part, `fault` repeats nothing, for texts of others. */
export interface Misread {
  problem: string;
  fault: string;
}

const misread = (fault: string, problem = fault): Misread => ({ problem, fault });

/** Nobody writes a longer one; a text of megabytes would be read by patterns that were made for a line. */
export const longestRequirement = 8192;
export const tooLong = misread("it is longer than any requirement");

export function parseRequirement(text: string): PythonRequirement | Misread {
  if (longestRequirement < text.length) return tooLong;
  const [, name, extras, rest = ""] = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*([^]*)$/.exec(text) ?? [];
  if (name === undefined) return misread("it does not begin with the name of a package");
  const wanted = (extras ?? "").split(",").map((extra) => extra.trim());
  if (wanted.some((extra) => extra !== "" && !/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(extra)))
    return misread("its extras are no list", `\`[${extras}]\` is no list of extras`);
  if (extras !== undefined && extras.trim() !== "" && wanted.includes(""))
    return misread("its extras are no list", `\`[${extras}]\` is no list of extras`);
  const found: PythonRequirement = {
    name: normalName(name),
    extras: wanted.filter((extra) => extra !== "").map(normalName),
    specifier: "",
  };
  let before = rest;
  let condition: string | undefined;
  if (rest.startsWith("@")) {
    // An address may hold a semicolon: only one with a space before it begins a marker.
    const [, url, after] = /^@\s*(\S+)(?:\s+;([^]*))?\s*$/.exec(rest) ?? [];
    if (url === undefined && /;\s/.test(rest))
      return misread("pip takes a condition behind an address only with a space before its semicolon");
    if (url === undefined) return misread("there is no address after `@`");
    found.url = url;
    condition = after;
    before = "";
  } else {
    const semicolon = rest.indexOf(";");
    if (0 <= semicolon) [before, condition] = [rest.slice(0, semicolon), rest.slice(semicolon + 1)];
  }
  const specifier = parseSpecifier(before);
  if (typeof specifier !== "string") return specifier;
  found.specifier = specifier;
  if (condition !== undefined) {
    if (!parseMarker(condition)) {
      const such = 'no marker such as `python_version < "3.12"`';
      return misread(`its condition is ${such}`, `\`${condition.trim()}\` is ${such}`);
    }
    found.marker = condition.trim();
  }
  return found;
}

function parseSpecifier(text: string): string | Misread {
  let inner = text.trim();
  if (inner.startsWith("(") && inner.endsWith(")")) inner = inner.slice(1, -1).trim();
  if (inner === "") return "";
  const clauses = inner.split(",").map((clause) => clause.trim());
  // A comma may stand at the end.
  if (clauses.at(-1) === "") clauses.pop();
  for (const clause of clauses) {
    const [, operator, version] = /^(~=|===|==|!=|<=|>=|<|>)\s*(\S+)$/.exec(clause) ?? [];
    if (operator === undefined || version === undefined) {
      const hint = /^=[^=]/.test(clause) ? "; a version is asked for with `==`" : "";
      const such = `no version clause such as \`>=2.4\` or \`==2.4.*\`${hint}`;
      return misread(`what stands behind the name is ${such}`, `\`${clause}\` is ${such}`);
    }
    const problem = clauseProblem(operator, version);
    if (problem !== undefined) return misread("its version cannot be read, or does not go with what stands before it", problem);
  }
  // What is compared letter by letter is the same release where it is written as PyPI writes it: `===1.10.0`.
  return clauses
    .map((clause) => clause.replace(/\s+/g, "").replace(/^===(?=\d+\.\d+\.\d+(?:\.\d+|\.post\d+)?(?:\+[\w.]+)?$)/, "=="))
    .join(",");
}

function clauseProblem(operator: string, version: string): string | undefined {
  if (operator === "===") return undefined;
  const isPrefix = version.endsWith(".*");
  const parsed = parsePythonVersion(isPrefix ? version.slice(0, -2) : version);
  if (!parsed) return `\`${version}\` is no version`;
  if (isPrefix && operator !== "==" && operator !== "!=") return `\`${operator}\` does not go with \`${version}\``;
  if (isPrefix && (parsed.local || parsed.dev !== undefined)) return `\`${version}\` is no version`;
  if (operator === "~=" && parsed.release.length < 2) return `\`~=${version}\` needs at least two numbers, such as \`~=${version}.0\``;
  if (parsed.local && operator !== "==" && operator !== "!=") return `\`${operator}\` does not go with a label such as \`+cu121\``;
  return undefined;
}

/** Whether a condition holds; undefined where it asks for what is not known, or cannot be read. */
export const markerHolds = (marker: string, variables: MarkerVariables): boolean | undefined => parseMarker(marker)?.(variables);

/** A condition that is asked many times. */
export type Condition = (variables: MarkerVariables) => boolean | undefined;

const names = new Set([
  "python_version",
  "python_full_version",
  "implementation_version",
  "implementation_name",
  "platform_python_implementation",
  "os_name",
  "sys_platform",
  "platform_system",
  "platform_machine",
  "platform_release",
  "platform_version",
  "extra",
  "extras",
  "dependency_groups",
]);
const oldNames: { [name: string]: string } = {
  "os.name": "os_name",
  "sys.platform": "sys_platform",
  "platform.version": "platform_version",
  "platform.machine": "platform_machine",
  "platform.python_implementation": "platform_python_implementation",
  python_implementation: "platform_python_implementation",
};
const versioned = new Set(["python_version", "python_full_version", "implementation_version", "platform_release"]);

type Value = { variable: string } | { text: string };

export function parseMarker(text: string): Condition | undefined {
  const tokens = text.match(/\(|\)|'[^']*'|"[^"]*"|(?:===|==|~=|!=|<=|>=|<|>)|[A-Za-z_][\w.]*|\S/g) ?? [];
  let at = 0;
  let isReadable = true;
  const fail = (): Condition => {
    isReadable = false;
    return () => undefined;
  };
  const value = (): Value | undefined => {
    const token = tokens[at];
    at += 1;
    if (token === undefined) return undefined;
    if (/^['"]/.test(token) && 1 < token.length) return { text: token.slice(1, -1) };
    const name = oldNames[token] ?? token;
    return names.has(name) ? { variable: name } : undefined;
  };
  const comparison = (): Condition => {
    if (tokens[at] === "(") {
      at += 1;
      const inner = either();
      if (tokens[at] !== ")") return fail();
      at += 1;
      return inner;
    }
    const left = value();
    let operator = tokens[at];
    at += 1;
    if (operator === "not") {
      if (tokens[at] !== "in") return fail();
      operator = "not in";
      at += 1;
    }
    const right = value();
    if (!left || !right || operator === undefined || !/^(===|==|~=|!=|<=|>=|<|>|in|not in)$/.test(operator)) return fail();
    return compared(left, operator, right);
  };
  const parts = (word: string, next: () => Condition): Condition[] => {
    const found = [next()];
    while (tokens[at] === word) {
      at += 1;
      found.push(next());
    }
    return found;
  };
  // Three values: `false and unknown` is false, `true or unknown` is true.
  const all = (): Condition => {
    const conditions = parts("and", comparison);
    return (variables) => {
      const values = new Set(conditions.map((condition) => condition(variables)));
      return values.has(false) ? false : values.has(undefined) ? undefined : true;
    };
  };
  const either = (): Condition => {
    const conditions = parts("or", all);
    return (variables) => {
      const values = new Set(conditions.map((condition) => condition(variables)));
      return values.has(true) ? true : values.has(undefined) ? undefined : false;
    };
  };
  const holds = either();
  return isReadable && at === tokens.length ? holds : undefined;
}

/** Whether a name is among those that are chosen: `extra == "gpu"`, `"gpu" in extras`. */
function isAmong(a: string | string[], operator: string, b: string | string[]): boolean | undefined {
  const [names, name] = typeof a === "string" ? [b, a] : [a, b];
  if (typeof names === "string" || typeof name !== "string") return undefined;
  const isThere = names.some((each) => normalName(each) === normalName(name));
  return operator === "==" || operator === "in" ? isThere : operator === "!=" || operator === "not in" ? !isThere : undefined;
}

// Versions are compared as such; other texts are equal or not, and none comes before another.
function compared(left: Value, operator: string, right: Value): Condition {
  const variable = "variable" in left ? left.variable : "variable" in right ? right.variable : "";
  return (variables) => {
    const of = (value: Value) => ("text" in value ? value.text : variables[value.variable]);
    let [a, b] = [of(left), of(right)];
    if (a === undefined || b === undefined) return undefined;
    if (typeof a !== "string" || typeof b !== "string") return isAmong(a, operator, b);
    if (variable === "extra") [a, b] = [normalName(a), normalName(b)];
    if (operator === "in") return b.includes(a);
    if (operator === "not in") return !b.includes(a);
    const within = versioned.has(variable) ? isWithin(a, `${operator}${b}`) : undefined;
    if (within !== undefined) return within;
    return operator === "!=" ? a !== b : operator !== "<" && operator !== ">" && a === b;
  };
}
