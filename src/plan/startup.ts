// Lines of start-up files that set a variable, and what they are without it. What is not understood is left alone.
import type { VariableSource } from "../model/inventory.ts";
import type { Reach, Step } from "../model/fix.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Stack } from "../diagnose/stack.ts";
import { createWalker } from "../lib/walk.ts";
import { withText } from "./simulate.ts";

interface Assignment {
  head: string;
  quote: string;
  value: string;
  tail: string;
}

/** A line that does nothing but give a variable one plain value. Commands, substitutions, escapes and second assignments are not. */
export function readAssignment(text: string, name: string): Assignment | undefined {
  const line = new RegExp(
    `^(\\s*(?:(?:(?:export|declare\\s+-x|typeset\\s+-x)\\s+)?${name}=|setenv\\s+${name}\\s+))` +
      `(?:"([^"\`\\\\]*)"|'([^']*)'|([^\\s"'\`\\\\;&|<>()#]*))(\\s*;?\\s*|\\s+#.*)$`,
  ).exec(text);
  if (!line) return undefined;
  const [, head, double, single, bare, tail] = line;
  const value = double ?? single ?? bare ?? "";
  if (single === undefined && value.includes("$(")) return undefined;
  return { head: head!, quote: double !== undefined ? '"' : single !== undefined ? "'" : "", value, tail: tail! };
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

const plain = (path: string) => path.replace(/(?<=.)\/+$/, "");

/**
 * The line without that element of a list; empty when nothing is left that would change the variable, undefined when it does not name the
 * element or is not understood.
 */
export function withoutElement(text: string, name: string, element: string, separator = /:/): string | undefined {
  const line = readAssignment(text, name);
  const list = line && elementsOf(line.value, separator);
  if (!line || !list) return undefined;
  const { elements, separators } = list;
  // `/opt/lib${NAME:+:$NAME}`: the old value hangs on the last element.
  const inherited = new RegExp(`\\$\\{${name}:?\\+.*\\}$`);
  const rest = inherited.exec(elements.at(-1)!)?.[0] ?? "";
  elements[elements.length - 1] = elements.at(-1)!.slice(0, elements.at(-1)!.length - rest.length);
  const isOld = (each: string) => new RegExp(`^\\$(?:${name}|\\{${name}(?::?[-+].*)?\\})$`).test(each);
  const isGuilty = (each: string) => plain(each) === plain(element);
  if (!elements.some(isGuilty)) return undefined;
  const kept = elements.flatMap((each, index) => (isGuilty(each) ? [] : [{ each, before: separators[index - 1] ?? ":" }]));
  if (kept.every(({ each }) => each === "" || isOld(each))) return "";
  const value = kept.map(({ each, before }, index) => (index === 0 ? each : before + each)).join("");
  return `${line.head}${line.quote}${value}${rest}${line.quote}${line.tail}`;
}

/** Changes of start-up files that belong together: where one line of them is left, the variable is as it was. */
export interface StartupChange {
  places: string[];
  files: string[];
  steps: Step[];
  commands: string[];
  simulate: (snapshot: Snapshot) => Snapshot;
}

/** One change of all these lines, or none where one of them cannot be changed safely. `change` gives the new line, empty to remove it. */
export function changeLines(
  snapshot: Snapshot,
  setters: VariableSource[],
  change: (text: string) => string | undefined,
): StartupChange | undefined {
  if (setters.length === 0) return undefined;
  const made: StartupChange = { places: [], files: [], steps: [], commands: [], simulate: (given) => given };
  const texts = new Map<string, string[]>();
  // From the end of a file to its beginning: numbers of lines that are still to be changed stay true.
  for (const { file, line, text } of setters.toSorted((a, b) => b.line - a.line)) {
    const lines = texts.get(file) ?? textAt(snapshot, file)?.split("\n");
    const changed = change(text);
    if (!lines || changed === undefined || isContinued(lines, line)) return undefined;
    const after = changed === "" && isAloneInBlock(lines, line) ? ":" : changed;
    lines.splice(line - 1, 1, ...(after === "" ? [] : [`${/^\s*/.exec(lines[line - 1]!)![0]}${after.trimStart()}`]));
    texts.set(file, lines);
    made.places.unshift(`${file}:${line}`);
    made.steps.push({ do: "edit", file, line, before: text, ...(after === "" ? {} : { after }) });
    made.commands.push(after === "" ? `sed -i ${line}d ${quoted(file)}` : `sed -i ${quoted(`${line}c\\${after}`)} ${quoted(file)}`);
  }
  made.files = [...texts.keys()];
  made.simulate = (given) =>
    [...texts].reduce((facts, [file, lines]) => withText(facts, realPath(facts, file) ?? file, lines.join("\n")), given);
  return made;
}

/** How far the change of some files goes. */
export function reachOf({ environments }: Stack, files: string[]): Reach {
  if (files.some((file) => file.startsWith("/etc/") || file.startsWith("/usr/"))) return "machine";
  const isOfEnvironment = (file: string) => environments.some(({ prefix }) => prefix !== "/usr" && file.startsWith(`${prefix}/`));
  return files.every(isOfEnvironment) ? "environment" : "user";
}

/** A line that goes on, or that an earlier one goes on with, is only a part of what a shell reads. */
function isContinued(lines: string[], line: number): boolean {
  return [lines[line - 2], lines[line - 1]].some((each) => each !== undefined && /\\\r?$/.test(each));
}

/** A shell does not accept `if …; then` with nothing up to `fi`. */
function isAloneInBlock(lines: string[], line: number): boolean {
  const says = (each: string) => each.trim() !== "" && !each.trim().startsWith("#");
  const before = lines.slice(0, line - 1).findLast(says) ?? "";
  const after = lines.slice(line).find(says) ?? "";
  return /(^|[\s;])(then|do|else|\{)\s*(#.*)?$|\(\s*$/.test(before) && /^\s*(fi|done|else|elif|\}|\))(?![\w-])/.test(after);
}

function realPath(snapshot: Snapshot, file: string): string | undefined {
  const walked = createWalker((path) => snapshot.files[path], { kind: "folder" } as Snapshot["files"][string])(file);
  return "found" in walked ? walked.found : undefined;
}

function textAt(snapshot: Snapshot, file: string): string | undefined {
  const fact = snapshot.files[realPath(snapshot, file) ?? file];
  return fact?.kind === "file" ? fact.text : undefined;
}

export const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
