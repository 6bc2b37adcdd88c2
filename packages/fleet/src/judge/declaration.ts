// What would be installed and taken away, in a file that says what will be installed: a line of a requirements.txt is changed; what another
// file would say after that, nobody knows before its own tool has written it.
import { recogniseFile, statusOf, type Changes, type Check } from "@culprit/core";

interface Declared {
  file: string;
  text: string;
  /** As it is. */
  check: Check;
  installed: { name: string }[];
}

interface Changed {
  text: string;
  done: string[];
  /** The answer, and what of it is left open. */
  told: (check: Check) => Check;
}

const nameOf = (word: string): string => (/^[\w.-]+/.exec(word.trim())?.[0] ?? "").toLowerCase().replace(/[-_.]+/g, "-");

export async function changedDeclaration({ file, text, installed }: Declared, changes: Changes): Promise<Changed> {
  const { with: everywhere = [], replace = [], without = [] } = changes;
  const named = new Set(installed.map(({ name }) => nameOf(name)));
  const meant = [
    ...everywhere.map((word) => ({ word, name: nameOf(word), line: word })),
    ...replace.map((word) => ({ word, name: nameOf(word), line: word })).filter(({ name }) => named.has(name)),
    ...without.map((word) => ({ word, name: nameOf(word), line: undefined })).filter(({ name }) => named.has(name)),
  ];
  if (meant.length === 0) return { text, done: [], told: (check) => check };
  const done = meant.map(({ word }) => `${word} in ${file}`);
  if ((await recogniseFile(file, text)) !== "requirements") return { text, done, told: (check) => leftOpen(check, file, done) };
  const lines = withoutLastLines(text).split("\n");
  const brought: string[] = [];
  for (const { name, line } of meant) {
    const isIt = (each: string) => /^\s*[\w.-]/.test(each) && nameOf(each) === name;
    // What another package brings, and no line names, cannot be left out by leaving out a line.
    const at = lines.findIndex(isIt);
    if (line === undefined && at === -1) brought.push(name);
    emptied(lines, isIt);
    if (line !== undefined) lines[at === -1 ? lines.length : at] = line;
  }
  return { text: `${lines.join("\n")}\n`, done, told: (check) => (brought.length === 0 ? check : leftOpen(check, file, brought)) };
}

/** Nothing stands in these lines any more; all others stay where they are, since answers name them by their numbers. */
function emptied(lines: string[], isIt: (line: string) => boolean): void {
  for (let at = 0; at < lines.length; at++) {
    if (!isIt(lines[at]!)) continue;
    // A line that goes on has its hashes in those below.
    for (; lines[at]?.trimEnd().endsWith("\\"); at++) lines[at] = "";
    lines[at] = "";
  }
}

function leftOpen(check: Check, file: string, words: string[]): Check {
  const reason = `what it would say without, or with, ${words.join(", ")} is not known before it is written anew`;
  const unknown = [...check.unknown, { subject: file, kind: "file" as const, reason }];
  return { ...check, unknown, status: statusOf({ ...check, unknown }) };
}

/** Without the empty lines at its end. */
function withoutLastLines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end -= 1;
  return text.slice(0, end);
}
