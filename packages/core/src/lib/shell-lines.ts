// How lines of shell start-up files are read: by whoever finds them, changes them, or takes away what does not matter.
import { closingBracket, readLine, type LineAssignment } from "./shell-words.ts";

/** Files that shells read when they start, beside those of the folders below. */
export const systemStartupFiles = [
  "/etc/environment",
  "/etc/profile",
  "/etc/bash.bashrc",
  "/etc/bashrc",
  "/etc/zsh/zshenv",
  "/etc/zsh/zshrc",
  "/etc/zshenv",
  "/etc/zshrc",
];
export const startupFolders = ["/etc/profile.d", "/etc/environment.d", "/usr/lib/environment.d"];
export const homeStartupFiles = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".pam_environment",
];
/** Below the home, as `startupFolders`. */
export const homeStartupFolders = [".config/environment.d"];

/** Each names the very file, or the release, that one program loads. */
export const choosingVariables = [
  "BNB_CUDA_VERSION",
  "NUMBA_CUDA_DRIVER",
  "TRITON_CUPTI_LIB_PATH",
  "TRITON_PTXAS_PATH",
  "TRITON_LIBCUDA_PATH",
];

export const variablesThatMatter = [
  ...choosingVariables,
  "LD_LIBRARY_PATH",
  "LD_PRELOAD",
  "LD_AUDIT",
  "CUDA_HOME",
  "CUDA_PATH",
  "CUDA_ROOT",
  "CUDA_VISIBLE_DEVICES",
  "CUDA_INJECTION64_PATH",
  "NVTX_INJECTION64_PATH",
  "NVIDIA_VISIBLE_DEVICES",
  "PYTHONPATH",
  "XLA_FLAGS",
];

const mattering = new RegExp(`^(?:${variablesThatMatter.join("|")}|TF_[A-Z_]+|PYTORCH_[A-Z_]+)$`);

/** Variables that decide loading and that a line gives a value, or adds to; `head` goes up to the value. Not those of a single command. */
export function variablesSetBy(line: string): { name: string; head: string }[] {
  const stored = [...line.matchAll(storedVariable)].flatMap(({ 1: name, 2: value }) =>
    mattering.test(name!) && value !== unsetByConda ? [{ name: name!, head: "" }] : [],
  );
  if (0 < stored.length) return stored;
  return readLine(line).commands.flatMap(({ assignments }) =>
    assignments.flatMap(({ name, valueStart, hasValue }) =>
      hasValue && mattering.test(name) ? [{ name, head: line.slice(0, valueStart) }] : [],
    ),
  );
}

export interface Assignment {
  head: string;
  quote: string;
  value: string;
  tail: string;
  /** Nothing in it is replaced: `$HOME` stays as it is. */
  isLiteral: boolean;
  /** `NAME+=…`: it goes behind the value that was there. */
  adds?: true;
  /** `[ -d … ] && NAME=…`: only where a test holds. */
  isGuarded?: true;
}

