import { describeRules, nearNames, ruleIds, rulePageReport, rulesReport } from "@culprit/core";
import { commands } from "./commands.ts";
import { terminalStyle } from "./style.ts";
import { UsageError, type Command } from "./usage.ts";
import { elsewhere, unmarked } from "@culprit/machine/target/kinds";

/** Help on everything, a command, a rule, or the list of rules. */
export async function helpText([name]: string[]): Promise<string> {
  if (name === undefined) return overview();
  const command = commands.find((candidate) => candidate.name === name);
  if (command) return commandHelp(command);
  if (name === "rules") return rulesReport(await describeRules(), terminalStyle());
  const rule = ruleIds.includes(name) ? (await describeRules()).find(({ id }) => id === name) : undefined;
  if (rule) return rulePageReport(rule, terminalStyle());
  const near = nearNames(name, ["rules", ...commands.map((known) => known.name), ...ruleIds]).map((known) => `\`${known}\``);
  throw new UsageError(
    `there is no help on \`${name}\`: it is no command and no rule; ${0 < near.length ? `did you mean ${near.join(" or ")}?` : "`culprit help` lists the commands, `culprit help rules` the rules"}`,
  );
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "culprit finds which library is to blame when a GPU software stack does not fit together.",
    "",
    "  culprit <command> [options]",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    `Most of them look at this machine, or elsewhere with --target: ${unmarked(elsewhere.map(({ form }) => form).join(", "))}.`,
    "`culprit <command> --help` tells more, `culprit help rules` lists what is found, `culprit help RULE` tells about one.",
    "Exit code: 0 nothing wrong, 1 something is, 2 culprit could not do it; `explain`, and `trace` without --expect, say 0 when they could read it.",
    "",
  ].join("\n");
}

function commandHelp({ usage, summary, details, options }: Command): string {
  const everywhere = [
    { name: "color", value: "WHEN", help: "always, never or auto: where a person looks, unless NO_COLOR or FORCE_COLOR says otherwise" },
    { name: "help", short: "h", help: "this text" },
  ];
  const left = [...options, ...everywhere].map((option) => {
    const { name, short, help } = option;
    const value = "value" in option && option.value ? ` ${option.value}` : "";
    return { text: `${short ? `-${short}, ` : ""}--${name}${value}`, help, repeats: "multiple" in option && option.multiple };
  });
  const width = Math.max(...left.map(({ text }) => text.length));
  return [
    summary.charAt(0).toUpperCase() + summary.slice(1),
    "",
    `  ${usage}`,
    ...(details ? ["", details] : []),
    "",
    ...left.map(({ text, help, repeats }) => `  ${text.padEnd(width)}  ${help}${repeats ? " (may be repeated)" : ""}`),
    "",
  ].join("\n");
}
