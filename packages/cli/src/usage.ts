/** One line of help and one entry for the parser, from the same table. */
export interface Option {
  name: string;
  short?: string;
  /** What stands after it; absent for a switch. */
  value?: string;
  multiple?: boolean;
  /** All that its value may be, where these are few; several with commas where `value` ends so. */
  choices?: readonly string[];
  help: string;
}

/** What a shell offers for a word. */
export type WordKind = "file" | "framework" | "rule" | "shell" | "program";

export interface Command {
  name: string;
  usage: string;
  /** What its words are. */
  words: WordKind[];
  summary: string;
  details?: string;
  options: Option[];
  /** What 0 and 1 mean; 2 is the same everywhere. */
  exits: { 0: string; 1: string } | { words: string };
  /** Lines that work when they are typed, and what each asks. */
  examples: { line: string; asks: string }[];
  run: () => Promise<{ run: (input: Input) => Promise<number> }>;
}

/** Options that every command takes. */
export const everywhere: Option[] = [
  { name: "quiet", short: "q", help: "print errors only, one on a line, and nothing where there is none; the exit code tells the rest" },
  {
    name: "color",
    value: "WHEN",
    choices: ["always", "never", "auto"],
    help: "always, never or auto: where a person looks, unless NO_COLOR or FORCE_COLOR says otherwise",
  },
  {
    name: "knowledge",
    value: "FILE",
    help: "answer with newer knowledge than this program's own (`culprit --version` tells its day); checked before it is used",
  },
  { name: "help", short: "h", help: "this text" },
];

/** What a command gets: words and options, already checked against its table. */
export interface Input {
  words: string[];
  options: { [name: string]: string | boolean | string[] | undefined };
}

/** Bad usage or an unusable input: one sentence for the user, exit code 2. */
export class UsageError extends Error {}

export const text = (input: Input, name: string): string | undefined => {
  const value = input.options[name];
  return typeof value === "string" ? value : undefined;
};
export const texts = (input: Input, name: string): string[] => {
  const value = input.options[name];
  return Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
};
export const flag = (input: Input, name: string): boolean => input.options[name] === true;
