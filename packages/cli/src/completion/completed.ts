import type { Command, Option, WordKind } from "../usage.ts";

/** All that a shell needs to know of a command. */
export interface Completed {
  name: string;
  summary: string;
  options: CompletedOption[];
  /** Words that it takes, besides files. */
  words: string[];
  takesFiles: boolean;
  /** What follows is a command line of its own. */
  runs: boolean;
}

export interface CompletedOption {
  name: string;
  short?: string;
  help: string;
  /** Absent for a switch. */
  value?: { what: string; choices: readonly string[]; isFile: boolean; isList: boolean };
  multiple: boolean;
}

interface Names {
  frameworks: string[];
  rules: string[];
  shells: string[];
}

export function completed(commands: Command[], everywhere: Option[], names: Names): Completed[] {
  const wordsOf = (kind: WordKind) =>
    ({ framework: names.frameworks, rule: names.rules, shell: names.shells, file: [], program: [] })[kind];
  const help: Completed = {
    name: "help",
    summary: "help on a command or a rule",
    options: [],
    words: [...commands.map(({ name }) => name), "rules", "causes", ...names.rules],
    takesFiles: false,
    runs: false,
  };
  return [
    ...commands.map(({ name, summary, options, words }) => ({
      name,
      summary,
      options: [...options, ...everywhere].map((option) => completedOption(option, names)),
      words: words.flatMap(wordsOf),
      takesFiles: words.includes("file"),
      runs: words.includes("program"),
    })),
    help,
  ];
}

function completedOption({ name, short, value, choices, multiple, help }: Option, { frameworks, rules }: Names): CompletedOption {
  const known = choices ?? (value?.startsWith("PROGRAM") ? frameworks : value?.startsWith("RULE") ? rules : []);
  return {
    name,
    ...(short === undefined ? {} : { short }),
    help,
    ...(value === undefined
      ? {}
      : { value: { what: value, choices: known, isFile: /FILE|DIR|TARGET|PROGRAM/.test(value), isList: value.endsWith(",…") } }),
    multiple: multiple ?? false,
  };
}
