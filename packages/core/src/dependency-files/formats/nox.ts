// https://nox.thea.codes/en/stable/config.html
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readCommand } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat } from "../format.ts";
import { placeAt, splitLines } from "../lines.ts";
import { readPythonText, type PythonCall, type PythonValue } from "../python-text.ts";
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

/** Every session is an installation of its own, and so is each of its Pythons. */
function readNoxfile(text: string, file: string, conditions: Conditions): Declaration {
  const declaration: Declaration = { format: "nox", file, steps: [], unknown: [] };
  const tell = (line: number, column: number, reason: string) =>
    void declaration.unknown.push({ subject: `${file}:${line}:${column}`, reason });
  const { calls, functions } = readPythonText(text.replace(/^\ufeff/, ""));
  const lines = splitLines(text);
  const indentOf = (line: number) => indentIn(lines, line);
  const alternatives = functions.flatMap(({ name, line }, index): Alternative[] => {
    const [before, after] = [functions[index - 1]?.line ?? 0, functions[index + 1]?.line ?? Infinity];
    const decorator = calls.find(
      (call) => call.isDecorator && before < call.line && call.line < line && /(?:^|\.)session$/.test(call.name),
    );
    const own = calls.filter((call) => line < call.line && call.line < after && /^session\.\w+$/.test(call.name));
    const bodyIndent = indentOf(lines.findIndex((each, at) => line <= at && each.trim() !== "") + 1);
    const steps = own.flatMap((call) => stepsOf(call, bodyIndent < indentOf(call.line) ? blockAround(call.line, lines) : undefined));
    if (!steps.some(({ kind }) => kind === "install")) return [];
    const pythons = pythonsOf(decorator?.named.get("python"));
    if (pythons.length === 0) return [{ name: `session ${name}`, steps }];
    return pythons.map(({ text: python, line: at, column }) => ({
      name: `session ${name}-${python}`,
      steps: [{ kind: "python" as const, specifier: `==${python}.*`, place: placeAt(file, at, column) }, ...steps],
    }));
  });
  return { ...declaration, steps: alternatives[0]?.steps ?? [], alternatives };

  function stepsOf({ name, values, line, column }: PythonCall, block: string | undefined): DeclaredStep[] {
    const begin = installing[name.slice("session.".length)];
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
    const words = [...begin.map((each): Word => ({ text: each, isKnown: true, line, column })), ...values.flatMap(wordsOf)];
    return readCommand(words, {
      variables: new Map(),
      place: (word) => placeAt(file, word.line, word.column, word.text.length),
      candidates: (path) => [path],
      isOwnShell: true,
      conditions,
      tell: (place, reason) => tell(place.line, place.column ?? 1, reason),
    });
  }

  function wordsOf(value: PythonValue): Word[] {
    if (value.kind === "text") return [{ text: value.text, isKnown: value.isKnown, line: value.line, column: value.column + 1 }];
    if (value.kind === "list") return value.items.flatMap(wordsOf);
    tell(value.line, value.column, "what stands here is worked out by the program: it is not known");
    return [];
  }
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
