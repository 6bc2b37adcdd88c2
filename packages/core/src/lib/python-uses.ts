// What a Python file takes of modules of others, by the names that it has them by: `jax.core.Primitive`.
import type { PythonLine } from "./python-lines.ts";

/** Names by which a file has the modules of others, and what they stand for: `import jax.numpy as jnp`, `from jax import core`. */
export function boundModules(lines: PythonLine[], anyway: PythonLine[]): Map<string, string> {
  const bound = new Map<string, string>();
  for (const statement of anyway.flatMap(({ code }) => (/^(?:import|from)\b/.test(code) ? code.split(";") : []))) {
    const [, from, listed = ""] = /^(?:from\s+([A-Za-z_][\w.]*)\s+)?import\s+(.+)$/.exec(statement.trim()) ?? [];
    for (const part of listed.replaceAll(/[()]/g, " ").split(",")) {
      const [, module = "", as] = /^\s*([A-Za-z_][\w.]*)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      if (module === "") continue;
      const full = from === undefined ? module : `${from}.${module}`;
      const [top = ""] = module.split(".");
      bound.set(as ?? top, as === undefined && from === undefined ? top : full);
    }
  }
  return withoutRebound(bound, lines);
}

/** What is bound once more may be anything by then. */
export function withoutRebound(names: Map<string, string>, lines: PythonLine[]): Map<string, string> {
  for (const { code } of names.size === 0 ? [] : lines)
    if (code.includes("=")) names.delete(/^(\w+)\s*(?::[^=]*)?=(?!=)/.exec(code)?.[1] ?? "");
  return names;
}

const mostUses = 100;

/** A decorator, a class, a name that is bound; a call, or something that is put into what is taken. */
const taking = /^(?:@|class\b|[A-Za-z_]\w*\s?(?:=|:|\()|[A-Za-z_]\w*(?:\.\w+){1,8}\s?(?:=(?!=)|\(|\[))/;

/** What a file takes of modules of others whenever it is run, in lines that nothing decides about: `x = jax.core.Primitive("x")`, bases of classes. */
export function usesIn(lines: PythonLine[], anyway: PythonLine[]): string[] {
  const bound = boundModules(lines, anyway);
  const uses = new Set<string>();
  for (const line of bound.size === 0 ? [] : anyway) addTaken(uses, line, bound);
  return withoutPut([...uses], putInto(lines, bound));
}

/** What one line takes. */
export function usesOf(line: PythonLine, bound: Map<string, string>): string[] {
  const uses = new Set<string>();
  addTaken(uses, line, bound);
  return [...uses];
}

function addTaken(uses: Set<string>, { code }: PythonLine, bound: Map<string, string>): void {
  if (!taking.test(code) || deciding.test(code)) return;
  // Annotations are looked at later, or never; and what is bound in a module is none that it must have.
  addUses(uses, bound, code.replace(/^(\w+)\s*:[^=]*/, "$1 ").replace(/^[A-Za-z_]\w*(?:\.\w+)+\s?=(?!=)/, ""));
}

/** Without what the file itself puts there. */
export const withoutPut = (uses: string[], put: string[]): string[] =>
  uses.filter((use) => !put.some((name) => `${use}.`.startsWith(`${name}.`)));

/** Names that a file binds in modules of others, wherever it does: `np.float = float`; of what it binds by a text, all of the module. */
export function putInto(lines: PythonLine[], bound: Map<string, string>): string[] {
  const full = (written: string) => {
    const [first = "", ...rest] = written.split(".");
    const module = bound.get(first);
    return module === undefined ? [] : [[module, ...rest].join(".")];
  };
  return (bound.size === 0 ? [] : lines).flatMap(({ code }) => {
    if (!code.includes("setattr(") && !(code.includes(".") && code.includes("="))) return [];
    const [, written] = /^([A-Za-z_]\w*(?:\.\w+)+)\s?(?::[^=]*)?=(?!=)/.exec(code) ?? [];
    const all = [...code.matchAll(/\bsetattr\(\s?([A-Za-z_][\w.]*)/g)].map(([, name]) => name!);
    return [...(written === undefined ? [] : [written]), ...all].flatMap(full);
  });
}

function addUses(uses: Set<string>, bound: Map<string, string>, code: string): void {
  for (const [name] of code.matchAll(/(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+/g)) {
    const [first = "", ...rest] = name.split(".");
    const module = bound.get(first);
    if (module !== undefined && uses.size < mostUses) uses.add([module, ...rest].join("."));
  }
}

/** What stands in the heads of functions at the margin, and of methods of classes there: Python looks at it when it defines them. */
export function signaturesIn(lines: PythonLine[]): string[] {
  if (lines.some(({ code }) => /^from\s+__future__\s+import\b.*\bannotations\b/.test(code))) return [];
  const bound = boundModules(
    lines,
    lines.filter(({ indent }) => indent === 0),
  );
  const uses = new Set<string>();
  let method: number | undefined;
  for (const [index, { indent, code }] of bound.size === 0 ? [] : lines.entries()) {
    if (indent === 0) method = /^class\b/.test(code) ? lines[index + 1]?.indent : undefined;
    if ((indent === 0 || indent === method) && /^(?:async\s+)?def\b/.test(code) && !deciding.test(code)) addUses(uses, bound, code);
  }
  return [...uses];
}

/** What is behind one of these may not be run. */
const deciding = /\b(?:if|else|and|or|for|lambda|try|hasattr|getattr|while|assert|with)\b/;
