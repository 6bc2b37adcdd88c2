// https://www.gnu.org/software/make/manual/make.html
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readCommands } from "../shell.ts";
import { stepsOf } from "../commands.ts";
import { defineFormat, endsWith } from "../format.ts";
import { placeAt, splitLines } from "../lines.ts";

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
function readMakefile(text: string, file: string): Declaration {
  const declaration: Declaration = { format: "makefile", file, steps: [], unknown: [] };
  const variables = new Map<string, string>();
  const rules: Rule[] = [];
  let current: Rule[] = [];
  // Within `ifeq` nobody knows what is done.
  let depth = 0;
  for (const { text: line, line: number, isRecipe } of logicalLines(text)) {
    if (isRecipe) {
      const steps = recipeSteps(declaration, variables, line, number, 0 < depth);
      for (const rule of current) for (const step of steps) rule.steps.push(step);
      continue;
    }
    const [, directive] = /^\s*(ifeq|ifneq|ifdef|ifndef|endif)\b/.exec(line) ?? [];
    if (directive !== undefined) depth = Math.max(0, depth + (directive === "endif" ? -1 : 1));
    else if (!/^\s*(?:else|#)/.test(line)) {
      const joined = line.replace(/\\\r?\n\s*/g, " ");
      if (setVariable(variables, joined, 0 < depth)) continue;
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
          steps: recipeSteps(declaration, variables, commands, number, 0 < depth),
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
  doubtful: boolean,
): DeclaredStep[] {
  if (recipe.trim() === "") return [];
  const prefix = /^\s*[@+-]*\s*/.exec(recipe)![0];
  const written = " ".repeat(prefix.length) + recipe.slice(prefix.length);
  const script = expanded(written, variables);
  const isAsWritten = script === written;
  const local = new Map<string, string>();
  return readCommands(script, local).flatMap((words) =>
    stepsOf(
      words,
      {
        variables: local,
        place: (word) =>
          isAsWritten
            ? placeAt(file, line + word.line - 1, word.column + (word.line === 1 ? 1 : 0), word.text.length)
            : placeAt(file, line + word.line - 1),
        candidates: (path) => (path.includes("$") || path.startsWith("/") ? [] : [path]),
        isOwnShell: true,
        tell: (place, reason) =>
          unknown.push({ subject: `${file}:${place.line}${place.column === undefined ? "" : `:${place.column}`}`, reason }),
      },
      doubtful || words.some(({ isConditional }) => isConditional),
    ),
  );
}

/** `NAME := value` and its like; what a condition decides is not known. */
function setVariable(variables: Map<string, string>, line: string, doubtful: boolean): boolean {
  const [, name, sign, rest] = /^\s*(?:export\s+|override\s+)*([\w.-]+)\s*(\?|\+|:{1,3}|!)?=(.*)$/.exec(line) ?? [];
  if (name === undefined) return false;
  const value = rest!.replace(/\s#.*$/, "").trim();
  const before = variables.get(name);
  const next = sign === "+" ? `${before ?? ""} ${value}` : value;
  if (doubtful || sign === "!" || longest < next.length) variables.delete(name);
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
    found.push({ text: (isRecipe ? [first.slice(1), ...parts.slice(1)] : parts).join("\n"), line, isRecipe });
  }
  return found;
}
