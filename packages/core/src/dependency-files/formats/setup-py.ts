// https://setuptools.pypa.io/en/latest/userguide/dependency_management.html
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat } from "../format.ts";
import type { IniLine } from "../ini.ts";
import { placeAt } from "../lines.ts";
import { listedInstall } from "../listed.ts";
import { onceTold } from "../once-told.ts";
import { readPythonText, type PythonValue } from "../python-text.ts";

export default defineFormat({
  id: "setup-py",
  words: "setup.py",
  place: 26,
  signs: [{ by: "name", is: ({ name, text }) => name === "setup.py" && /\bsetup\s*\(/.test(text) }],
  read: readSetupPy,
  example: { file: "setup.py", text: 'from setuptools import setup\n\nsetup(name="x", install_requires=["torch==2.4.1"])\n' },
});

function readSetupPy(text: string, file: string, conditions: Conditions): Declaration {
  const declaration: Declaration = { format: "setup-py", file, steps: [], unknown: [] };
  const program = readPythonText(text.replace(/^\ufeff/, ""), {
    calls: /^setup$/,
    holds: (words, { line, column }, usual) => conditions.holds(`\`${words.slice(0, 90)}\` holds`, placeAt(file, line, column), usual),
  });
  const setup = program.calls.find(({ name }) => /^(?:setuptools\.)?setup$/.test(name));
  const python = setup?.named.get("python_requires");
  const shared: DeclaredStep[] =
    python?.kind === "text" && python.isKnown
      ? [{ kind: "python", specifier: python.text, place: placeAt(file, python.line, python.column) }]
      : [];
  const base = requirementsIn(setup?.named.get("install_requires"), declaration, program.texts);
  const extras = setup?.named.get("extras_require");
  if (extras && extras.kind !== "table" && !(extras.kind === "list" && extras.items.length === 0)) tell(declaration, extras);
  const choices: [string, IniLine[]][] = [
    ["dependencies", []],
    ...(extras?.kind === "table"
      ? [...extras.entries].map(([name, value]): [string, IniLine[]] => [`extra ${name}`, requirementsIn(value, declaration)])
      : []),
  ];
  const alternatives = choices.flatMap(([name, lines]): Alternative[] => {
    const install = listedInstall([...base, ...lines], declaration);
    return install ? [{ name, steps: [...shared, install] }] : [];
  });
  declaration.unknown = onceTold(declaration.unknown);
  return { ...declaration, steps: alternatives[0]?.steps ?? shared, alternatives };
}

/** `texts`: those of the whole program, where a list may be read from a file by any way. */
function requirementsIn(value: PythonValue | undefined, declaration: Declaration, texts: string[] = []): IniLine[] {
  if (!value) return [];
  if (value.kind === "list") return value.items.flatMap((each) => requirementsIn(each, declaration, texts));
  if (value.kind === "text" && value.isKnown)
    return value.text
      .split("\n")
      .flatMap((text, index) =>
        text.trim() === "" ? [] : [{ text: text.trim(), line: value.line + index, column: value.column + (index === 0 ? 1 : 0) }],
      );
  // `parse_requirements("requirements.txt")`, `[line.strip() for line in open("requirements.txt")]`.
  const file = value.kind === "unknown" ? (onlyList(value.texts) ?? onlyList(texts)) : undefined;
  if (file !== undefined) return [{ text: `-r ${file}`, line: value.line, column: value.column }];
  tell(declaration, value);
  return [];
}

/** The one list of requirements that texts name. */
function onlyList(texts: string[]): string | undefined {
  const named = new Set(
    texts.filter((text) =>
      /^(?:\.\/)?(?:[\w-][\w.-]*\/){0,4}[\w.-]*require[\w.-]*\.(?:txt|in)$|^(?:\.\/)?requirements\/[\w.-]+\.txt$/i.test(text),
    ),
  );
  return named.size === 1 ? [...named][0] : undefined;
}

const tell = ({ file, unknown }: Declaration, { line, column }: { line: number; column: number }) =>
  void unknown.push({ subject: `${file}:${line}:${column}`, reason: "what stands here is worked out by the program: it is not known" });