// `conda env config vars set` writes JSON, and of a variable that was unset again what stands here.
const storedVariable = /"([A-Za-z_]\w*)"\s*:\s*"([^"\\]*)"/g;
const unsetByConda = "***unset***";
const isStored = (text: string) => /^\s*[{"]/.test(text) && /"\s*:/.test(text);

/**
 * The one plain value that a line gives a variable, and nothing but values to others. Commands, substitutions and escapes are not
 * understood, nor is a line that gives two.
 */
export function readAssignment(text: string, name: string): Assignment | undefined {
  const read = readSetting(text, name);
  return read?.adds || read?.isGuarded ? undefined : read;
}

// It does nothing but ask: without what it guards, it is not needed.
const guardBefore = /^\s*(?:\[\[? [^;&|`()<>]* \]\]?|test [^;&|`()<>]*?)\s*&&\s*/;

/** The same, or what it adds to the value that was there, or gives it only where a test holds. */
export function readSetting(text: string, name: string): Assignment | undefined {
  if (isStored(text)) return readStored(text, name);
  const guard = guardBefore.exec(text)?.[0];
  if (guard !== undefined) {
    const read = readSetting(text.slice(guard.length), name);
    // Only what stands before the next `;` is guarded.
    return read && readLine(text.slice(guard.length)).commands.length === 1
      ? { ...read, head: guard + read.head, isGuarded: true }
      : undefined;
  }
  const found = assignmentIn(text, name);
  if (!found) return undefined;
  const word = text.slice(found.valueStart, found.end);
  const [, double, single, bare] = /^(?:"([^"`\\]*)"|'([^']*)'|([^\s"'`\\;&|<>()#]*))$/.exec(word) ?? [];
  const value = double ?? single ?? bare;
  if (value === undefined || (single === undefined && value.includes("$("))) return undefined;
  const quote = double !== undefined ? '"' : single !== undefined ? "'" : "";
  const adds = found.adds ? { adds: true as const } : {};
  return { head: text.slice(0, found.valueStart), quote, value, tail: text.slice(found.end), isLiteral: quote === "'", ...adds };
}

/** The value with the home folder where an unquoted one begins with `~`, or an element of it does; `$~` where that is not known. */
export const withHome = ({ quote, value }: Assignment, home: string | undefined): string =>
  quote === "" ? value.replace(/(^|:)~(?=\/|:|$)/g, (_, before: string) => before + (home ?? "$~")) : value;

function assignmentIn(text: string, name: string): LineAssignment | undefined {
  const { commands, isPlain } = readLine(text);
  const found = commands.flatMap(({ assignments }) => assignments.filter((each) => each.name === name && each.hasValue));
  return isPlain && found.length === 1 && commands.every(isUnderstood) ? found[0] : undefined;
}

// csh's `setenv` stands alone.
const isUnderstood = ({ assignments }: { assignments: LineAssignment[] }) =>
  assignments.every(({ isPlain, adds, hasValue }) => isPlain || adds || !hasValue);

function readStored(text: string, name: string): Assignment | undefined {
  const found = [...text.matchAll(storedVariable)].filter(({ 1: key, 2: value }) => key === name && value !== unsetByConda);
  if (found.length !== 1) return undefined;
  const [whole, , value] = found[0]!;
  const end = found[0]!.index + whole.length;
  return { head: text.slice(0, end - value!.length - 2), quote: '"', value: value!, tail: text.slice(end), isLiteral: true };
}

/** The line without what it gives a variable; empty when nothing is left, undefined where it is not understood. */
export function withoutAssignment(text: string, name: string): string | undefined {
  const stored = isStored(text) ? readStored(text, name) : undefined;
  if (stored) return `${stored.head}"${unsetByConda}"${stored.tail}`;
  const guard = readSetting(text, name)?.isGuarded && guardBefore.exec(text)?.[0];
  if (guard) {
    const rest = withoutAssignment(text.slice(guard.length), name);
    return rest ? guard + rest : rest;
  }
  const found = readSetting(text, name) && assignmentIn(text, name);
  if (!found) return undefined;
  const { commands } = readLine(text);
  const command = commands[found.command]!;
  const cut = (start: number, end: number) => text.slice(0, start) + text.slice(end);
  if (1 < command.assignments.length) {
    const behind = /^\s*/.exec(text.slice(found.end))![0].length;
    return found.end + behind < command.end ? cut(found.start, found.end + behind) : cut(found.start - 1, found.end).trimEnd();
  }
  if (commands.length === 1) return "";
  const next = commands[found.command + 1];
  return next ? cut(command.start, next.start) : cut(commands[found.command - 1]!.end, command.end);
}

/** Whether a line may give a variable a value, or take it away, wherever in the line that stands. */
export const maySet = (line: string, name: string): boolean =>
  line.includes(name) &&
  new RegExp(`(?:^|[\\s;&|(])(?:${name}\\+?=|(?:unset|read|setenv)\\s[^;]*\\b${name}\\b)`).test(line) &&
  !isComment(line);

export const isComment = (line: string): boolean => /^\s*#/.test(line);

// `<<<` is a word, and within `((…))` it moves bits.
const documentBegin = /(?<![<\d])<<(-?)[ \t]*(?:'([^']+)'|"([^"]+)"|\\?([A-Za-z_][\w.-]*))/;

/** For each line of a script, whether it is part of a document that the script holds: text, and no command. */
export function linesOfDocuments(lines: string[]): boolean[] {
  const inside = lines.map(() => false);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const [, tabs, ...words] = isComment(line) || line.includes("((") ? [] : (documentBegin.exec(line) ?? []);
    const word = words.find((each) => each !== undefined);
    if (word === undefined) continue;
    const end = lines.findIndex((each, index) => at < index && (tabs === "" ? each : each.replace(/^\t+/, "")).replace(/\r$/, "") === word);
    // Without its end it is something that is not understood.
    if (end < 0) continue;
    inside.fill(true, at + 1, end + 1);
    at = end;
  }
  return inside;
}

/** A line that goes on with the next. */
export const goesOn = (line: string): boolean => /\\\r?$/.test(line);

/** A line behind which a block begins, and one with which a block ends. */
export const beginsBlock = (line: string): boolean => /(^|[\s;])(then|do|else|\{)\s*(#.*)?$|\(\s*$/.test(line);
export const endsBlock = (line: string): boolean => /^\s*(fi|done|else|elif|\}|\))(?![\w-])/.test(line);

/** What stands for something that was taken away. */
export const away = "…";

/** One line of a start-up file, with nothing left that does not matter. */
export function reducedLine(whole: string, names: Iterable<string>): string {
  const [, line, end] = /^(.*?)(\r?)$/s.exec(whole)!;
  if (line!.trim() === "") return whole;
  if (isOnlyFlow(line!)) return whole;
  const rest = isComment(line!) ? "#" : `${partsThatMatter(line!, [...names])}${line!.includes("<<") ? " <<" : ""}`;
  // What a change of a neighbouring line depends on: whether a block begins or ends here, and whether the line goes on.
  const closed = endsBlock(line!) && !endsBlock(rest) ? `${/^\s*(fi|done|else|elif|\}|\))/.exec(line!)![1]} ${rest}` : rest;
  const opened = beginsBlock(line!) && !beginsBlock(closed) ? `${closed} # then` : closed;
  return `${opened}${goesOn(line!) && !goesOn(opened) ? (isPlain(opened, [...names]) ? " # \\" : " \\") : ""}${end}`;
}

// What is run, and what is read in: tests of files and of the shell itself, and names of files.
const test = String.raw`\[\[? -[defrsnz] ["$\w/.~{}:-]+ \]\]?`;
const flow = new RegExp(
  String.raw`^\s*(?:(?:if ${test}(?: && ${test})*(?:; then)?|then|else|fi|(?:${test} && )?return(?: 0)?)|(?:${test} && |if ${test}; then )?(?:\.|source) ["$\w/.~{}-]+(?:; fi)?)\s*$`,
);
const isOnlyFlow = (line: string): boolean => flow.test(line);

const isPlain = (line: string, names: string[]) => names.some((name) => readSetting(line, name) !== undefined);

function partsThatMatter(line: string, names: string[]): string {
  if (isStored(line)) return storedThatMatter(line, names);
  for (const name of names) {
    const read = readSetting(line, name);
    if (!read) continue;
    // What is asked before it is nobody's business; that something is asked stays.
    const guard = read.isGuarded ? guardBefore.exec(line)![0] : "";
    const before = guard === "" ? "" : `${/^\s*/.exec(guard)![0]}[ ${away} ] && `;
    const bare = before + assignmentsThatMatter(line.slice(guard.length), names);
    return readSetting(bare.trim(), name) ? bare : `${bare} #`;
  }
  const set = variablesSetBy(line);
  if (set.length === 1 && /^\s*(?:export\s+|setenv\s+|declare\s+-x\s+)?\w+(?:\+?=|\s+)$/.test(set[0]!.head))
    return firstThatMatters(line, set[0]!);
  if (0 < set.length)
    return set.map(({ name, head }) => `${away} && export ${name}=${firstWord(line.slice(head.length)).value}`).join("; ");
  const others = names.filter((name) => maySet(line, name));
  // Before a command: it may set them, and nobody can tell.
  return [...others.map((name) => `${name}=${away}`), away].join(" ");
}

/** A line that begins with setting a variable, and goes on. */
function firstThatMatters(line: string, set: { name: string; head: string }): string {
  const { value, rest } = firstWord(line.slice(set.head.length));
  const isMore = rest.trim() !== "" && !/^\s+#/.test(rest);
  const references = [...rest.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name]) => ` $${name}`).join("");
  const short = `${set.head}${value}${isMore ? ` ; ${away}${references}${/[`]|\$\(/.test(rest) ? " $(…)" : ""}` : ""}`;
  // What was not understood must not look as if it were.
  return readAssignment(short, set.name) ? `${short} ; ${away}` : short;
}

/** A line of assignments: what others are given, and what was said about it, is no part of it. */
function assignmentsThatMatter(line: string, names: string[]): string {
  const { commands, comment } = readLine(line);
  let made = comment === undefined ? line : line.slice(0, comment).replace(/(?<=\S)\s+$/, "");
  for (const { name, valueStart, end, hasValue } of commands.flatMap(({ assignments }) => assignments).toReversed()) {
    const kept = names.includes(name) ? firstWord(line.slice(valueStart, end)).value : away;
    if (hasValue) made = made.slice(0, valueStart) + kept + made.slice(end);
  }
  return made;
}

/** Of what conda keeps about an environment, the variables that matter. */
function storedThatMatter(line: string, names: string[]): string {
  const kept = [...line.matchAll(storedVariable)].filter(({ 1: name }) => names.includes(name!));
  return kept.length === 0 ? away : `{"env_vars": {${kept.map(([whole]) => whole).join(", ")}}}`;
}

/** The value as a shell reads it, up to where the word ends; what a command in it is like is nobody's business. */
function firstWord(text: string): { value: string; rest: string } {
  let value = "";
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (quote === "'") quote = letter === "'" ? "" : quote;
    else if (letter === "\\") {
      value += text.slice(at, at + 2);
      at += 1;
      continue;
    } else if (letter === "`" || text.startsWith("$(", at)) {
      const close = letter === "`" ? text.indexOf("`", at + 1) : closingBracket(text, at + 1);
      value += letter === "`" ? `\`${away}\`` : `$(${away})`;
      if (close < 0) return { value, rest: "" };
      at = close;
      continue;
    } else if (letter === '"') quote = quote === '"' ? "" : '"';
    else if (quote === "" && letter === "'") quote = "'";
    else if (quote === "" && /[\s;&|<>()]/.test(letter)) return { value, rest: text.slice(at) };
    value += letter;
  }
  return { value, rest: "" };
}

/** Lines that set variables, with nothing else in them. */
export function reducedSources<T extends { name: string; text: string }>(sources: T[]): T[] {
  const names = sources.map(({ name }) => name).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  return sources.map((source) => ({
    ...source,
    text: source.name === "ld.so.conf" ? source.text.replace(/(?<!\s)\s*#.*/, "") : reducedLine(source.text, names),
  }));
}
