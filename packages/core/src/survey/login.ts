import { asShell } from "../lib/shell-expansion.ts";
import { maySet, readAssignment, withHome, variablesThatMatter } from "../lib/shell-lines.ts";
import { readLine } from "../lib/shell-words.ts";
import type { UnknownThing } from "../model/unknown.ts";
import type { View } from "../resolve/view.ts";
import { linesOfFiles, type LoginLine } from "./login-lines.ts";
import { namesIn, textAt } from "./python.ts";

/** What a login shell would add to the variables that a program gets without one. */
export interface LoginShell {
  environment: { [name: string]: string };
  /** Variables that decide loading and become others, with the last line that sets each. */
  sets: { name: string; value: string; file: string; line: number; interactive?: true }[];
  /** Lines that may set one, and cannot be told: such a variable is left as it is. */
  unclear: UnknownThing[];
}

/**
 * The variables as a login shell of bash leaves them: /etc/environment, /etc/profile with profile.d, the first profile of the home, and
 * what these read in. Only lines that are run whatever happens and do nothing but set a variable count; a variable that any other line may set is left
 * as it is. `named` are variables that the question itself sets.
 */
export function loginShell(view: View, named: string[] = []): LoginShell {
  const { environment: before, target } = view.snapshot;
  const lines = linesOfFiles(view, filesOf(view));
  const environment = { ...before };
  const sets = new Map<string, LoginShell["sets"][number]>();
  const unclear = new Map<string, UnknownThing>();
  const isLeft = (name: string) => named.includes(name) || unclear.has(name);
  const isClear = ({ text, isSure, isScript }: LoginLine, name: string) =>
    isSure && readAssignment(text, name) !== undefined && (!isScript || isExported(text, name, lines, before));
  // A line that cannot be told may come last, or change what others made.
  for (const name of setNames(lines)) {
    const strange = lines.find((line) => maySet(line.text, name) && !isClear(line, name));
    if (strange && isExportedAnywhere(name, lines, before))
      unclear.set(name, {
        subject: `${strange.file}:${strange.number}`,
        kind: "file",
        reason: `it may set ${name} in a login shell, under a condition or in a way that is not understood; ${name} was left as it is`,
        aside: true,
      });
  }
  for (const line of lines) {
    // The words of one `export` are made before any of its variables is set.
    let seen = environment;
    const valueOf = (name: string): string | null | undefined =>
      unclear.has(name) || providedByShells.has(name) ? seen[name] : (seen[name] ?? null);
    for (const { exports, assignments } of commandsOf(line)) {
      seen = exports ? { ...environment } : environment;
      for (const { name } of assignments) {
        const read = isLeft(name) || !isClear(line, name) ? undefined : readAssignment(line.text, name);
        const value = read && (read.isLiteral || !line.isScript ? read.value : asShell(withHome(read, before["HOME"]), valueOf));
        if (value === undefined) {
          if (read) unclear.set(name, unknownValue(line, name));
          continue;
        }
        environment[name] = value;
        sets.set(name, { name, value, file: line.file, line: line.number, ...(line.interactive ? { interactive: true as const } : {}) });
      }
    }
  }
  takeBack([...unclear.keys()], sets, environment, before);
  const matters = [...sets.values()].filter(({ name, value }) => variablesThatMatter.includes(name) && value !== (before[name] ?? ""));
  return {
    // What else they set is their owner's, and nobody's business here.
    environment: { ...before, ...Object.fromEntries(matters.map(({ name, value }) => [name, value])) },
    // In an image nothing but a shell reads these files, and whoever starts it seldom starts one: they are told all the same.
    sets: target.kind === "machine" ? [] : matters,
    unclear: [...unclear].flatMap(([name, each]) => (variablesThatMatter.includes(name) && !named.includes(name) ? [each] : [])),
  };
}

/** What cannot be told is as it was. */
function takeBack(
  names: string[],
  sets: Map<string, unknown>,
  environment: { [name: string]: string },
  before: { [name: string]: string },
): void {
  for (const name of names) {
    sets.delete(name);
    if (before[name] === undefined) delete environment[name];
    else environment[name] = before[name];
  }
}

const unknownValue = ({ file, number }: LoginLine, name: string): UnknownThing => ({
  subject: `${file}:${number}`,
  kind: "file",
  reason: `it sets ${name} in a login shell to something that only a shell can tell; ${name} was left as it is`,
  aside: true,
});

/** Variables that shells have by themselves, with values that are not known here. */
const providedByShells = new Set([
  "USER",
  "LOGNAME",
  "HOME",
  "SHELL",
  "PATH",
  "PWD",
  "HOSTNAME",
  "UID",
  "EUID",
  "BASH",
  "TERM",
  "LANG",
  "IFS",
]);

function filesOf(view: View): string[] {
  const { environment, target } = view.snapshot;
  const isThere = (file: string) => (textAt(view, file) ?? "") !== "";
  const home = environment["HOME"];
  // sshd has given what it says already, and in an image nobody reads it.
  const own = target.kind === "root" ? ["/etc/environment"] : [];
  // Every distribution's /etc/profile reads that folder; a root folder may hold only part of a system.
  const system =
    target.kind === "root" || isThere("/etc/profile")
      ? [
          "/etc/profile",
          ...(namesIn(view, "/etc/profile.d") ?? [])
            .filter((name) => name.endsWith(".sh"))
            .sort()
            .map((name) => `/etc/profile.d/${name}`),
        ]
      : [];
  const profile =
    home === undefined ? undefined : [".bash_profile", ".bash_login", ".profile"].map((name) => `${home}/${name}`).find(isThere);
  return [...own, ...system, ...(profile === undefined ? [] : [profile])];
}

const commandsOf = (line: LoginLine): { exports: boolean; assignments: { name: string }[] }[] =>
  line.isScript ? readLine(line.text).commands : [{ exports: false, assignments: [...setNames([line])].map((name) => ({ name })) }];

/** Names that lines may set. */
function setNames(lines: LoginLine[]): Set<string> {
  return new Set(
    lines.flatMap(({ text }) =>
      [...text.matchAll(/(?:^|[\s;&|(])([A-Za-z_]\w*)\+?=|\b(?:unset|read)\s+([A-Za-z_]\w*)/g)].map(([, set, other]) => (set ?? other)!),
    ),
  );
}

const exporting = (name: string) => new RegExp(`(?:^|[\\s;&|])(?:export|declare\\s+-x|typeset\\s+-x)\\s(?:[^;#]*\\s)?${name}(?:\\b|=)`);

/** Without `export`, on this line or another, a program does not get it. */
const isExported = (text: string, name: string, lines: LoginLine[], before: { [name: string]: string }): boolean =>
  exporting(name).test(text) || isExportedAnywhere(name, lines, before) || !variablesThatMatter.includes(name);

const isExportedAnywhere = (name: string, lines: LoginLine[], before: { [name: string]: string }): boolean =>
  before[name] !== undefined ||
  !variablesThatMatter.includes(name) ||
  lines.some(({ text, isScript, continues }) => (isScript && !continues ? exporting(name).test(text) : maySet(text, name)));
