// What a Python file runs in any case by functions that it calls: its own, followed here, and those of other files, named for who can find them.
import { caughtBehind } from "./python-guards.ts";
import { importsOf } from "./python-import-lines.ts";
import { pythonLines, type PythonLine } from "./python-lines.ts";
import { perhapsIn, type PerhapsText, type Surroundings } from "./python-perhaps.ts";
import { boundModules, putInto, withoutRebound } from "./python-uses.ts";
import { constantsIn } from "./python-constants.ts";
import type { Names } from "./python-versions.ts";
import { Refusals, type RefusalText } from "./python-refusals.ts";

export interface RunText {
  imports: string[];
  /** Functions of other files, as `.module:function`, each with how many of the imports come before it. */
  calls?: { to: string; after: number }[];
  /** Releases of other packages at which it ends in an error of its own. */
  refuses?: (RefusalText & { after: number })[];
  /** What functions at its margin come to behind conditions, or take of modules of others. */
  perhaps?: PerhapsText[];
}

/** Calls of this depth are followed within a file. */
const mostDepth = 6;
/** More than so many calls are none that check anything. */
const mostCalls = 60;
const mostRefusals = 20;

interface File {
  lines: PythonLine[];
  /** Where functions at its margin begin; none where there are two of a name, or something is put around it. */
  functions: Map<string, number | undefined>;
  /** Names that it has from other files, as `module` or `module:name`. */
  names: Map<string, string>;
  /** The same with those that it has in blocks alone. */
  namesInBlocks?: Map<string, string>;
  /** Parts of its own path: what begins with none of them is of somebody else. */
  around: Set<string>;
  /** What its margin says of releases, up to the line that is run. */
  margin: Refusals;
  /** What is always so, and what it puts into modules of others. */
  constants: Map<string, boolean>;
  put: string[];
}

/** What a file runs at its left margin; and what a line that stands in a block runs by what it calls, undefined where that is nothing. */
export function runInFile(lines: PythonLine[], path: string): { run: RunText; calledIn: (line: PythonLine) => RunText | undefined } {
  const run = nothingRun();
  const file = fileOf(lines, path);
  for (const [index, line] of lines.entries()) {
    if (line.indent !== 0) continue;
    runLine(file, line, run, new Set());
    refuse(run, file.margin.pass(lines, index));
  }
  run.perhaps.push(...perhapsIn(lines, around(file, new Map(), modulesIn(lines, [])), true));
  const calledIn = (line: PythonLine) => {
    if (line.code.endsWith(":") || !line.code.includes("(")) return undefined;
    const called = nothingRun();
    runLine(file, line, called, new Set());
    return isNothing(called) ? undefined : trimmed(called);
  };
  return { run: trimmed(run), calledIn };
}

const isNothing = ({ imports, calls, refuses, perhaps }: Required<RunText>) =>
  imports.length + calls.length + refuses.length + perhaps.length === 0;

/** As it is when all of it was run once. */
function wholeFile(lines: PythonLine[], path: string): File {
  const file = fileOf(lines, path);
  for (const [index, { indent }] of lines.entries()) if (indent === 0) file.margin.pass(lines, index);
  return file;
}

/** What some functions of a file run, as far as it has them once. */
export function functionsIn(source: string, path: string, names: string[]): { [name: string]: RunText } {
  const defined = names.filter((name) => new RegExp(`^def\\s+${name}\\b`, "m").test(source));
  if (defined.length === 0) return {};
  const file = wholeFile(pythonLines(source), path);
  return Object.fromEntries(
    defined.flatMap((name) => {
      if (file.functions.get(name) === undefined) return [];
      const run = nothingRun();
      runFunction(file, name, run, new Set());
      return isNothing(run) ? [] : [[name, trimmed(run)]];
    }),
  );
}

const nothingRun = (): Required<RunText> => ({ imports: [], calls: [], refuses: [], perhaps: [] });

function refuse({ imports, refuses }: Required<RunText>, found: RefusalText[]): void {
  for (const each of found) refuses.push({ ...each, after: imports.length });
}

const trimmed = ({ imports, calls, refuses, perhaps }: Required<RunText>): RunText => ({
  imports,
  ...(calls.length === 0 ? {} : { calls: calls.slice(0, mostCalls) }),
  ...(refuses.length === 0 ? {} : { refuses: refuses.slice(0, mostRefusals) }),
  ...(perhaps.length === 0 ? {} : { perhaps: perhaps.slice(0, mostRefusals) }),
});

