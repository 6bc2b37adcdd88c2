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

const setting =
  /^\s*(?:export\s+|setenv\s+|declare\s+-x\s+)?(LD_LIBRARY_PATH|LD_PRELOAD|LD_AUDIT|CUDA_HOME|CUDA_PATH|CUDA_ROOT|CUDA_VISIBLE_DEVICES|CUDA_INJECTION64_PATH|NVTX_INJECTION64_PATH|NVIDIA_VISIBLE_DEVICES|PYTHONPATH|XLA_FLAGS|TF_[A-Z_]+|PYTORCH_[A-Z_]+)(?:\+?=|\s)/;

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
