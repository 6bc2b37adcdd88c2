// pip's format of requirement files: https://pip.pypa.io/en/stable/reference/requirements-file-format/
import { bareInstall, readPackage } from "../packages.ts";
import { placeAt, splitLines } from "../lines.ts";
import type { Place } from "../../model/check.ts";
import type { Declaration, Install } from "../../model/declaration.ts";

interface Line {
  text: string;
  number: number;
  /** How far the first line is indented. */
  indent: number;
}

/** `environment` gives the values of variables that lines name as `${NAME}`. */
export function readRequirements(
  text: string,
  file: string,
  environment: (name: string) => string | undefined = () => undefined,
): Declaration {
  const place = placeAt(file, 1);
  const install: Install = { kind: "install", manager: "pip", packages: [], ...bareInstall(), place };
  const declaration: Declaration = { format: "requirements", file, steps: [install], unknown: [] };
  const tell = (line: number, reason: string) => declaration.unknown.push({ subject: `${file}:${line}`, reason });
  for (const { text: raw, number, indent } of logicalLines(text)) {
    const line = raw.replace(/\$\{([A-Z0-9_]+)\}/g, (whole, name: string) => environment(name) ?? whole);
    if (line.startsWith("-")) {
      readOptions(line, placeAt(file, number, indent + 1, line.length), install);
      continue;
    }
    // Options of one requirement stand behind it.
    const behind = line.search(/[ \t]-/);
    const own = (behind < 0 ? line : line.slice(0, behind)).trim();
    if (/\$\{[A-Z0-9_]+\}/.test(own)) {
      tell(number, `it names a variable that is not known: ${own.slice(0, 80)}`);
      continue;
    }
    const found = readPackage(own, placeAt(file, number, indent + 1, own.length));
    if (found && "problem" in found) tell(number, `pip cannot read \`${own.slice(0, 80)}\`: ${found.problem}`);
    else if (found) install.packages.push(found);
  }
  return declaration;
}

/** Options of a line that begins with one; several may stand on it. */
function readOptions(line: string, place: Place, install: Install): void {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    const [, name = word, joined] = /^(--[\w-]+)=([^]*)$/.exec(word) ?? /^(-[rcefi])(.+)$/.exec(word) ?? [];
    const value = () => unquoted(joined ?? words[(index += 1)] ?? "");
    switch (name) {
      case "-r":
      case "--requirement":
      case "-c":
      case "--constraint": {
        const path = value();
        const role = name === "-c" || name === "--constraint" ? ("constraints" as const) : ("requirements" as const);
        install.includes.push({ path, candidates: [path], role, place });
        break;
      }
      case "-i":
      case "--index-url":
      case "--pypi-url":
        install.indexes = [{ url: value(), only: true }, ...install.indexes.filter(({ only }) => !only)];
        break;
      case "--extra-index-url":
        install.indexes.push({ url: value(), only: false });
        break;
      case "--no-index":
        install.indexes = [{ url: "", only: true }];
        break;
      case "-f":
      case "--find-links":
        install.links.push(value());
        break;
      case "--pre":
        install.allowsPreReleases = true;
        break;
      case "-e":
      case "--editable": {
        const found = readPackage(value(), place);
        if (found && !("problem" in found)) install.packages.push(found);
        break;
      }
      default:
    }
  }
}

// A number sign begins a comment where the line begins or after a space.
function withoutComment(line: string): string {
  for (let at = line.indexOf("#"); 0 <= at; at = line.indexOf("#", at + 1))
    if (at === 0 || /\s/.test(line[at - 1]!)) return line.slice(0, at);
  return line;
}

const unquoted = (text: string) => text.replace(/^(["'])(.*)\1$/, "$2");

/** Lines as pip counts them: those that end with a backslash go on, comments are gone. */
function logicalLines(text: string): Line[] {
  const lines: Line[] = [];
  let parts: string[] = [];
  let number = 0;
  const finish = () => {
    const whole = withoutComment(parts.join(""));
    if (whole.trim() !== "") lines.push({ text: whole.trim(), number, indent: whole.length - whole.trimStart().length });
    parts = [];
  };
  for (const [index, line] of splitLines(text).entries()) {
    if (parts.length === 0) number = index + 1;
    const isComment = /^\s*#/.test(line);
    // A comment ends what goes on, though a backslash stands at its end.
    if (line.endsWith("\\") && !isComment) parts.push(line.slice(0, -1));
    else {
      parts.push(isComment ? " " : line);
      finish();
    }
  }
  if (0 < parts.length) finish();
  return lines;
}
