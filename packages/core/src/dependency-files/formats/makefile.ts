// https://www.gnu.org/software/make/manual/make.html
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readShell } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat, endsWith } from "../format.ts";
import { placeAt, splitLines } from "../lines.ts";
import { filesUnder } from "../project-command.ts";

export default defineFormat({
  id: "makefile",
  words: "a Makefile",
  place: 22,
  signs: [
    { by: "name", is: ({ name }) => /^(?:gnu)?makefile$/.test(name) || endsWith(".mk")(name) },
    {
      by: "part of the name",
      is: ({ name }) => /^makefile[._-]/.test(name) && !endsWith(".md", ".rst", ".py", ".am", ".pl", ".txt")(name),
    },
  ],
  read: readMakefile,
  example: { file: "Makefile", text: "install:\n\tpip install torch==2.4.1\n" },
});

/** What make has there, and what is asked of the system again and again. */
const onLinux: ReadonlyMap<string, string> = new Map([
  ["OS", ""],
  ["shell uname", "Linux"],
  ["shell uname -s", "Linux"],
  ["shell uname -m", "x86_64"],
  ["shell uname -p", "x86_64"],
]);

/** A variable that doubles itself would fill the memory. */
const longest = 8192;

interface Rule {
  target: string;
  needs: string[];
  steps: DeclaredStep[];
}

/** A line of the file with those that go on; `line` is the first. */
interface Logical {
  text: string;
  line: number;
  isRecipe: boolean;
}