function fileOf(lines: PythonLine[], path: string): File {
  const functions = new Map<string, number | undefined>();
  for (const [index, { indent, code }] of lines.entries()) {
    const name = /^(?:async\s+)?(?:def|class)\s+(\w+)/.exec(code)?.[1];
    if (name === undefined) continue;
    const isPlain = indent === 0 && code.startsWith("def ") && !lines[index - 1]?.code.startsWith("@");
    functions.set(name, functions.has(name) || !isPlain ? undefined : index);
  }
  return {
    lines,
    functions,
    names: namesOfOthers(lines),
    around: new Set(path.split("/")),
    margin: new Refusals(),
    constants: constantsIn(lines),
    put: putInto(lines, modulesIn(lines, [])),
  };
}

/** Names by which a function has modules of others; those of the margin, and its own. */
const modulesIn = (lines: PythonLine[], body: PythonLine[]) =>
  boundModules(lines, [...lines.filter(({ indent }) => indent === 0), ...body.filter(({ indent }) => indent === body[0]?.indent)]);

/** `import a.b as c` → c is `a.b`; `from .x import y as z` → z is `.x:y`. */
function namesOfOthers(lines: PythonLine[], isInBlocks = false): Map<string, string> {
  const names = new Map<string, string>();
  for (const { indent, code } of lines) {
    if (indent !== 0 && !isInBlocks) continue;
    const [, from, listed = ""] = /^(?:from\s+([.\w]+)\s+)?import\s+(.+)$/.exec(code) ?? [];
    for (const part of listed.replaceAll(/[()]/g, " ").split(",")) {
      const [, name = "", as] = /^\s*([A-Za-z_][\w.]*)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      if (name === "") continue;
      const isTop = from === undefined && as === undefined;
      names.set(as ?? name.split(".")[0]!, from === undefined ? (isTop ? name.split(".")[0]! : name) : `${from}:${name}`);
    }
  }
  return withoutRebound(names, lines);
}

function runLine(file: File, line: PythonLine, run: Required<RunText>, seen: Set<string>): void {
  run.imports.push(...importsOf(line), ...namedIn(line));
  const callee = calleeOf(line);
  if (callee === undefined) return;
  if (file.functions.has(callee)) runFunction(file, callee, run, seen);
  else {
    const to = fullCall(file, callee);
    if (to !== undefined) run.calls.push({ to, after: run.imports.length });
  }
}

/** `__import__("pkg_resources").declare_namespace(__name__)`, `importlib.import_module("a.b")`. */
function namedIn({ code, texts: [name = ""] }: PythonLine): string[] {
  const isNamed = /^(?:\w+\s*=\s*)?(?:__import__|(?:importlib\.)?import_module)\(""\)/.test(code);
  return isNamed && /^[A-Za-z_][\w.]*$/.test(name) ? [name] : [];
}

