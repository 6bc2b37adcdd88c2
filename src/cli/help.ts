import { commands } from "./commands.ts";
import type { Command } from "./usage.ts";

export function helpText([name]: string[]): string {
  const command = commands.find((candidate) => candidate.name === name);
  return command ? commandHelp(command) : overview();
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
    "`culprit <command> --help` tells more. Exit code: 0 nothing wrong, 1 something is, 2 culprit could not do it.",
    "",
  ].join("\n");
}

function commandHelp({ usage, summary, details, options }: Command): string {
  const left = [...options, { name: "help", short: "h", help: "this text" }].map((option) => {
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
