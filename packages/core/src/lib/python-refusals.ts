// Where a Python file ends its own run because another package is of a release that it does not take: `if Version(np.__version__) > …: raise`.
import { isOwnOfPython } from "./python-exceptions.ts";
import { comparedIn, valueOf, type Compared, type Names } from "./python-versions.ts";
import type { PythonLine } from "./python-lines.ts";

export interface RefusalText {
  when: Compared[];
  /** What it says then; `{numpy}` stands for the release of numpy. */
  said?: string;
  /** Which error it is, where that is one of Python's own. */
  raises?: string;
}

/** More conditions than these belong to no question about releases. */
const mostWays = 8;

/** What a block does line by line, from its first line on: what it calls things, and where it ends in an error of its own. */
export class Refusals {
  readonly names: Names;

  constructor(around?: Names) {
    this.names = new Map(around);
  }

  /** Goes past the line at an index, with all that is within it; what it refuses. */
  pass(lines: PythonLine[], index: number): RefusalText[] {
    const { indent, code } = lines[index]!;
    if (/^if\b/.test(code)) return this.branches(lines, index);
    if (/^assert\b/.test(code)) return this.asserted(lines[index]!);
    if (/^raise\b/.test(code)) return [this.raised(lines[index]!)];
    if (requiring.test(code)) return required(lines[index]!);
    bind(this.names, lines[index]!);
    // What is bound further in is bound perhaps.
    const block = blockAt(lines, index, indent);
    // What a function or a class binds are names of its own.
    const isApart = /^(?:async\s+)?def\b|^class\b/.test(code) && !block.some((within) => within.code.startsWith("global "));
    for (const within of isApart ? [] : block) forget(this.names, within);
    bindFunction(this.names, lines, index);
    return [];
  }

  private branches(lines: PythonLine[], index: number): RefusalText[] {
    const { indent } = lines[index]!;
    const found: RefusalText[] = [];
    // In which ways none of the branches before is taken; undefined: nobody can tell.
    let before: Compared[][] = [[]];
    const atFirst = new Map(this.names);
    let at = index;
    for (let line = lines[at]; line; line = lines[at]) {
      const body = blockAt(lines, at, indent);
      const condition = /^(?:if|elif)\b(.*):$/.exec(line.code)?.[1];
      const isElse = /^else\s*:$/.test(line.code);
      if (at !== index && (line.indent !== indent || (!isElse && !/^elif\b/.test(line.code)))) break;
      const taken = isElse ? [[]] : condition === undefined ? [] : comparedIn(condition, line.texts, atFirst, true);
      const ways = both(before, taken);
      const inner = new Refusals(atFirst);
      for (const within of 0 < ways.length ? inner.within(body) : [])
        for (const way of ways) found.push({ ...within, when: [...way, ...within.when] });
      before = isElse || condition === undefined ? [] : both(before, comparedIn(condition, line.texts, atFirst, false));
      for (const within of body) forget(this.names, within);
      at += body.length + 1;
    }
    return found.slice(0, mostWays);
  }

  /** What the body of a branch refuses: up to where it may end otherwise. */
  private within(body: PythonLine[]): RefusalText[] {
    const margin = body[0]?.indent;
    const found: RefusalText[] = [];
    for (const [index, line] of body.entries()) {
      if (line.indent !== margin) continue;
      if (/^(?:return|break|continue|try|with|for|while)\b/.test(line.code)) break;
      found.push(...this.pass(body, index));
      if (/^raise\b/.test(line.code) || blockAt(body, index, line.indent).some(({ code }) => /\b(?:return|break|continue)\b/.test(code)))
        break;
    }
    return found;
  }

  private asserted({ code, texts }: PythonLine): RefusalText[] {
    const [condition = "", said] = splitAt(code.replace(/^assert\b/, ""), ",");
    const used = condition.match(/""/g)?.length ?? 0;
    const message = said === undefined ? {} : saidIn(said, texts.slice(used), this.names);
    return comparedIn(condition, texts, this.names, false).map((when) => ({ when, ...message, raises: "AssertionError" }));
  }

  private raised({ code, texts }: PythonLine): RefusalText {
    const argument = /^raise\s+[\w.]+\((.*)\)(?:\s+from\b.*)?$/.exec(code)?.[1];
    const raises = /^raise\s+(\w+)\b(?!\.)/.exec(code)?.[1] ?? "";
    const said = argument === undefined ? {} : saidIn(argument, texts, this.names);
    return { when: [], ...said, ...(isOwnOfPython(raises) ? { raises } : {}) };
  }
}

