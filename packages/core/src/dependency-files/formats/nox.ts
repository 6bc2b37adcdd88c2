// https://nox.thea.codes/en/stable/config.html
import type { Place } from "../../model/finding.ts";
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readCommand } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat } from "../format.ts";
import { filesUnder } from "../project-command.ts";
import { placeAt, splitLines } from "../lines.ts";
import { onceTold } from "../once-told.ts";
import { readPythonText, type PythonCall, type PythonValue } from "../python-text.ts";
import type { Setting } from "../setting.ts";
import type { Word } from "../shell.ts";

export default defineFormat({
  id: "nox",
  words: "noxfile.py",
  place: 24,
  signs: [{ by: "name", is: ({ name }) => name === "noxfile.py" }],
  read: readNoxfile,
  example: { file: "noxfile.py", text: 'import nox\n\n\n@nox.session\ndef tests(session):\n    session.install("torch==2.4.1")\n' },
});

/** Calls of a session that install something, and the command that they are. */
const installing: { [call: string]: string[] } = {
  install: ["pip", "install"],
  conda_install: ["conda", "install"],
  run: [],
  run_always: [],
  run_install: [],
};

/** nox works where its file lies. */
const fromItsFolder: Pick<Setting, "candidates" | "project"> = {
  candidates: (path) => [path],
  project: (at, names) => filesUnder("", at, names),
};

