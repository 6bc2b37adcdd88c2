import { parseArgs, type ParseArgsConfig } from "node:util";

/** Bad usage, or a server that says no: one sentence for the user, exit code 2. */
export class UsageError extends Error {}

export interface Option {
  name: string;
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
  examples: { line: string; asks: string }[];
  run: (input: Input) => Promise<number>;
}

export interface Input {
  words: string[];
  options: { [name: string]: string | boolean | string[] | undefined };
}

export const json: Option = { name: "json", help: "print one JSON document and nothing else" };
export const group: Option = { name: "group", value: "GROUP", help: "only nodes that were pushed with this group" };

export function parse(command: Command, argv: string[]): Input {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const { name, value, multiple } of command.options)
    options[name] = { type: value === undefined ? "boolean" : "string", ...(multiple ? { multiple } : {}) };
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    return { words: positionals, options: values as Input["options"] };
  } catch (error) {
    const [reason] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(`${reason!.replaceAll("'", "`")}; \`culprit-fleet ${command.name} --help\` lists the options`);
  }
}

export const text = ({ options }: Input, name: string): string | undefined => {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
};
export const texts = ({ options }: Input, name: string): string[] => {
  const value = options[name];
  return Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
};
export const flag = ({ options }: Input, name: string): boolean => options[name] === true;

export function wholeNumber(input: Input, name: string, usual: number, most = 65_535, least = 0): number {
  const given = text(input, name);
  if (given === undefined) return usual;
  const value = Number(given);
  if (!/^\d{1,9}$/.test(given) || value < least || most < value)
    throw new UsageError(`\`--${name} ${given}\` is not a number from ${least} to ${most}`);
  return value;
}
