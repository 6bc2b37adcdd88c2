import type { Completed, CompletedOption } from "./completed.ts";

/** In single quotes, inside of which a specification has signs of its own. */
const quoted = (text: string) => text.replaceAll("'", "'\\''");
const described = (text: string) => quoted(text.replaceAll(/[\\[\]:]/g, (sign) => `\\${sign}`));

function action({ choices, isFile, isList }: NonNullable<CompletedOption["value"]>): string {
  if (choices.length === 0) return isFile ? "_files" : " ";
  if (isList) return `_sequence compadd - ${choices.join(" ")}`;
  return `(${choices.join(" ")})`;
}

function specification({ name, short, help, value, multiple }: CompletedOption): string {
  const behind = value ? `:${described(value.what)}:${quoted(action(value))}` : "";
  const names = short === undefined ? `${multiple ? "'*" : "'"}--${name}` : `${multiple ? "'*'" : ""}{-${short},--${name}}'`;
  return `      ${names}${value ? "=" : ""}[${described(help)}]${behind}'`;
}

function commandCase({ name, options, words, takesFiles, runs }: Completed): string[] {
  const offers = [...(words.length === 0 ? [] : [`'words:word:(${words.join(" ")})'`]), ...(takesFiles ? ["'files:file:_files'"] : [])];
  const rest = runs
    ? ["      '*::command:_normal'"]
    : offers.length === 0
      ? []
      : [`      '*:word:_alternative ${offers.map(inner).join(" ")}'`];
  const lines = [...options.map(specification), ...rest];
  return [`    ${name})`, "      _arguments -S : \\", `${lines.join(" \\\n") || "      '*: :'"} ;;`];
}

// Quotes within quotes.
const inner = (text: string) => text.replaceAll("'", "'\\''");

export const zshCompletion = (commands: Completed[]): string =>
  [
    "#compdef culprit",
    "# Made by `culprit completion zsh`.",
    "_culprit() {",
    "  local -a commands",
    "  commands=(",
    ...commands.map(({ name, summary }) => `    '${name}:${described(summary)}'`),
    "  )",
    "  local command=check",
    "  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then",
    "    _describe -t commands command commands",
    "    _files",
    "    return",
    "  fi",
    `  if [[ " ${commands.map(({ name }) => name).join(" ")} " == *" $words[2] "* ]]; then`,
    "    command=$words[2]",
    "    shift words",
    "    ((CURRENT--))",
    "  fi",
    '  case "$command" in',
    ...commands.flatMap(commandCase),
    "  esac",
    "}",
    'if [[ $funcstack[1] == _culprit ]]; then _culprit "$@"; else compdef _culprit culprit; fi',
    "",
  ].join("\n");