/** Every session is an installation of its own, and so is each of its Pythons. */
function readNoxfile(text: string, file: string, conditions: Conditions): Declaration {
  const declaration: Declaration = { format: "nox", file, steps: [], unknown: [] };
  const tell: Tell = (line, column, reason) => void declaration.unknown.push({ subject: `${file}:${line}:${column}`, reason });
  const source = text.replace(/^\ufeff/, "");
  const { calls, functions } = readPythonText(source);
  const lines = splitLines(source);
  const alternatives = functions.flatMap(({ name, line }, index): Alternative[] => {
    const [before, after] = [functions[index - 1]?.line ?? 0, functions[index + 1]?.line ?? Infinity];
    const decorators = calls.filter((call) => call.isDecorator && before < call.line && call.line < line);
    const pythons = pythonsOf(decorators.find((call) => /(?:^|\.)session$/.test(call.name))?.named.get("python"));
    const body: Body = { line, after, session: /^\s*(?:async\s+)?def\s+\w+\s*\(\s*(\w+)/.exec(lines[line - 1]!)?.[1] ?? "session" };
    return combinationsOf(decorators).flatMap((given) => {
      const steps = stepsIn(given.length === 0 ? { calls, lines } : withValues(lines, body, given), body);
      if (!steps.some(({ kind }) => kind === "install")) return [];
      const label = labelOf(given);
      const chosen = chosenBy(given);
      if (chosen !== undefined) return [{ name: `session ${name}${label}`, steps: [pythonAt(chosen, placeAt(file, line)), ...steps] }];
      if (pythons.length === 0) return [{ name: `session ${name}${label}`, steps }];
      return pythons.map(({ text: python, line: at, column: to }) => {
        return { name: `session ${name}-${python}${label}`, steps: [pythonAt(python, placeAt(file, at, to)), ...steps] };
      });
    });
  });
  declaration.unknown = onceTold(declaration.unknown);
  return { ...declaration, steps: alternatives[0]?.steps ?? [], alternatives };

  function stepsIn({ calls: all, lines: written }: Program, { line, after, session }: Body): DeclaredStep[] {
    const own = all.filter((call) => line < call.line && call.line < after && call.name.startsWith(`${session}.`));
    const indentOf = (at: number) => indentIn(written, at);
    const bodyIndent = indentOf(written.findIndex((each, at) => line <= at && each.trim() !== "") + 1);
    return own.flatMap((call) => stepsOf(call, bodyIndent < indentOf(call.line) ? blockAround(call.line, written) : undefined));
  }

  function stepsOf({ name, values, line, column }: PythonCall, block: string | undefined): DeclaredStep[] {
    const begin = installing[name.slice(name.indexOf(".") + 1)];
    if (!begin) return [];
    const told = values.flatMap((value) => (value.kind === "text" ? [value.text] : []));
    const isInstalling = 0 < begin.length || (told.some((each) => /^(?:pip|uv|conda|mamba)$/.test(each)) && told.includes("install"));
    if (!isInstalling) return [];
    // What stands in `with` and `try` is done.
    if (
      block !== undefined &&
      !/^(?:with|try)\b/.test(block) &&
      !conditions.holds(`\`${block.slice(0, 90)}\` comes to it`, placeAt(file, line, column))
    )
      return [];
    const words = [
      ...begin.map((each): Word => ({ text: each, isKnown: true, line, column })),
      ...values.flatMap((value) => wordsOf(value, tell)),
    ];
    return readCommand(words, {
      variables: new Map(),
      place: (word) => placeAt(file, word.line, word.column, word.text.length),
      ...fromItsFolder,
      isOwnShell: true,
      conditions,
      tell: (place, reason) => tell(place.line, place.column ?? 1, reason),
    });
  }
}

const pythonAt = (python: string, place: Place): DeclaredStep => ({ kind: "python", specifier: `==${python}.*`, place });

/** `parametrize("python,torch", …)` chooses the Python of the session, too. */
const chosenBy = (given: Given): string | undefined =>
  given.find(([parameter, value]) => parameter === "python" && /^3\.\d+$/.test(value))?.[1];

type Tell = (line: number, column: number, reason: string) => void;

function wordsOf(value: PythonValue, tell: Tell): Word[] {
  if (value.kind === "text") return [{ text: value.text, isKnown: value.isKnown, line: value.line, column: value.column + 1 }];
  if (value.kind === "list") return value.items.flatMap((each) => wordsOf(each, tell));
  tell(value.line, value.column, "what stands here is worked out by the program: it is not known");
  return [];
}

interface Program {
  calls: PythonCall[];
  lines: string[];
}

/** A session's function: the line of its `def`, that of the next one, and what it calls its session. */
interface Body {
  line: number;
  after: number;
  session: string;
}

type Given = [parameter: string, value: string][];

/** What `nox.parametrize` gives, as far as it is written out: every combination; one that is empty where nothing is told. */
function combinationsOf(decorators: PythonCall[]): Given[] {
  let all: Given[] = [[]];
  for (const { name, values } of decorators) {
    const [names, given] = values;
    if (!/(?:^|\.)parametrize$/.test(name) || given?.kind !== "list") continue;
    const parameters = (names?.kind === "list" ? names.items : [names]).flatMap((each) =>
      each?.kind === "text" && each.isKnown ? each.text.split(",").map((word) => word.trim()) : [],
    );
    const rows = given.items.map((item) =>
      (item.kind === "list" ? item.items : [item]).map((each) => (each.kind === "text" && each.isKnown ? each.text : undefined)),
    );
    const isWrittenOut = 0 < rows.length && rows.every((row) => row.length === parameters.length && !row.includes(undefined));
    if (!isWrittenOut || mostCombinations < all.length * rows.length) continue;
    all = all.flatMap((before) => rows.map((row): Given => [...before, ...parameters.map((each, at): Given[number] => [each, row[at]!])]));
  }
  return all;
}

const mostCombinations = 40;

/** As nox calls it: `tests(torch='2.5.1')`. */
const labelOf = (given: Given): string =>
  given.length === 0 ? "" : `(${given.map(([parameter, value]) => `${parameter}='${value}'`).join(", ")})`;

/** The program with these values in the place of the parameters, each line where it was. */
function withValues(lines: string[], { line, after }: Body, given: Given): Program {
  const written = lines.map((each, at) => (line <= at && at < after - 1 ? filledIn(each, given) : each));
  return { calls: readPythonText(written.join("\n")).calls, lines: written };
}

function filledIn(text: string, given: Given): string {
  let filled = text;
  for (const [parameter, value] of given) {
    if (!/^\w{1,60}$/.test(parameter) || /["'\\{}]/.test(value)) continue;
    filled = filled
      .replaceAll(`{${parameter}}`, value)
      .replace(new RegExp(`(["'])[ \\t]{0,8}\\+[ \\t]{0,8}${parameter}\\b(?![.(\\[])`, "g"), (_, quote: string) => `${value}${quote}`)
      .replace(new RegExp(`([(,][ \\t]{0,8})${parameter}(?=[ \\t]{0,8}[,)])`, "g"), (_, before: string) => `${before}"${value}"`);
  }
  // A text into which nothing is put any more is a plain one.
  return filled.replace(/\bf(?=(["'])(?!\1)[^"'{}\\]{0,400}\1)/gi, "");
}

const indentIn = (lines: string[], line: number) => /^\s*/.exec(lines[line - 1] ?? "")![0].length;

/** The line of the block that a line stands in. */
function blockAround(line: number, lines: string[]): string {
  const indent = indentIn(lines, line);
  for (let at = line - 1; 0 < at; at -= 1) if (lines[at - 1]!.trim() !== "" && indentIn(lines, at) < indent) return lines[at - 1]!.trim();
  return "";
}

const pythonsOf = (value: PythonValue | undefined) => {
  const all = value?.kind === "list" ? value.items : value ? [value] : [];
  return all.flatMap((each) => (each.kind === "text" && each.isKnown && /^3\.\d+$/.test(each.text) ? [each] : []));
};
