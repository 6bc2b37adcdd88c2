// https://setuptools.pypa.io/en/latest/userguide/declarative_config.html
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { defineFormat } from "../format.ts";
import { readIni, type IniLine } from "../ini.ts";
import { placeAt } from "../lines.ts";
import { listedInstall } from "../listed.ts";
import { onceTold } from "../once-told.ts";

export default defineFormat({
  id: "setup-cfg",
  words: "setup.cfg",
  place: 25,
  // Most of them only set up other tools.
  signs: [{ by: "name", is: ({ name, text }) => name === "setup.cfg" && /^\[options(?:\.extras_require)?\]/m.test(text) }],
  read: readSetupCfg,
  example: { file: "setup.cfg", text: "[options]\ninstall_requires =\n    torch==2.4.1\n" },
});

function readSetupCfg(text: string, file: string): Declaration {
  const declaration: Declaration = { format: "setup-cfg", file, steps: [], unknown: [] };
  const sections = readIni(text);
  const options = sections.find(({ name }) => name === "options");
  const [python] = options?.values.get("python_requires") ?? [];
  const shared: DeclaredStep[] = python
    ? [{ kind: "python", specifier: python.text, place: placeAt(file, python.line, python.column, python.text.length) }]
    : [];
  const base = withFiles(options?.values.get("install_requires") ?? []);
  const extras = sections.find(({ name }) => name === "options.extras_require")?.values ?? new Map<string, IniLine[]>();
  const choices: [string, IniLine[]][] = [
    ["dependencies", []],
    ...[...extras.keys()].map((name): [string, IniLine[]] => [`extra ${name}`, withFiles(putIn(name, extras))]),
  ];
  const alternatives = choices.flatMap(([name, lines]): Alternative[] => {
    const install = listedInstall([...base, ...lines], declaration);
    return install ? [{ name, steps: [...shared, install] }] : [];
  });
  declaration.unknown = onceTold(declaration.unknown);
  return { ...declaration, steps: alternatives[0]?.steps ?? shared, alternatives };
}

/** `%(docs)s` stands for what the extra `docs` has: setuptools reads the file so. */
function putIn(name: string, extras: Map<string, IniLine[]>, within: string[] = []): IniLine[] {
  return (extras.get(name) ?? []).flatMap((line) => {
    const other = /^%\(([^)]+)\)s$/.exec(line.text)?.[1];
    const isOther = other !== undefined && extras.has(other) && ![...within, name].includes(other);
    return isOther ? putIn(other, extras, [...within, name]) : [line];
  });
}

/** `file: a.txt, b.txt` takes the lists of others. */
const withFiles = (lines: IniLine[]): IniLine[] =>
  lines.flatMap((each) => {
    const files = /^file:\s*(.*)$/.exec(each.text)?.[1];
    return files === undefined ? [each] : files.split(",").map((file) => ({ ...each, text: `-r ${file.trim()}` }));
  });
