import { causePageReport, causesReport, describeRules, nearNames, ruleIds, rulePageReport, rulesReport } from "@culprit/core";
import { commands } from "./commands.ts";
import { terminalStyle } from "./style.ts";
import { everywhere, UsageError, type Command } from "./usage.ts";
import { folded, wrapped } from "@culprit/core/lib/lines";
import { elsewhere, unmarked } from "@culprit/machine/target/kinds";

/** Help on everything, a command, a rule, a cause, or the lists of these. */
export async function helpText([name, more]: string[], width = helpWidth()): Promise<string> {
  if (name === "--man") return manHelp(more);
  if (name === undefined) return overview(width);
  const command = commands.find((candidate) => candidate.name === name);
  if (command) return commandHelp(command, width);
  if (name === "rules") return rulesReport(await describeRules(), terminalStyle());
  const rule = ruleIds.includes(name) ? (await describeRules()).find(({ id }) => id === name) : undefined;
  if (rule) return rulePageReport(rule, terminalStyle());
  if (name === "causes") return causesReport(terminalStyle());
  const cause = causePageReport(name, await describeRules(), terminalStyle());
  if (cause !== undefined) return cause;
  const near = nearNames(name, ["rules", "causes", ...commands.map((known) => known.name), ...ruleIds]).map((known) => `\`${known}\``);
  throw new UsageError(
    `there is no help on \`${name}\`: it is no command, no rule and no cause; ${0 < near.length ? `did you mean ${near.join(" or ")}?` : "`culprit help` lists the commands, `culprit help rules` the rules, `culprit help causes` the causes"}`,
  );
}

/** A manual page: what `man culprit` shows where the package is installed. */
async function manHelp(command: string | undefined): Promise<string> {
  if (command !== undefined && !commands.some(({ name }) => name === command))
    throw new UsageError(`there is no manual page on \`${command}\`: it is no command; \`culprit help\` lists them`);
  return (await import("./man-page.ts")).manPage(command);
}

function overview(width: number): string {
  const names = commands.map(({ name, summary }) => ({ left: name, text: summary }));
  return [
    ...wrapped("culprit finds which library is to blame when a GPU software stack does not fit together.", width),
    "",
    "  culprit [COMMAND] [options]",
    "",
    ...described(names, width),
    "",
    ...paragraphs(
      [
        `Most of them look at this machine, or elsewhere with --target: ${unmarked(elsewhere.map(({ form }) => form).join(", "))}.`,
        "`culprit COMMAND --help` tells more and gives examples, `culprit help rules` lists what is found, `culprit help RULE` tells about one and `culprit help CAUSE` about a word of an answer, `culprit help --man [COMMAND]` prints a manual page.",
        "Exit code: 0 nothing wrong, 1 something is, 2 culprit could not do it; `explain`, and `trace` without --expect, say 0 when they could read it.",
      ].join("\n"),
      width,
    ),
    "",
  ].join("\n");
}

function commandHelp({ usage, summary, details, options, exits, examples }: Command, width: number): string {
  const rows = [...options, ...everywhere].map(({ name, short, value, multiple, help }) => ({
    left: `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`,
    text: `${help}${multiple ? " (may be repeated)" : ""}`,
  }));
  const codes = "words" in exits ? exits.words : `0 ${exits[0]}, 1 ${exits[1]}`;
  return [
    ...wrapped(summary.charAt(0).toUpperCase() + summary.slice(1), width),
    "",
    ...folded(`  ${usage}`, width),
    ...(details ? ["", ...paragraphs(details, width)] : []),
    "",
    "Options",
    ...described(rows, width),
    "",
    "Examples",
    ...described(
      examples.map(({ line, asks }) => ({ left: line, text: asks })),
      width,
      52,
    ),
    "",
    ...paragraphs(`Exit code: ${codes}; 2 culprit could not do it, and says why.`, width),
    "",
  ].join("\n");
}

/** What is printed into a file is as wide as a page. */
const helpWidth = (): number => Math.min(terminalStyle().width ?? 100, 120);

const paragraphs = (text: string, width: number): string[] => text.split("\n").flatMap((line) => wrapped(line, width));

/** Two columns; where the left one is too wide for its row or the terminal too narrow, the text stands below. */
function described(rows: { left: string; text: string }[], width: number, most = 26): string[] {
  const isNarrow = width < 72;
  const left = Math.min(most, Math.max(...rows.map((row) => row.left.length)));
  const indent = isNarrow ? 6 : left + 4;
  return rows.flatMap((row) => {
    const [first = "", ...rest] = wrapped(row.text, width - indent);
    const below = [first, ...rest].map((line) => `${" ".repeat(indent)}${line}`);
    if (isNarrow || left < row.left.length) return [`  ${row.left}`, ...below];
    return [`  ${row.left.padEnd(left)}  ${first}`, ...below.slice(1)];
  });
}
