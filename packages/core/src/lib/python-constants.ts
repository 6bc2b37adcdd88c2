// Names of a Python file that are always true or never, and the lines that are run whatever else is so.
import type { PythonLine } from "./python-lines.ts";

/** More are settings of something, and each is looked for in all lines. */
const most = 50;

/** Names that are bound once, at the margin, and that a block is behind: `JAX_MODE = True`. */
export function constantsIn(lines: PythonLine[]): Map<string, boolean> {
  const constants = new Map<string, boolean>();
  const asked = new Set(lines.flatMap(({ code }) => /^if\s(?:not\s)?\s?(\w+):$/.exec(code)?.[1] ?? []));
  for (const { indent, code } of lines) {
    const [, name, value] = /^([A-Za-z_]\w*)\s?(?::[^=]*)?=\s?(True|False)$/.exec(indent === 0 ? code : "") ?? [];
    if (name !== undefined && asked.has(name) && constants.size < most) constants.set(name, value === "True");
  }
  for (const name of constants.keys()) {
    // Bound once: wherever else it is bound, handed on or called global, nobody can tell.
    const binding = new RegExp(
      `\\b(?:global|for|as|import|nonlocal)\\b[^=:]{0,200}\\b${name}\\b|\\b${name}\\s?(?::[^=]{0,80})?(?:[-+*/|&]?=(?!=)|:=)`,
    );
    if (1 < lines.filter(({ code }) => code.includes(name) && binding.test(code)).length) constants.delete(name);
  }
  return constants;
}

/** Whether a condition is always so, by such a name alone. */
export function isAlways(condition: string, constants: Map<string, boolean>): boolean {
  const [, not, name = ""] = /^(not\s)?\s*([A-Za-z_]\w*)$/.exec(condition.trim()) ?? [];
  return constants.get(name) === (not === undefined);
}

/** Lines at the margin, and those in blocks there behind what is always so. */
export function linesAnyway(lines: PythonLine[], constants: Map<string, boolean>): PythonLine[] {
  const found: PythonLine[] = [];
  let margin = 0;
  for (const [index, line] of lines.entries()) {
    if (line.indent < margin) margin = 0;
    if (line.indent !== margin) continue;
    found.push(line);
    const condition = margin === 0 ? /^if\b(.*):$/.exec(line.code)?.[1] : undefined;
    const next = lines[index + 1];
    if (condition !== undefined && next && 0 < next.indent && isAlways(condition, constants)) margin = next.indent;
  }
  return found;
}
