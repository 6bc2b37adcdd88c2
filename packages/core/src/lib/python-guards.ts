// Imports in blocks of a Python file, and functions that are called there; and what is caught around them.
import { isAlways } from "./python-constants.ts";
import { importsOf } from "./python-import-lines.ts";
import type { PythonLine } from "./python-lines.ts";
import type { RunText } from "./python-calls.ts";

export interface GuardedImports extends RunText {
  /** Modules that must be there for it. */
  with: string[];
  /** Whether these are there is asked of a function by its name alone, which may ask for more. */
  supposed?: true;
  /** What is caught around it, if anything: `ImportError`; `*` is whatever comes. */
  caught: string[];
  /** What is caught around it and goes on as another error. */
  turned?: string[];
  /** What is imported before it within the `try`, by the first parts of the names (`.`: of its own package), where nothing else is done there. */
  behind?: string[];
}

interface Clauses {
  caught: string[];
  turned: string[];
}

interface Block {
  indent: number;
  /** Of a `try`, where it stands. */
  tried?: number;
  /** Undefined where nobody can tell whether it is run. */
  guard?: { with: string[]; isSupposed?: boolean } & Clauses;
}

const plain: Clauses = { caught: [], turned: [] };

/** Imports in blocks of which the text says when they are run: where another module is there, within a `try`, in the body of a class. */
export function guardedIn(
  lines: PythonLine[],
  constants: Map<string, boolean>,
  calledIn: (line: PythonLine) => RunText | undefined,
): GuardedImports[] {
  const found: GuardedImports[] = [];
  const blocks: Block[] = [];
  for (const [index, line] of lines.entries()) {
    while (0 < blocks.length && line.indent <= blocks.at(-1)!.indent) blocks.pop();
    if (line.code.endsWith(":")) blocks.push(blockOf(lines, index, constants));
    const guards = line.indent === 0 ? [undefined] : blocks.map(({ guard }) => guard);
    if (!guards.every((guard) => guard !== undefined)) continue;
    const run = /^(?:import|from)\s/.test(line.code) ? { imports: importsOf(line) } : calledIn(line);
    if (!run) continue;
    const caught = [...new Set(guards.flatMap((guard) => guard.caught))];
    const turned = [...new Set(guards.flatMap((guard) => guard.turned))];
    const needed = [...new Set(guards.flatMap((guard) => guard.with))];
    const behind = 0 < needed.length || caught.includes("*") ? undefined : importedBefore(lines, index, blocks);
    found.push({
      with: needed,
      ...(guards.some((guard) => guard.isSupposed) ? { supposed: true as const } : {}),
      caught,
      ...(0 < turned.length ? { turned } : {}),
      ...(behind ? { behind } : {}),
      ...run,
    });
  }
  return found;
}

/** What comes before a line in the first `try` around it that catches; undefined where anything but imports does. */
function importedBefore(lines: PythonLine[], index: number, blocks: Block[]): string[] | undefined {
  const start = blocks.find(({ guard }) => guard && 0 < guard.caught.length)?.tried;
  const before = start === undefined ? undefined : lines.slice(start + 1, index);
  if (!before?.every(({ code }) => code === "try:" || /^(?:import|from)\s[^;]*$/.test(code))) return undefined;
  return [...new Set(before.flatMap((line) => importsOf(line)).map(firstOf))];
}

/** The first part of the name in a statement; `.` for what begins with dots. */
const firstOf = (statement: string) => (statement.startsWith(".") ? "." : statement.split(/[.:]/)[0]!);

/** What is known to let errors through. */
const keeping = /^with\s+(?:warnings\.)?catch_warnings\(|^with\s+[\w.]*[lL]ock\b/;

function blockOf(lines: PythonLine[], index: number, constants: Map<string, boolean>): Block {
  const { indent, code, texts } = lines[index]!;
  if (/^(?:class|finally)\b/.test(code) || keeping.test(code)) return { indent, guard: { with: [], ...plain } };
  // `with suppress(ImportError):`, by whatever name.
  if (/^with\b/.test(code)) return { indent, guard: { with: [], caught: ["*"], turned: [] } };
  if (code === "try:") return { indent, tried: index, guard: { with: [], ...caughtBehind(lines, index) } };
  const condition = /^if\s+(.*):$/.exec(code)?.[1];
  if (condition !== undefined && isAlways(condition, constants)) return { indent, guard: { with: [], ...plain } };
  const modules = condition === undefined ? behindElse(lines, index) : neededBy(condition, texts);
  return modules ? { indent, guard: { ...modules, ...plain } } : { indent };
}

/** `if not is_triton_available(): … else:` is come to where triton is there. */
function behindElse(lines: PythonLine[], index: number): ReturnType<typeof neededBy> {
  const { indent, code } = lines[index]!;
  const before = /^else\s*:$/.test(code) ? lines.slice(0, index).findLast((line) => line.indent <= indent) : undefined;
  const absent = before?.indent === indent ? /^if\s+not\s+(\S+):$/.exec(before.code)?.[1] : undefined;
  return absent === undefined ? undefined : neededBy(absent, before!.texts);
}

/** What the `except` clauses of a `try` name; one that ends in `raise` lets it through, as it is or as another error. */
export function caughtBehind(lines: PythonLine[], index: number): Clauses {
  const { indent } = lines[index]!;
  const caught: string[] = [];
  const turned: string[] = [];
  for (let at = index + 1; at < lines.length; at++) {
    const line = lines[at]!;
    if (indent < line.indent) continue;
    const clause = line.indent === indent ? /^except\b\*?(.*):$/.exec(line.code)?.[1] : undefined;
    if (clause === undefined) break;
    const end = lines.findIndex((each, place) => at < place && each.indent <= indent);
    const last = lines.at(end < 0 ? -1 : end - 1)!;
    // Within a test of its own it may not be run.
    const isThrough = /^raise\b/.test(last.code) && last.indent === lines[at + 1]?.indent;
    const names = clause.replace(/\sas\s+\w+\s*$/, "").match(/\b\w+\b(?=\s{0,200}(?:[,)]|$))/g) ?? ["*"];
    if (!isThrough) caught.push(...names);
    else if (last.code !== "raise") turned.push(...names);
  }
  return { caught, turned };
}

/** `is_torch_available() and find_spec("x") is not None` → torch, x; undefined where anything else is asked. */
function neededBy(condition: string, texts: string[]): { with: string[]; isSupposed: boolean } | undefined {
  const left = [...texts];
  const needed: string[] = [];
  let isSupposed = false;
  for (const part of condition.split(/\sand\s/)) {
    const isPlain = plainly.test(part.trim());
    const module = isPlain ? left.shift() : supposedly.exec(part.trim())?.[1];
    if (module === undefined) return undefined;
    needed.push(module);
    isSupposed ||= !isPlain;
  }
  return { with: needed, isSupposed };
}

const plainly = /^(?:[\w.]+\.)?find_spec\(""\)(?: is not None)?$/;
const supposedly = /^(?:[\w.]+\.)?_?(?:is_)?(\w+)_available(?:\(\))?$/;
