import type { Step } from "@culprit/core";

/** A tool of the server: a command, what an agent gives it, and what of its answer fits into a context window. */
export interface Tool<Answer = never> {
  /** As the command is called, or what it does with an option. */
  name: string;
  title: string;
  description: string;
  command: string;
  /** Options that are always given. */
  fixed?: string[];
  /** What stands behind the command, in order. */
  words: Given[];
  /** Options of the command that an agent may give; what they mean is in the table of commands. */
  options: string[];
  /** What is handed over on standard input. */
  input?: Given;
  /** It changes the machine. */
  changes?: true;
  /** The form of `data`, as JSON Schema. */
  data: Shape;
  brief: (answer: Answer, told: Told) => Brief;
}

export interface Given {
  name: string;
  help: string;
  required?: true;
  multiple?: true;
}

/** What is told about an answer besides itself. */
export interface Told {
  /** The address of a part of the answer: `/findings/0`. */
  at: (pointer: string) => string;
  /** The address of the page of a rule. */
  page: (rule: string) => string;
  /** A change of the machine, to the letter. */
  step: (step: Step) => string;
}

export interface Brief {
  /** Our own words and numbers only: nothing that was read from files, logs or packages. */
  summary: string;
  /** Whatever was read from elsewhere is in here and nowhere else. */
  data: { [name: string]: unknown };
}

/** As much of JSON Schema as answers need. */
export interface Shape {
  type: "object" | "array" | "string" | "number" | "boolean";
  description?: string;
  properties?: { [name: string]: Shape };
  required?: string[];
  items?: Shape;
  enum?: string[];
  pattern?: string;
  additionalProperties?: boolean;
}

export const string = (description?: string): Shape => ({ type: "string", ...(description === undefined ? {} : { description }) });
export const number = (description?: string): Shape => ({ type: "number", ...(description === undefined ? {} : { description }) });
export const boolean = (description?: string): Shape => ({ type: "boolean", ...(description === undefined ? {} : { description }) });
export const list = (items: Shape, description?: string): Shape => ({
  type: "array",
  items,
  ...(description === undefined ? {} : { description }),
});

/** Names that end with `?` may be absent. */
export function object(properties: { [name: string]: Shape }, description?: string): Shape {
  const names = Object.keys(properties);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace(/\?$/, ""), properties[name]!])),
    required: names.filter((name) => !name.endsWith("?")),
    ...(description === undefined ? {} : { description }),
  };
}

/** `1 error`, `2 errors`. */
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
