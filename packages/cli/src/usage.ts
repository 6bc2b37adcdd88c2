/** One line of help and one entry for the parser, from the same table. */
export interface Option {
  name: string;
  short?: string;
  /** What stands after it; absent for a switch. */
  value?: string;
  multiple?: boolean;
  help: string;
}

export interface Command {
  name: string;
  usage: string;
  summary: string;
  details?: string;
  options: Option[];
  run: () => Promise<{ run: (input: Input) => Promise<number> }>;
}

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
