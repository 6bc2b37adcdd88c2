// What an agent gives a tool, and the command line that it means. An agent may have read its words in a log: none of them can become an
// option, and the options that write files or run programs are not among those that it has.
import { UsageError, type Command, type Option } from "../usage.ts";
import type { Given, Shape, Tool } from "./tool.ts";

export interface Asked {
  [name: string]: unknown;
}

/** The form of what a tool is given, from the table of commands. */
export function inputShape(tool: Tool, commands: Command[]): Shape {
  const options = tool.options.map((name): [string, Shape] => [name, optionShape(optionOf(tool, name, commands))]);
  const given = [...(tool.input ? [tool.input] : []), ...tool.words];
  return {
    type: "object",
    properties: Object.fromEntries([...given.map((each): [string, Shape] => [each.name, wordShape(each)]), ...options]),
    required: given.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

const wordShape = ({ help, multiple }: Given): Shape =>
  multiple ? { type: "array", items: { type: "string" }, description: help } : { type: "string", description: help };

function optionShape({ help, value, multiple }: Option): Shape {
  if (value === undefined) return { type: "boolean", description: help };
  const description = `${value}: ${help}`;
  return multiple ? { type: "array", items: { type: "string" }, description } : { type: "string", description };
}

function optionOf({ command, name }: Tool, option: string, commands: Command[]): Option {
  const found = commands.find((each) => each.name === command)?.options.find((each) => each.name === option);
  if (!found) throw new Error(`the tool ${name} takes --${option}, which \`culprit ${command}\` does not have`);
  return found;
}

/** The words of the command; `more` are options of ours. */
export function commandLineOf(tool: Tool, asked: Asked, more: string[] = []): string[] {
  const options = tool.options.flatMap((name) => {
    const value = asked[name];
    if (value === undefined || value === false) return [];
    // `--name=value`: whatever the value begins with, it is one.
    return value === true ? [`--${name}`] : [value].flat().map((each) => `--${name}=${String(each)}`);
  });
  const words = tool.words.flatMap(({ name }) => (asked[name] === undefined ? [] : [asked[name]].flat().map(String)));
  if (words.includes("")) throw new UsageError("a word that is empty means nothing: leave it out");
  return [tool.command, "--json", ...(tool.fixed ?? []), ...options, ...more, "--", ...words];
}

/** What would make us talk to another host. */
export const namesHost = (asked: Asked): boolean =>
  Object.values(asked)
    .flat()
    .some((value) => typeof value === "string" && value.startsWith("ssh:"));
