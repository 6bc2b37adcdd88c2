// Lines of start-up files that set a variable, and what they are without it. What is not understood is left alone.
import { quoted } from "../lib/shell.ts";
import type { VariableSource } from "../model/inventory.ts";
import type { Reach, Step } from "../model/fix.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Stack } from "../diagnose/stack.ts";
import {
  beginsBlock,
  endsBlock,
  goesOn,
  isComment,
  maySet,
  readAssignment,
  readSetting,
  variablesSetBy,
  withHome,
  withoutAssignment,
} from "../lib/shell-lines.ts";
import { readLine } from "../lib/shell-words.ts";
import { asShell, type ValueOf } from "../lib/shell-expansion.ts";
import { createWalker } from "../lib/walk.ts";
import type { Candidate } from "./fix.ts";
import { withText, withVariable } from "./simulate.ts";

/** The line with another value; undefined where it is not understood, or the value would mean something to a shell. */
export function withValue(text: string, name: string, value: string): string | undefined {
  const line = readAssignment(text, name);
  return line && /^[\w@%+=:,./-]+$/.test(value) ? `${line.head}${line.quote}${value}${line.quote}${line.tail}` : undefined;
}

/** Elements between the separators that stand outside of `${…}`. */
function elementsOf(value: string, separator: RegExp): { elements: string[]; separators: string[] } | undefined {
  const elements = [""];
  const separators: string[] = [];
  let depth = 0;
  for (const [index, letter] of [...value].entries()) {
    if (letter === "{" && value[index - 1] === "$") depth += 1;
    else if (letter === "}" && 0 < depth) depth -= 1;
    if (depth === 0 && separator.test(letter)) {
      elements.push("");
      separators.push(letter);
    } else elements[elements.length - 1] += letter;
  }
  return depth === 0 ? { elements, separators } : undefined;
}

/** Two ways to write one folder. */
export const plain = (path: string) => path.replace(/(?<=[^/]|^\/)(?<!\/\/)\/+$/, "");

/** What a part of a line is when a shell has read it; undefined where that is not known. */
export type Expand = (text: string) => string | undefined;

/**
 * The line without these elements of a list; empty when nothing is left that would change the variable, undefined when it names none of
 * them or is not understood.
 */
export const withoutElements = (text: string, name: string, unwanted: string[], separator?: RegExp, expand?: Expand) =>
  withElements(text, name, (each) => (unwanted.some((folder) => plain(each) === plain(folder)) ? "" : undefined), separator, expand);

/** The same, with others in their place: `other` gives what an element becomes, empty for nothing, undefined where it stays. */
export function withElements(
  text: string,
  name: string,
  other: (element: string) => string | undefined,
  separator = /:/,
  expand: Expand = (each) => each,
): string | undefined {
  const line = readSetting(text, name);
  const list = line && elementsOf(line.value, separator);
  // What is added without a separator goes on with the last element that was there.
  if (!line || !list || (line.adds && list.elements[0] !== "")) return undefined;
  const { elements, separators } = list;
  // `${NAME:+$NAME:}/opt/lib` and `/opt/lib${NAME:+:$NAME}`: the old value hangs on the first element, or on the last.
  const first = new RegExp(`^\\$\\{${name}:?\\+\\$(?:${name}|\\{${name}\\}):\\}`).exec(elements[0]!)?.[0] ?? "";
  elements[0] = elements[0]!.slice(first.length);
  const last = new RegExp(`\\$\\{${name}:?\\+.*\\}$`).exec(elements.at(-1)!)?.[0] ?? "";
  elements[elements.length - 1] = elements.at(-1)!.slice(0, elements.at(-1)!.length - last.length);
  const isOld = (each: string) => new RegExp(`^\\$(?:${name}|\\{${name}(?::?[-+].*)?\\})$`).test(each);
  const home = expand("$HOME");
  // Where nothing replaces a variable, nothing replaces `~`.
  const isPlain = line.isLiteral || home === "$HOME";
  const expanded = (each: string) => (isPlain || isOld(each) ? each : expand(withHome({ ...line, value: each }, home)));
  const become = elements.map((each, index) => (line.adds && index === 0 ? undefined : other(expanded(each) ?? each)));
  if (become.every((each) => each === undefined)) return undefined;
  const kept = elements.flatMap((each, index) =>
    become[index] === "" ? [] : [{ each: become[index] ?? each, before: separators[index - 1] ?? ":" }],
  );
  if (kept.every(({ each }) => each === "" || isOld(each))) return withoutAssignment(text, name);
  const value = kept.map(({ each, before }, index) => (index === 0 ? each : before + each)).join("");
  return `${line.head}${line.quote}${first}${value}${last}${line.quote}${line.tail}`;
}

