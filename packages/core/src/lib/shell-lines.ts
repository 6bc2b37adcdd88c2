// How lines of shell start-up files are read: by whoever finds them, changes them, or takes away what does not matter.

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
  ".config/environment.d",
];

export const variablesThatMatter = [
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

const setting = new RegExp(
  `^\\s*(?:export\\s+|setenv\\s+|declare\\s+-x\\s+)?(${variablesThatMatter.join("|")}|TF_[A-Z_]+|PYTORCH_[A-Z_]+)(?:\\+?=|\\s)`,
);

/** The variable that decides loading and that a line begins with setting; `head` goes up to its value. */
export function variableSetBy(line: string): { name: string; head: string } | undefined {
  const found = setting.exec(line);
  return found ? { name: found[1]!, head: found[0] } : undefined;
}

export interface Assignment {
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

/** Whether a line may give a variable a value, or take it away, wherever in the line that stands. */
export const maySet = (line: string, name: string): boolean =>
  line.includes(name) &&
  new RegExp(`(?:^|[\\s;&|(])(?:${name}\\+?=|(?:unset|read|setenv)\\s[^;]*\\b${name}\\b)`).test(line) &&
  !isComment(line);

export const isComment = (line: string): boolean => /^\s*#/.test(line);

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
  const rest = isComment(line!) ? "#" : partsThatMatter(line!, [...names]);
  // What a change of a neighbouring line depends on: whether a block begins or ends here, and whether the line goes on.
  const closed = endsBlock(line!) && !endsBlock(rest) ? `${/^\s*(fi|done|else|elif|\}|\))/.exec(line!)![1]} ${rest}` : rest;
  const opened = beginsBlock(line!) && !beginsBlock(closed) ? `${closed} # then` : closed;
  return `${opened}${goesOn(line!) && !goesOn(opened) ? (isPlain(opened, [...names]) ? " # \\" : " \\") : ""}${end}`;
}

const isPlain = (line: string, names: string[]) => names.some((name) => readAssignment(line, name) !== undefined);

function partsThatMatter(line: string, names: string[]): string {
  for (const name of names) {
    const read = readAssignment(line, name);
    // What was said about it is no part of it.
    if (!read) continue;
    if (!read.tail.includes("#")) return line;
    const bare = `${read.head}${read.quote}${read.value}${read.quote}${read.tail.replace(/(?<!\s)\s*#.*/s, "")}`;
    return readAssignment(bare.trim(), name) ? bare : `${bare} #`;
  }
  const set = variableSetBy(line);
  if (set) {
    const behind = line.slice(set.head.length);
    // `export NAME OTHER=…` gives this one no value.
    const { value, rest } = /=$|^\s*setenv\s/.test(set.head) ? firstWord(behind) : { value: "", rest: behind };
    const isMore = rest.trim() !== "" && !/^\s+#/.test(rest);
    const references = [...rest.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name]) => ` $${name}`).join("");
    const short = `${set.head}${value}${isMore ? ` ${away}${references}${/[`]|\$\(/.test(rest) ? " $(…)" : ""}` : ""}`;
    // What was not understood must not look as if it were.
    return readAssignment(short, set.name) ? `${short} ${away}` : short;
  }
  const others = names.filter((name) => maySet(line, name));
  return others.length === 0 ? away : `${away}; ${others.map((name) => `${name}=${away}`).join("; ")}`;
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

function closingBracket(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** Lines that set variables, with nothing else in them. */
export function reducedSources<T extends { name: string; text: string }>(sources: T[]): T[] {
  const names = sources.map(({ name }) => name).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  return sources.map((source) => ({
    ...source,
    text: source.name === "ld.so.conf" ? source.text.replace(/(?<!\s)\s*#.*/, "") : reducedLine(source.text, names),
  }));
}