/** Every target is an installation of its own, with what it needs first. */
function readMakefile(text: string, file: string, conditions: Conditions): Declaration {
  const declaration: Declaration = { format: "makefile", file, steps: [], unknown: [] };
  const variables = new Map(onLinux);
  const rules: Rule[] = [];
  let current: Rule[] = [];
  const branches: Branch[] = [];
  const isLive = () => branches.every(({ isTaken }) => isTaken);
  for (const { text: line, line: number, isRecipe } of logicalLines(text)) {
    if (takeDirective(branches, line, variables, (words) => conditions.holds(words, placeAt(file, number))) || !isLive()) continue;
    if (isRecipe) {
      const steps = recipeSteps(declaration, variables, line, number, conditions);
      for (const rule of current) for (const step of steps) rule.steps.push(step);
      continue;
    }
    if (!/^\s*#/.test(line)) {
      const joined = line.replace(/\\\r?\n\s*/g, " ");
      if (setVariable(variables, joined)) continue;
      const colon = /^[^:=#\t]+:(?!:?=)/.exec(joined)?.[0];
      if (colon === undefined) continue;
      const targets = colon.slice(0, -1);
      const needs = joined.slice(colon.length).replace(/^:/, "");
      const [before = "", ...after] = needs.split(";");
      const commands = after.join(";");
      // A variable for one target.
      if (before.includes("=")) continue;
      current = expanded(targets, variables)
        .trim()
        .split(/\s+/)
        .map((target) => ({
          target,
          needs: expanded(before.replace(/#.*$/, ""), variables).trim().split(/\s+/),
          steps: recipeSteps(declaration, variables, commands, number, conditions),
        }));
      for (const rule of current) rules.push(rule);
    }
  }
  const alternatives = alternativesOf(rules);
  return { ...declaration, steps: alternatives[0]?.steps ?? [], alternatives };
}

/** What one line of a recipe installs. */
function recipeSteps(
  { file, unknown }: Declaration,
  variables: Map<string, string>,
  recipe: string,
  line: number,
  conditions: Conditions,
): DeclaredStep[] {
  if (recipe.trim() === "") return [];
  const prefix = /^\s*[@+-]*\s*/.exec(recipe)![0];
  const written = " ".repeat(prefix.length) + recipe.slice(prefix.length);
  const script = expanded(written, variables);
  const isAsWritten = script === written;
  return readShell(script, {
    variables: new Map(),
    place: (word) =>
      isAsWritten
        ? placeAt(file, line + word.line - 1, word.column + (word.line === 1 ? 1 : 0), word.text.length)
        : placeAt(file, line + word.line - 1),
    candidates: (path) => (path.includes("$") || path.startsWith("/") ? [] : [path]),
    project: (at, names) => filesUnder("", at, names),
    isOwnShell: true,
    conditions,
    tell: (place, reason) =>
      unknown.push({ subject: `${file}:${place.line}${place.column === undefined ? "" : `:${place.column}`}`, reason }),
  });
}

/** `ifeq` and its like: whether the branch that is read is taken, and whether one was. */
interface Branch {
  isTaken: boolean;
  isDone: boolean;
}

/** Whether a line is one of them; what its variables do not decide is asked. */
function takeDirective(branches: Branch[], line: string, variables: Map<string, string>, holds: (words: string) => boolean): boolean {
  const [, otherwise, kind, rest = ""] = /^(else\b)?\s*(?:(ifeq|ifneq|ifdef|ifndef|endif)\b(.*))?$/.exec(line.trim()) ?? [];
  const current = branches.at(-1);
  if (otherwise === undefined && kind === undefined) return false;
  if (kind === "endif") branches.pop();
  else if (otherwise !== undefined && current) {
    current.isTaken = !current.isDone && (kind === undefined || isSo(kind, rest.trim(), variables, holds));
    current.isDone ||= current.isTaken;
  } else if (kind !== undefined) {
    const isTaken = branches.every((each) => each.isTaken) && isSo(kind, rest.trim(), variables, holds);
    branches.push({ isTaken, isDone: isTaken });
  }
  return true;
}

function isSo(kind: string, rest: string, variables: Map<string, string>, holds: (words: string) => boolean): boolean {
  const isNegated = kind.startsWith("ifn");
  if (kind.endsWith("def")) {
    const value = variables.get(rest);
    return (value === undefined ? holds(`\`${rest}\` is set`) : value !== "") !== isNegated;
  }
  const [, one, other] = /^\(([^,]*),(.*)\)$/.exec(rest) ?? /^["']([^"']*)["']\s+["']([^"']*)["']$/.exec(rest) ?? [];
  const [left, right] = [one, other].map((each) => expanded((each ?? "$_").trim(), variables));
  const isKnown = !`${left}${right}`.includes("$");
  return (isKnown ? left === right : holds(`\`ifeq ${rest.slice(0, 90)}\` holds`)) !== isNegated;
}

/** `NAME := value` and its like. */
function setVariable(variables: Map<string, string>, line: string): boolean {
  const [, name, sign, rest] = /^\s*(?:export\s+|override\s+)*([\w.-]+)\s*(\?|\+|:{1,3}|!)?=(.*)$/.exec(line) ?? [];
  if (name === undefined) return false;
  const value = rest!.replace(/\s#.*$/, "").trim();
  const before = variables.get(name);
  const next = sign === "+" ? `${before ?? ""} ${value}` : value;
  if (sign === "!" || longest < next.length) variables.delete(name);
  else if (sign !== "?" || before === undefined) variables.set(name, sign?.startsWith(":") ? expanded(next, variables) : next);
  return true;
}

/** Text with make's variables put in, for the shell: `$$` is one sign, and what is not known stays a variable that nobody knows. */
function expanded(text: string, variables: Map<string, string>, above: string[] = []): string {
  if (!text.includes("$")) return text;
  let room = longest;
  return text.replace(/\$(?:\$|\(([^()$]*)\)|\{([^{}$]*)\}|\([^\n]*?\)|(.))/g, (whole, round?: string, curly?: string) => {
    if (whole === "$$") return "$";
    const name = round ?? curly;
    const value = name === undefined || above.includes(name) || 20 < above.length ? undefined : variables.get(name);
    const put = value === undefined ? undefined : expanded(value, variables, [...above, name!]);
    room -= put?.length ?? 0;
    return put === undefined || room < 0 ? "$_" : put;
  });
}

/** Targets that install something, each with what is made before it. */
function alternativesOf(rules: Rule[]): Alternative[] {
  const byName = new Map<string, Rule[]>();
  for (const rule of rules) {
    const known = byName.get(rule.target);
    if (known) known.push(rule);
    else byName.set(rule.target, [rule]);
  }
  let patience = 20_000;
  const stepsFor = (target: string, done: Set<string>): DeclaredStep[] => {
    patience -= 1;
    if (done.has(target) || patience < 0) return [];
    done.add(target);
    const own = byName.get(target) ?? [];
    return [...own.flatMap(({ needs }) => needs.flatMap((each) => stepsFor(each, done))), ...own.flatMap(({ steps }) => steps)];
  };
  return [...byName.keys()]
    .filter((target) => byName.get(target)!.some(({ steps }) => steps.some(({ kind }) => kind === "install")))
    .map((target) => ({ name: `target ${target}`, steps: stepsFor(target, new Set()) }));
}

function logicalLines(text: string): Logical[] {
  const lines = splitLines(text);
  const found: Logical[] = [];
  // One shell is given all lines of a recipe: https://www.gnu.org/software/make/manual/html_node/One-Shell.html
  const isOneShell = lines.some((line) => /^\.ONESHELL\s*:/.test(line));
  let recipe: { begin: number; next: number; parts: string[] } | undefined;
  const endRecipe = () => {
    if (recipe) found.push({ text: recipe.parts.join(""), line: recipe.begin, isRecipe: true });
    recipe = undefined;
  };
  let isDefining = false;
  for (let index = 0; index < lines.length; index += 1) {
    const first = lines[index]!;
    const line = index + 1;
    // What `define` holds is text for something else.
    if (/^\s*(?:define|endef)\b/.test(first)) isDefining = /^\s*define\b/.test(first);
    if (isDefining) continue;
    const parts = [first];
    while (parts.at(-1)!.endsWith("\\") && index + 1 < lines.length) parts.push(lines[(index += 1)]!);
    const isRecipe = first.startsWith("\t");
    const text = (isRecipe ? [first.slice(1), ...parts.slice(1)] : parts).join("\n");
    if (isOneShell && isRecipe && !/^\s*#/.test(first)) {
      // make takes its own signs off every line for such a shell.
      const own = recipe ? text.replace(/^\s*[@+-]+/, (signs) => " ".repeat(signs.length)) : text;
      recipe ??= { begin: line, next: line, parts: [] };
      recipe.parts.push("\n".repeat(line - recipe.next) + own);
      recipe.next = line + parts.length - 1;
      continue;
    }
    if (first.trim() === "") continue;
    endRecipe();
    found.push({ text, line, isRecipe });
  }
  endRecipe();
  return found;
}
