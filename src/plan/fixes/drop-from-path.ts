import { guiltyElement, settersOf } from "../../diagnose/words.ts";
import type { Load } from "../../model/loads.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withText, withVariable } from "../simulate.ts";

const name = "LD_LIBRARY_PATH";

/** LD_LIBRARY_PATH without the folder that brings the wrong copy: for one command, for this shell, or where it is set. */
export default defineFix({
  id: "drop-from-path",
  title: "Take a folder out of LD_LIBRARY_PATH",
  proposes(stack, finding) {
    const value = stack.variables[name];
    if (!value) return [];
    const named = [finding.subject, ...finding.evidence, ...finding.because].join("\n");
    const elements = new Set(
      stack.runs
        .flatMap(({ loads }) => loads.loads)
        .filter((load) => load.library !== undefined && (named.includes(load.file) || named.includes(load.path)))
        .map((load) => guiltyElement(stack, load as Load))
        .filter((element) => element !== undefined),
    );
    return [...elements].flatMap((element) => candidates(stack, value, element));
  },
});

function candidates(stack: Stack, value: string, element: string): Candidate[] {
  const rest = value
    .split(/[:;]/)
    .filter((each) => each !== element)
    .join(":");
  const what = element === "" ? "the empty element (the current folder)" : element;
  const left = rest === "" ? undefined : rest;
  const simulate: Candidate["simulate"] = (snapshot) => withVariable(snapshot, name, left);
  const found: Candidate[] = [
    {
      title: `start one command without ${what} in ${name}`,
      reach: "command",
      safety: "safe",
      commands: [left === undefined ? `env -u ${name} COMMAND` : `env ${name}=${quoted(left)} COMMAND`],
      steps: [],
      changes: [],
      simulate,
    },
    {
      title: `take ${what} out of ${name} in this shell`,
      reach: "shell",
      safety: "safe",
      commands: [left === undefined ? `unset ${name}` : `export ${name}=${quoted(left)}`],
      steps: [],
      changes: [],
      simulate,
    },
  ];
  for (const { file, line, text } of settersOf(stack, name)) {
    const after = withoutElement(text, element);
    if (after === undefined) continue;
    found.push({
      title: `take ${what} out of ${name} where it is set, ${file}:${line}`,
      reach: file.startsWith("/etc/") || file.startsWith("/usr/") ? "machine" : isOfEnvironment(stack, file) ? "environment" : "user",
      safety: "safe",
      commands: [after === "" ? `sed -i '${line}d' ${quoted(file)}` : `sed -i '${line}c\\${after}' ${quoted(file)}`],
      steps: [{ do: "edit", file, line, before: text, ...(after === "" ? {} : { after }) }],
      warning: "shells that are open keep the old value",
      changes: [file],
      variables: [left === undefined ? { name } : { name, value: left }],
      simulate: (snapshot) => {
        const fact = snapshot.files[file];
        const lines = (fact?.kind === "file" ? (fact.text ?? "") : "").split("\n");
        lines.splice(line - 1, 1, ...(after === "" ? [] : [after]));
        return withVariable(withText(snapshot, file, lines.join("\n")), name, left);
      },
    });
  }
  return found;
}

const isOfEnvironment = ({ environments }: Stack, file: string) =>
  environments.some(({ prefix }) => prefix !== "/usr" && file.startsWith(`${prefix}/`));

/** The line without that element; empty when nothing but the assignment is left, undefined when it does not name the element. */
export function withoutElement(text: string, element: string): string | undefined {
  const [, head, quote, list, tail] =
    /^(\s*(?:export\s+|setenv\s+|declare\s+-x\s+)?LD_LIBRARY_PATH(?:=|\s+))(["']?)([^"'#;]*?)\2(\s*(?:[;#].*)?)$/.exec(text) ?? [];
  if (list === undefined) return undefined;
  const elements = list.split(":");
  const plain = (path: string) => path.replace(/\/+$/, "");
  const kept = elements.filter((each) => plain(each) !== plain(element));
  if (kept.length === elements.length) return undefined;
  const hasOthers = kept.some((each) => each !== "" && !/^\$\{?LD_LIBRARY_PATH/.test(each));
  // What only hands on the old value changes nothing.
  return hasOthers ? `${head}${quote}${kept.join(":")}${quote}${tail}` : "";
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