/** Whether a line puts something into a list that only a shell can tell, and which may therefore be anything. */
export function isUnclear(text: string, name: string, expand: Expand): boolean {
  const line = readSetting(text, name);
  if (line?.isLiteral) return false;
  const own = new RegExp(`\\$(?:${name}\\b|\\{${name}(?::?[-+][^{}]*(?:\\{[^{}]*\\}[^{}]*)?)?\\})`, "g");
  const rest = (line?.value ?? text).replace(own, "");
  return line ? expand(withHome({ ...line, value: rest }, expand("$HOME"))) === undefined : /[$`]/.test(rest);
}

/**
 * Replaces `$NAME`, `${NAME}`, `${NAME:-…}` and `${NAME:+…}` as a shell would at a line of a file: by what was given plainly, and always
 * alike, in that file before the line or in files that are read earlier. Everything else is not known.
 */
export function expansionAt(stack: Stack, snapshot: Snapshot, source: VariableSource): Expand {
  const { file, line } = source;
  const order = [...new Set(stack.inventory.variables.flatMap((each) => (each.module === undefined ? each.file : [])))];
  const earlier = order.slice(0, Math.max(0, order.indexOf(file)));
  const own = textAt(snapshot, file)?.split("\n")[line - 1] ?? "";
  // The words of one `export` are all made before it; elsewhere, what a line sets first counts for the rest of it.
  const { commands } = readLine(own);
  const isMadeAtOnce = readAssignment(own, source.name) !== undefined && commands.length === 1 && commands[0]!.exports;
  const lines = [
    ...earlier.flatMap((each) => textAt(snapshot, each)?.split("\n") ?? []),
    ...(textAt(snapshot, file)?.split("\n") ?? []).slice(0, line - 1),
  ];
  /** undefined: not known; null: not set. */
  const valueOf = (name: string, depth: number): string | null | undefined => {
    const read = lines.filter((each) => maySet(each, name)).map((each) => readAssignment(each, name));
    const here = stack.variables[name];
    if (!isMadeAtOnce && maySet(own, name)) return undefined;
    // The home folder is set before any of these files is read.
    if (read.length === 0) return name === "HOME" ? here : here === undefined ? null : undefined;
    const values = read.map((each) => each && (each.isLiteral ? each.value : expanded(withHome(each, stack.variables["HOME"]), depth - 1)));
    return values.every((each) => each === values[0] && each === (here ?? each)) ? values[0] : undefined;
  };
  const expanded = (text: string, depth: number) =>
    depth < 0
      ? undefined
      : asShell(text, (name, isPlain) => {
          const value = valueOf(name, depth);
          return value === null && isPlain ? undefined : value;
        });
  // This file is no script: what reads it replaces nothing.
  if (file === "/etc/environment") return (text) => text;
  return (text) => expanded(text, 4);
}

/**
 * What a variable is in a new shell when some lines are changed; `known: false` where the lines as they are do not explain the value that
 * it has now, so that nothing can be said of it.
 */
export function valueAfter(
  stack: Stack,
  setters: { setter: VariableSource; expand: Expand; after: string }[],
  name: string,
): { known: false } | { known: true; value: string | undefined } {
  const run = (text: (setter: (typeof setters)[number]) => string) => {
    let value: string | null | undefined = null;
    for (const each of setters) {
      if (variablesSetBy(text(each)).every((set) => set.name !== name)) continue;
      const line = readSetting(text(each), name);
      const before: string | null = value;
      const own: ValueOf = (variable) => (variable === name ? before : each.expand(`\${${variable}}`));
      const given = line && (line.isLiteral ? line.value : asShell(withHome(line, stack.variables["HOME"]), own));
      if (given === undefined) return undefined;
      // The end of a line as Windows has it is a part of the value that stands before it.
      value = `${line?.adds ? (before ?? "") : ""}${given}${line?.tail === "\r" ? "\r" : ""}`;
    }
    return value;
  };
  const now = run(({ setter }) => setter.text);
  if (now === undefined || (now ?? "") !== (stack.variables[name] ?? "")) return { known: false };
  const after = run((each) => each.after);
  // Of a list, nothing is as good as none; of this one it hides every GPU.
  const isNone = after === null || (after === "" && name !== "CUDA_VISIBLE_DEVICES");
  return after === undefined ? { known: false } : { known: true, value: isNone ? undefined : after };
}

/** Changes of start-up files that belong together: where one line of them is left, the variable is as it was. */
export interface StartupChange {
  places: string[];
  files: string[];
  steps: Step[];
  commands: string[];
  simulate: (snapshot: Snapshot) => Snapshot;
}

/** Lines of start-up files; a module's file belongs to everybody, and is nobody's to change. */
export const startupSources = ({ inventory }: Stack, name: string): VariableSource[] =>
  inventory.variables.filter((source) => source.name === name && source.module === undefined);

/** One change of all these lines, or none where one of them cannot be changed safely. `change` gives the new line, empty to remove it. */
export function changeLines(
  snapshot: Snapshot,
  setters: VariableSource[],
  change: (setter: VariableSource) => string | undefined,
): StartupChange | undefined {
  if (setters.length === 0) return undefined;
  const made: StartupChange = { places: [], files: [], steps: [], commands: [], simulate: (given) => given };
  const texts = new Map<string, string[]>();
  // From the end of a file to its beginning: numbers of lines that are still to be changed stay true.
  for (const setter of setters.toSorted((a, b) => b.line - a.line)) {
    const { file, line, text } = setter;
    const lines = texts.get(file) ?? textAt(snapshot, file)?.split("\n");
    const changed = change(setter);
    if (!lines || changed === undefined || isContinued(lines, line)) return undefined;
    const after = changed === "" && isAloneInBlock(lines, line) ? ":" : changed;
    lines.splice(line - 1, 1, ...(after === "" ? [] : [`${/^\s*/.exec(lines[line - 1]!)![0]}${after.trimStart()}`]));
    texts.set(file, lines);
    made.places.unshift(`${file}:${line}`);
    made.steps.push({ do: "edit", file, line, before: text, ...(after === "" ? {} : { after }) });
    made.commands.push(condaCommand(snapshot, setter, after) ?? editCommand(snapshot, setter, after));
  }
  made.files = [...texts.keys()];
  made.simulate = (given) =>
    [...texts].reduce((facts, [file, lines]) => withText(facts, realPath(facts, file) ?? file, lines.join("\n")), given);
  return made;
}

function editCommand(snapshot: Snapshot, { file, line }: VariableSource, after: string): string {
  // By itself it would put a file in the place of a link; busybox has no such option, so it is there only where it matters.
  const sed = (realPath(snapshot, file) ?? file) === file ? "sed -i" : "sed -i --follow-symlinks";
  return `${sed} ${after === "" ? `${line}d` : quoted(`${line}c\\${after}`)} ${quoted(file)}`;
}

/** What conda keeps about an environment is changed by conda, where that is there; `--apply` writes the same itself. */
function condaCommand({ environment }: Snapshot, { file, name }: VariableSource, after: string): string | undefined {
  const conda = environment["CONDA_EXE"];
  if (!file.endsWith("/conda-meta/state") || conda === undefined) return undefined;
  const value = readAssignment(after, name)?.value;
  const change = value === undefined ? `unset ${name}` : `set ${quoted(`${name}=${value}`)}`;
  return `${quoted(conda)} env config vars ${change} -p ${quoted(file.slice(0, -"/conda-meta/state".length))}`;
}

/** What to know about a value that no file was found to set. */
export const comesBack = ({ target }: Snapshot, name: string): Pick<Candidate, "warning"> =>
  target.kind === "machine" || target.kind === "host"
    ? { warning: `no file that sets ${name} was found: the next shell has it again, unless it was only typed in this one` }
    : {};

/** Lines of start-up files changed for good: the same for every kind of change. */
export const lastingChange = (stack: Stack, change: StartupChange, title: string, name: string, value: string | undefined): Candidate => ({
  title: `${title}, ${change.places.join(" and ")}`,
  reach: reachOf(stack, change.files),
  safety: "safe",
  commands: change.commands,
  steps: change.steps,
  warning: [
    "shells that are open keep the old value",
    ...(change.files.some((file) => file.endsWith("/.envrc")) ? ["direnv wants `direnv allow` after the change"] : []),
    ...(change.files.some((file) => file.endsWith("/conda-meta/state")) ? ["it counts from the next `conda activate` on"] : []),
  ].join("; "),
  changes: change.files,
  variables: [value === undefined ? { name } : { name, value }],
  simulate: (given) => withVariable(change.simulate(given), name, value),
});

export function reachOf({ environments }: Stack, files: string[]): Reach {
  if (files.some((file) => file.startsWith("/etc/") || file.startsWith("/usr/"))) return "machine";
  const isOfEnvironment = (file: string) => environments.some(({ prefix }) => prefix !== "/usr" && file.startsWith(`${prefix}/`));
  return files.every(isOfEnvironment) ? "environment" : "user";
}

/** A line that goes on, or that an earlier one goes on with, is only a part of what a shell reads. */
function isContinued(lines: string[], line: number): boolean {
  return [lines[line - 2], lines[line - 1]].some((each) => each !== undefined && goesOn(each));
}

/** A shell does not accept `if …; then` with nothing up to `fi`. */
function isAloneInBlock(lines: string[], line: number): boolean {
  const says = (each: string) => each.trim() !== "" && !isComment(each);
  const before = lines.slice(0, line - 1).findLast(says) ?? "";
  const after = lines.slice(line).find(says) ?? "";
  return beginsBlock(before) && endsBlock(after);
}

function realPath(snapshot: Snapshot, file: string): string | undefined {
  const walked = createWalker((path) => snapshot.files[path], { kind: "folder" } as Snapshot["files"][string])(file);
  return "found" in walked ? walked.found : undefined;
}

export function textAt(snapshot: Snapshot, file: string): string | undefined {
  const fact = snapshot.files[realPath(snapshot, file) ?? file];
  return fact?.kind === "file" ? fact.text : undefined;
}