/** transformers' own words for it, which others have taken over: `require_version("datasets>=1.8.0", "…")`. */
const requiring = /^(?:\w+\.)*require_version(?:_core)?\(""/;

const unmet = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==" } as const;

function required({ texts: [asked = ""] }: PythonLine): RefusalText[] {
  const [, of, clauses = ""] = /^([\w.-]+)\s*((?:[<>=!]=?[\w.]+,?\s*)+)$/.exec(asked) ?? [];
  if (of === undefined) return [];
  return [...clauses.matchAll(/([<>=!]=?)([\w.]+)/g)].flatMap(([, sign, than = ""]) => {
    const by = unmet[sign as keyof typeof unmet];
    return by
      ? [{ when: [{ of, by, than }], said: `${asked} is required for a normal functioning of this module, but found ${of}=={${of}}.` }]
      : [];
  });
}

/** All ways of one with all of the other. */
const both = (a: Compared[][], b: Compared[][]): Compared[][] => a.flatMap((x) => b.map((y) => [...x, ...y])).slice(0, mostWays);

/** The lines within a statement. */
function blockAt(lines: PythonLine[], index: number, indent: number): PythonLine[] {
  let end = index + 1;
  while (end < lines.length && indent < lines[end]!.indent) end++;
  return lines.slice(index + 1, end);
}

/** The first line of what is said. */
function saidIn(argument: string, texts: string[], names: Names): { said?: string } {
  const value = valueOf(argument, texts, names);
  const said = value?.kind === "text" ? value.text.split(/\\n/)[0]!.trim() : "";
  return said === "" ? {} : { said };
}

/** The first part of a text before a sign that stands in no brackets, and the rest. */
function splitAt(text: string, sign: string): [string, string?] {
  let depth = 0;
  for (const [index, each] of [...text].entries()) {
    if ("([{".includes(each)) depth++;
    else if (")]}".includes(each)) depth--;
    else if (each === sign && depth === 0) return [text.slice(0, index), text.slice(index + 1)];
  }
  return [text];
}

/** Takes in what a statement binds: `import numpy as np`, `from a import b`, `x = Version(np.__version__)`. */
function bind(names: Names, line: PythonLine): void {
  const { code, texts } = line;
  const [, from, listed] = /^(?:from\s+([.\w]+)\s+)?import\s+(.+)$/.exec(code) ?? [];
  if (listed !== undefined) {
    for (const part of listed.replaceAll(/[()]/g, " ").split(",")) {
      const [, name = "", as] = /^\s*([A-Za-z_][\w.]*)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      if (name === "") continue;
      const full = from === undefined ? (as === undefined ? name.split(".")[0]! : name) : `${from}.${name}`;
      names.set(as ?? name.split(".")[0]!, { kind: "module", name: full });
    }
    return;
  }
  const [, name, value] = /^(\w+)\s*(?::[^=]*)?=(?!=)\s*(.+)$/.exec(code) ?? [];
  if (name === undefined || value === undefined) forget(names, line);
  else {
    const known = valueOf(value, texts, names);
    if (known) names.set(name, known);
    else names.delete(name);
  }
}

/** Whether a line may bind anything. */
const binding = /=|\bas\s|^for\b/;

function forget(names: Names, line: PythonLine): void {
  if (names.size === 0 || !binding.test(line.code)) return;
  const code = line.code.replaceAll(/\s+/g, " ");
  const bound = /^for ([\w,() ]{1,200}?) in\b/.exec(code)?.[1];
  const left = bound ?? /^[\w ,()]+/.exec(code)?.[0] ?? "";
  const isBound = bound !== undefined || /^(?::[^=]*)?[-+*/|&]?=(?!=)/.test(code.slice(left.length));
  for (const name of isBound ? (left.match(/\w+/g) ?? []) : []) names.delete(name);
  for (const [, name] of code.matchAll(/\bas\s+(\w+)/g)) names.delete(name!);
}

/** A function that gives one value of one other: `def first_two(module): return tuple(…)`. */
function bindFunction(names: Names, lines: PythonLine[], index: number): void {
  const { indent, code } = lines[index]!;
  const [, name, parameter] = /^def\s+(\w+)\(\s*(\w+)\s*(?::[^,)]*)?\)/.exec(code) ?? [];
  if (name === undefined || parameter === undefined) return;
  const [only, ...more] = blockAt(lines, index, indent).filter((line) => line.code !== '""');
  const body = more.length === 0 ? /^return\s+(.+)$/.exec(only?.code ?? "")?.[1] : undefined;
  if (body === undefined) names.delete(name);
  else names.set(name, { kind: "function", parameter, body, texts: only!.texts });
}

/** Packages that a file goes through at its margin and checks against a table of its own: `for pkg in pkgs_to_check_at_runtime: … require_version_core(deps[pkg])`. */
export function requiredIn(lines: PythonLine[]): string[] {
  const loop = lines.findIndex(({ indent, code }) => indent === 0 && /^for\s+\w+\s+in\s+\w+:$/.test(code));
  const [, each, list] = /^for\s+(\w+)\s+in\s+(\w+):$/.exec(lines[loop]?.code ?? "") ?? [];
  const isChecked = blockAt(lines, loop, 0).some(({ code }) =>
    new RegExp(`^(?:\\w+\\.)*require_version(?:_core)?\\(\\w+\\[${each}\\]`).test(code),
  );
  const table =
    each !== undefined && isChecked ? lines.find(({ indent, code }) => indent === 0 && new RegExp(`^${list}\\s*=`).test(code)) : undefined;
  return table?.texts.flatMap((text) => text.split(" ")).filter((name) => /^[\w.-]+$/.test(name)) ?? [];
}
