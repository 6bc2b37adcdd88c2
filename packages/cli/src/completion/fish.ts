import type { Completed, CompletedOption } from "./completed.ts";

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function optionLine(when: string, { name, short, help, value }: CompletedOption): string {
  const flags = `${short === undefined ? "" : ` -s ${short}`} -l ${name}`;
  const list = value?.isList ? `(__culprit_several ${value.choices.join(" ")})` : value?.choices.join(" ");
  const taken = !value ? "" : value.isFile ? " -r -F" : " -x";
  const offered = value && 0 < value.choices.length ? ` -a ${quoted(list!)}` : "";
  return `complete -c culprit -n ${quoted(when)}${flags}${taken}${offered} -d ${quoted(help)}`;
}

/** The first word is a command, or what `check` takes. */
export function fishCompletion(commands: Completed[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const first = `not __fish_seen_subcommand_from ${names}`;
  const whenOf = ({ name }: Completed) =>
    name === "check" ? `${first}; or __fish_seen_subcommand_from check` : `__fish_seen_subcommand_from ${name}`;
  return [
    "# Made by `culprit completion fish`.",
    "# Behind the last comma.",
    "function __culprit_several",
    "  set -l head (string match -r '^.*,' -- (commandline -ct | string replace -r '^--[a-z-]+=' ''))",
    "  printf '%s\\n' $head$argv",
    "end",
    "complete -c culprit -f",
    ...commands.map(({ name, summary }) => `complete -c culprit -n ${quoted(first)} -a ${name} -d ${quoted(summary)}`),
    ...commands.flatMap((command) => [
      ...command.options.map((option) => optionLine(whenOf(command), option)),
      ...(command.takesFiles || command.runs ? [`complete -c culprit -n ${quoted(whenOf(command))} -F`] : []),
      ...(command.words.length === 0 ? [] : [`complete -c culprit -n ${quoted(whenOf(command))} -a ${quoted(command.words.join(" "))}`]),
    ]),
    "",
  ].join("\n");
}
