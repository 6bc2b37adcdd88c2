// Manual pages, from the table of commands (man 7 man, man 7 groff_man).
import { version } from "@culprit/core/version";
import { builtInDay } from "@culprit/core/knowledge-day.generated";
import { commands } from "./commands.ts";
import { everywhere, type Command, type Option } from "./usage.ts";

/** Text of a line: nothing in it is a request, a dash stays a dash, and what stands in backticks is bold. */
const escaped = (text: string) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replaceAll(/`([^`]*)`/g, "\\fB$1\\fP")
    .replaceAll(/^([.'])/gm, "\\&$1");

const heading = (name: string) =>
  `.TH "${name.toUpperCase().replaceAll("-", "\\-")}" "1" "${builtInDay}" "culprit ${version}" "User Commands"`;

const optionLines = ({ name, short, value, multiple, help }: Option): string[] => [
  ".TP",
  `${short === undefined ? "" : `\\fB\\-${short}\\fP, `}\\fB\\-\\-${escaped(name)}\\fP${value === undefined ? "" : ` \\fI${escaped(value)}\\fP`}`,
  escaped(`${help}${multiple ? " (may be repeated)" : ""}`),
];

const exitLines = (exits: Command["exits"]): string[] =>
  ("words" in exits ? [escaped(exits.words)] : [`0 ${escaped(exits[0])}`, ".PP", `1 ${escaped(exits[1])}`]).concat([
    ".PP",
    "2 culprit could not do it, and says why",
  ]);

/** The page of a command, or of all of them. */
export function manPage(name?: string): string {
  const command = commands.find((each) => each.name === name);
  return `${(command ? commandPage(command) : overviewPage()).join("\n")}\n`;
}

function commandPage({ name, usage, summary, details = "", options, exits, examples }: Command): string[] {
  return [
    heading(`culprit-${name}`),
    ".SH NAME",
    `culprit\\-${escaped(name)} \\- ${escaped(summary)}`,
    ".SH SYNOPSIS",
    `\\fB${escaped(usage)}\\fP`,
    ...(details === ""
      ? []
      : [".SH DESCRIPTION", ...details.split("\n").flatMap((line, index) => [...(index === 0 ? [] : [".PP"]), escaped(line)])]),
    ".SH OPTIONS",
    ...[...options, ...everywhere].flatMap(optionLines),
    ".SH EXIT STATUS",
    ...exitLines(exits),
    ".SH EXAMPLES",
    ...examples.flatMap(({ line, asks }) => [".TP", `\\fB${escaped(line)}\\fP`, escaped(asks)]),
    ".SH SEE ALSO",
    ".BR culprit (1)",
  ];
}

const overviewPage = (): string[] => [
  heading("culprit"),
  ".SH NAME",
  "culprit \\- finds which library is to blame when a GPU software stack does not fit together",
  ".SH SYNOPSIS",
  "\\fBculprit [COMMAND] [options]\\fP",
  ".SH DESCRIPTION",
  escaped(
    "Without a command, `check`: this machine, every framework in every Python environment. Nothing is run or changed unless asked for.",
  ),
  ".SH COMMANDS",
  ...commands.flatMap(({ name, summary }) => [".TP", `\\fBculprit\\-${escaped(name)}\\fP(1)`, escaped(summary)]),
  ".SH EXIT STATUS",
  "0 nothing wrong",
  ".PP",
  "1 something is",
  ".PP",
  "2 culprit could not do it, and says why",
  ".SH SEE ALSO",
  `.BR ldd (1), ld.so (8), ldconfig (8)`,
];
