// What a function, or the margin of a file, comes to behind conditions: names of other modules that it takes, and modules without which it ends.
import { caughtBehind } from "./python-guards.ts";
import { importsOf } from "./python-import-lines.ts";
import type { PythonLine } from "./python-lines.ts";
import { isAlways } from "./python-constants.ts";
import { Refusals } from "./python-refusals.ts";
import { usesOf, withoutPut } from "./python-uses.ts";
import { comparedIn, type Compared, type Names } from "./python-versions.ts";

export interface PerhapsText {
  /** The ways in which releases of others bring it there; none where something else decides as well, and nobody can tell. */
  when?: Compared[][];
  /** That a release decides is told by the name of a variable alone. */
  guessed?: true;
  /** What it takes of modules of others, by full names. */
  uses?: string[];
  imports?: string[];
  /** Imports in a `try` that goes on as another error. */
  asks?: string[];
  /** Packages whose release is compared with what its own package asks for. */
  requires?: string[];
  /** Functions of other files that it calls: `.a:f`. */
  calls?: string[];
}

/** Whether a line is come to: in these ways; or where a condition holds that nobody can tell. */
type Way = { when?: Compared[][]; isGuessed?: true } | "not followed";

interface Block {
  indent: number;
  way: Way;
  isTurned?: boolean;
}

const anyway: Way = { when: [[]] };
const mostWays = 8;
const mostFound = 40;
/** Longer ones were made by programs. */
const mostLines = 5000;

function both(a: Way, b: Way): Way {
  if (a === "not followed" || b === "not followed") return "not followed";
  const isGuessed = a.isGuessed ?? b.isGuessed;
  const when = a.when && b.when ? a.when.flatMap((x) => b.when!.map((y) => [...x, ...y])).slice(0, mostWays) : undefined;
  return { ...(when ? { when } : {}), ...(isGuessed ? { isGuessed } : {}) };
}

/** Who asks for a name, a platform or a folder knows that it may not be there. */
const asking =
  /\b(?:hasattr|getattr|TYPE_CHECKING|isfile|exists|is_file|is_dir|callable|platform|system|environ|getenv|__name__)\b|\bos\.name\b|\bsys\.|available|find_spec|installed|\bin\b/i;
/** A release is asked for in a way that cannot be read. */
const aboutReleases = /version|major|minor|release|\d|_(?:lt|gt|le|ge|eq)(?:_|$)|(?:lt|gt)e?_/i;

interface Condition {
  condition: string;
  texts: string[];
}

/** What a condition makes of the lines behind it, where it holds or where it does not. */
function wayOf({ condition, texts }: Condition, { names, constants }: Surroundings, holds: boolean): Way {
  if (isAlways(condition, constants) || isAlways(`not ${condition}`, constants))
    return isAlways(condition, constants) === holds ? anyway : "not followed";
  if (asking.test(condition)) return "not followed";
  const when = comparedIn(condition, texts, names, holds);
  if (0 < when.length) return { when };
  const guessed = holds ? byName(condition, names) : undefined;
  if (guessed) return { when: [[guessed]], isGuessed: true };
  return aboutReleases.test(condition) ? "not followed" : {};
}

/** `torchaudio_major >= 2`, where torchaudio is a module. */
function byName(condition: string, names: Names): Compared | undefined {
  const [, module = "", by, than = ""] = /^\(?(\w+?)_(?:major|major_version) ?(<=|>=|==|<|>) ?(\d{1,6})\)?$/.exec(condition.trim()) ?? [];
  return names.get(module)?.kind === "module" ? { of: module, by: by as Compared["by"], than, as: 1 } : undefined;
}

export interface Surroundings {
  names: Names;
  /** Names by which modules of others are had here, and what they stand for. */
  bound: Map<string, string>;
  constants: Map<string, boolean>;
  /** What the file itself puts into those modules. */
  put: string[];
  /** The function of another file that a line calls. */
  calledBy: (line: PythonLine) => string | undefined;
}

/** Of the body of a function, or of a file (`isMargin`), where what stands at the margin is told by others. */
export function perhapsIn(body: PythonLine[], around: Surroundings, isMargin: boolean): PerhapsText[] {
  const found = new Map<string, PerhapsText>();
  const margin = body[0]?.indent ?? 0;
  const passing = new Refusals(around.names);
  const here = { ...around, names: passing.names };
  const blocks: Block[] = [];
  let rest: Way = anyway;
  let innerAt: number | undefined;
  for (const [index, line] of body.slice(0, mostLines).entries()) {
    if (innerAt !== undefined && innerAt < line.indent) continue;
    innerAt = /^(?:async\s+)?(?:def|class)\b/.test(line.code) ? line.indent : undefined;
    while (0 < blocks.length && line.indent <= blocks.at(-1)!.indent) blocks.pop();
    if (line.code.endsWith(":")) {
      blocks.push({ indent: line.indent, ...blockOf(body, index, here) });
      if (line.indent === margin) passing.pass(body, index);
      continue;
    }
    if (line.indent === margin) passing.pass(body, index);
    const way = blocks.reduce((inner, each) => both(inner, each.way), rest);
    const isTurned = blocks.some((each) => each.isTurned);
    // Whoever ends here otherwise, ends nothing of what is behind it.
    if (/^(?:if\b.*:\s*)?(?:return|raise|continue|break)\b/.test(line.code)) {
      if (line.indent === margin && !line.code.startsWith("if")) break;
      rest = both(rest, restBehind(body, index, margin, here));
    }
    if (way === "not followed") continue;
    const isTold = isMargin && line.indent === margin;
    note(found, line, { way, isTurned, isTold, isAnyway: blocks.length === 0 && rest === anyway }, here);
  }
  return [...found.values()].slice(0, mostFound);
}

