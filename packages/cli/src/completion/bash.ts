import type { Completed, CompletedOption } from "./completed.ts";

const flags = ({ name, short }: CompletedOption) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];

/** What stands behind an option: words that may follow, with commas between them or not, and whether files may. */
function valueCase({ value, ...option }: CompletedOption): string[] {
  if (!value) return [];
  const offer = value.isList ? "_culprit_several" : "_culprit_words";
  const words = value.choices.length === 0 ? "" : `${offer} "${value.choices.join(" ")}"`;
  const act = value.isFile && words !== "" ? `${words}; _culprit_files` : words || (value.isFile ? "_culprit_files" : ":");
  return [`      ${flags(option as CompletedOption).join("|")}) ${act}; return ;;`];
}

function commandCase({ name, options, words, takesFiles, runs }: Completed): string[] {
  const files = takesFiles || runs ? "; _culprit_files" : "";
  return [
    `    ${name})`,
    '      case "$before" in',
    ...options.flatMap(valueCase),
    "      esac",
    `      if [[ $word == -* ]]; then _culprit_words "${options.flatMap(flags).join(" ")}"`,
    `      else _culprit_words "${words.join(" ")}"${files}; fi ;;`,
  ];
}

/** Lines for bash 4.4 and newer. */
export const bashCompletion = (commands: Completed[]): string =>
  [
    "# Made by `culprit completion bash`.",
    '_culprit_words() { local found; while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -W "$1" -- "$word"); }',
    "# Behind the last comma.",
    '_culprit_several() { local head=""; if [[ $word == *,* ]]; then head="${word%,*},"; fi',
    '  local found; while IFS= read -r found; do COMPREPLY+=("$head$found"); done < <(compgen -W "$1" -- "${word##*,}"); compopt -o nospace; }',
    "_culprit_files() { compopt -o default; }",
    "_culprit() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command=check first="${COMP_WORDS[1]}"',
    "  COMPREPLY=()",
    "  # bash takes --option=value apart.",
    '  if [[ $word == "=" ]]; then word=""; elif [[ $before == "=" ]]; then before="${COMP_WORDS[COMP_CWORD-2]}"; fi',
    `  case "$first" in ${commands.map(({ name }) => name).join("|")}) if ((COMP_CWORD > 1)); then command="$first"; fi ;; esac`,
    `  if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then _culprit_words "${commands.map(({ name }) => name).join(" ")}"; fi`,
    '  case "$command" in',
    ...commands.flatMap(commandCase),
    "  esac",
    "}",
    "complete -F _culprit culprit",
    "",
  ].join("\n");