/** What is called first in a line: `check()`, `x = module.check(1)`, `return check()`. */
function calleeOf({ code }: PythonLine): string | undefined {
  if (/\bif\b/.test(code)) return undefined;
  return /^(?:return\s+|[A-Za-z_][\w., ]{0,80}(?::[\w.[\], |]{0,80})?=\s*)?([A-Za-z_]\w*(?:\.\w+){0,8})\(/.exec(code)?.[1];
}

function fullCall({ names, around }: File, callee: string): string | undefined {
  const [first = "", ...rest] = callee.split(".");
  const [module = "", name] = names.get(first)?.split(":") ?? [];
  const parts = name === undefined ? rest : [name, ...rest];
  const last = parts.pop();
  if (module === "" || last === undefined) return undefined;
  const isOwn = module.startsWith(".") || around.has(module.split(".")[0]!);
  if (!isOwn) return undefined;
  const joint = parts.length === 0 || module.endsWith(".") ? "" : ".";
  return `${module}${joint}${parts.join(".")}:${last}`;
}

/** The body of a function, before anything in it could end it or turn off; of one that makes its values one by one nothing is run. */
function runFunction(file: File, name: string, run: Required<RunText>, seen: Set<string>): void {
  const start = file.functions.get(name);
  if (start === undefined || seen.has(name) || mostDepth <= seen.size) return;
  const body = bodyAt(file.lines, start);
  if (body.some(({ code }) => /\byield\b/.test(code))) return;
  const within = new Set([...seen, name]);
  const margin = body[0]?.indent;
  const inner = withParameters(file, start);
  run.perhaps.push(...perhapsOf(file, start, body, inner));
  // Behind an error that it may raise, what it refuses besides is refused all the same.
  let isPast = false;
  for (const { index, line, isRun } of ownLines(body)) {
    const isEnd = /\b(?:return|raise)\b/.test(line.code) && !isBehindExcept(body, index);
    if (isRun && !isPast && !/^raise\b/.test(line.code)) runLine(file, line, run, within);
    if (line.indent === margin) refuse(run, inner.pass(body, index));
    if (isEnd && (/\breturn\b/.test(line.code) || line.indent === margin)) return;
    isPast ||= isEnd;
  }
}

/** The same behind conditions; names that it is given, or that it binds, are none of the file's. */
function perhapsOf(file: File, start: number, body: PythonLine[], { names }: Refusals): PerhapsText[] {
  const bound = modulesIn(file.lines, body);
  const own = body.flatMap(({ code }) => [...(/^for\s(.{1,200}?)\sin\b/.exec(code)?.[1]?.match(/\w+/g) ?? []), ...asNames(code)]);
  for (const name of [...parametersOf(file, start), ...own]) bound.delete(name);
  return perhapsIn(body, around(file, new Map(names), bound), false);
}

const around = (file: File, names: Names, bound: Map<string, string>): Surroundings => ({
  names,
  bound,
  constants: file.constants,
  put: file.put,
  calledBy(line) {
    const callee = calleeOf(line);
    if (callee === undefined || file.functions.has(callee)) return undefined;
    return fullCall({ ...file, names: (file.namesInBlocks ??= namesOfOthers(file.lines, true)) }, callee);
  },
});

const asNames = (code: string): string[] =>
  /^(?:with|except)\b/.test(code) ? [...code.matchAll(/\bas\s+(\w+)/g)].map(([, name]) => name!) : [];

const parametersOf = ({ lines }: File, start: number): string[] => /\((.*)\)/.exec(lines[start]!.code)?.[1]?.match(/\w+/g) ?? [];

/** Lines of a body without those of functions within it, which do what they do when they are called; and whether nothing decides about each. */
function* ownLines(body: PythonLine[]): Generator<{ index: number; line: PythonLine; isRun: boolean }> {
  const margin = body[0]?.indent ?? 0;
  let plain = margin;
  let innerAt: number | undefined;
  for (const [index, line] of body.entries()) {
    if (innerAt !== undefined && innerAt < line.indent) continue;
    innerAt = /^(?:async\s+)?(?:def|class)\b/.test(line.code) ? line.indent : undefined;
    if (line.indent < plain) plain = margin;
    const isRun = line.indent === plain;
    yield { index, line, isRun };
    if (isRun && isThrough(body, index)) plain = body[index + 1]!.indent;
  }
}

/** Of a block that lets through what comes of its lines: a `try` that only raises again, or that only does something at its end. */
function isThrough(body: PythonLine[], index: number): boolean {
  if (body[index]!.code !== "try:" || (body[index + 1]?.indent ?? 0) <= body[index]!.indent) return false;
  const { caught, turned } = caughtBehind(body, index);
  return caught.length === 0 && turned.length === 0;
}

/** What names stand for within a function: those that it is given may be anything. */
function withParameters(file: File, start: number): Refusals {
  const inner = new Refusals(file.margin.names);
  for (const parameter of parametersOf(file, start)) inner.names.delete(parameter);
  return inner;
}

function bodyAt(lines: PythonLine[], start: number): PythonLine[] {
  const end = lines.findIndex(({ indent }, index) => start < index && indent === 0);
  return lines.slice(start + 1, end < 0 ? lines.length : end);
}

/** In a clause that is run after an error alone. */
function isBehindExcept(lines: PythonLine[], index: number): boolean {
  let { indent } = lines[index]!;
  for (const line of lines.slice(0, index).toReversed()) {
    if (indent <= line.indent) continue;
    if (/^except\b/.test(line.code)) return true;
    ({ indent } = line);
  }
  return false;
}