/** A block without an end of its own, by the line that begins it. */
function blockOf(body: PythonLine[], index: number, around: Surroundings): Omit<Block, "indent"> {
  const { code, texts } = body[index]!;
  if (/^finally\s*:$/.test(code) || /^with\s+(?:warnings\.)?catch_warnings\(|^with\s+[\w.]*[lL]ock\b/.test(code)) return { way: anyway };
  if (/^(?:for|while)\b/.test(code)) return { way: {} };
  if (code === "try:") {
    const { caught, turned } = caughtBehind(body, index);
    return caught.length === 0 ? { way: anyway, isTurned: 0 < turned.length } : { way: "not followed" };
  }
  const condition = /^(?:if|elif)\b(.*):$/.exec(code)?.[1];
  if (condition !== undefined) return { way: wayOf({ condition, texts }, around, true) };
  const before = /^else\s*:$/.test(code) ? conditionsBefore(body, index) : [];
  const ways = before.map((each) => wayOf(each, around, false));
  return { way: ways.length === 0 ? "not followed" : ways.reduce(both, anyway) };
}

/** The conditions of an `if` and of each `elif`, before its `else`. */
function conditionsBefore(body: PythonLine[], index: number): Condition[] {
  const { indent } = body[index]!;
  const found: Condition[] = [];
  for (const line of body.slice(0, index).toReversed()) {
    if (indent < line.indent) continue;
    const [, word, condition] = line.indent === indent ? (/^(if|elif)\b(.*):$/.exec(line.code) ?? []) : [];
    if (condition === undefined) return [];
    found.push({ condition, texts: line.texts });
    if (word === "if") return found;
  }
  return [];
}

/** What must be so for what comes behind a block that ends a function. */
function restBehind(body: PythonLine[], index: number, margin: number, around: Surroundings): Way {
  const start = body.slice(0, index).findLastIndex(({ indent }) => indent === margin);
  const { code = "", texts = [] } = body[start] ?? {};
  const condition = /^if\b(.*):$/.exec(code)?.[1];
  const isInner = body.slice(start + 1, index + 1).some(({ indent }) => indent !== body[index]!.indent);
  if (/^(?:except|try|with|finally)\b/.test(code)) return /^except\b/.test(code) ? anyway : {};
  return condition === undefined || isInner ? {} : wayOf({ condition, texts }, around, false);
}

function note(found: Map<string, PerhapsText>, line: PythonLine, how: How, around: Surroundings): void {
  const parts = Object.entries(takenBy(line, how, around)).filter(([, items]) => 0 < items.length);
  if (parts.length === 0) return;
  const { when, isGuessed } = how.way;
  const key = JSON.stringify(how.way);
  const one: PerhapsText = found.get(key) ?? { ...(when ? { when } : {}), ...(isGuessed ? { guessed: true } : {}) };
  for (const [name, items] of parts as [keyof Taken, string[]][])
    one[name] = [...new Set([...(one[name] ?? []), ...items])].slice(0, mostFound);
  found.set(key, one);
}

type Taken = Required<Omit<PerhapsText, "when" | "guessed">>;

interface How {
  way: Exclude<Way, string>;
  isTurned: boolean;
  /** At the margin of a file, where others tell what it imports and takes. */
  isTold: boolean;
  isAnyway: boolean;
}

/** What a line comes to; what is imported or called in any case is told as that. */
function takenBy(line: PythonLine, { isTurned, isTold, isAnyway }: How, { bound, put, calledBy }: Surroundings): Taken {
  const isRequiring = /^(?:\w+\.)*dep_version_check\(""[,)]/.test(line.code);
  const requires = isRequiring ? line.texts.slice(0, 1) : [];
  if (isTold) return { requires, imports: [], asks: [], uses: [], calls: [] };
  const imports = importsOf(line);
  const called = isAnyway ? undefined : calledBy(line);
  return {
    requires,
    uses: withoutPut(usesOf(line, bound), put),
    asks: isTurned ? imports : [],
    imports: isTurned || isAnyway ? [] : imports,
    calls: called === undefined ? [] : [called],
  };
}
