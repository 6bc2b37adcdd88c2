// https://tox.wiki/en/latest/config.html
import type { Alternative, Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { readShell } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat } from "../format.ts";
import { readIni, type IniLine, type IniSection } from "../ini.ts";
import { filesUnder } from "../project-command.ts";
import { placeAt, splitLines } from "../lines.ts";
import { listedInstall } from "../listed.ts";
import { onceTold } from "../once-told.ts";
import { readToml } from "../toml.ts";

export default defineFormat({
  id: "tox",
  words: "tox.ini or tox.toml",
  place: 23,
  signs: [{ by: "name", is: ({ name }) => /^tox(?:[._-].*)?\.(?:ini|toml)$/.test(name) }],
  read: readTox,
  example: { file: "tox.ini", text: "[testenv]\ndeps =\n    torch==2.4.1\n" },
});

/** More than anybody tests. */
const mostEnvironments = 200;

/** Every environment is an installation of its own. */
function readTox(text: string, file: string, conditions: Conditions): Declaration {
  const declaration: Declaration = { format: "tox", file, steps: [], unknown: [] };
  const sections = file.endsWith(".toml") ? sectionsOfToml(text) : readIni(text);
  const section = (name: string) => sections.find((each) => each.name === name);
  const general = section("tox");
  const lists = [...(general?.values.get("envlist") ?? []), ...(general?.values.get("env_list") ?? [])];
  const listed = lists.flatMap((each) => namesIn(each.text));
  const own = sections.flatMap(({ name }) => (name.startsWith("testenv:") ? namesIn(name.slice(8)) : []));
  const names = [...new Set([...listed, ...own])];
  if (mostEnvironments < names.length)
    declaration.unknown.push({ subject: `${file}:1`, reason: `the first ${mostEnvironments} of ${names.length} environments are judged` });
  const alternatives: Alternative[] = (names.length === 0 ? ["testenv"] : names.slice(0, mostEnvironments)).map((name) => ({
    name: `tox environment ${name}`,
    steps: stepsOf(name, sections, declaration, conditions, lists.find((each) => namesIn(each.text).includes(name))?.line),
  }));
  const counted = alternatives.filter(({ steps }) => steps.some(({ kind }) => kind === "install"));
  // Environments that install the same are one.
  const different = [...new Map(counted.toReversed().map((each) => [whatIsDone(each.steps), each])).values()].toReversed();
  declaration.unknown = onceTold(declaration.unknown);
  return { ...declaration, steps: different[0]?.steps ?? [], alternatives: different };
}

/** tox.toml as tox.ini has it: `[env_run_base]` is `[testenv]`, and `[env.lint]` is `[testenv:lint]`. */
function sectionsOfToml(text: string): IniSection[] {
  const root = readToml(text);
  if (!isTable(root)) return [];
  const lines = splitLines(text);
  const section = (name: string, table: unknown, head: RegExp): IniSection[] => {
    if (!isTable(table)) return [];
    const begin = Math.max(
      0,
      lines.findIndex((line) => head.test(line)),
    );
    const values = Object.entries(table).map(([key, value]): [string, IniLine[]] => [
      key,
      wordsOf(value).map((word) => placed(lines, begin, word)),
    ]);
    return [{ name, line: begin + 1, values: new Map(values) }];
  };
  const environments = isTable(root["env"]) ? Object.entries(root["env"]) : [];
  return [
    ...section("tox", root, /^/),
    ...section("testenv", root["env_run_base"], /^\s*\[\s*env_run_base\s*\]/),
    ...environments.flatMap(([name, table]) =>
      section(`testenv:${name}`, table, new RegExp(`^\\s*\\[\\s*env\\s*\\.\\s*["']?${name.replace(/[^\w-]/g, "\\$&")}["']?\\s*\\]`)),
    ),
  ];
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** `deps` and names are lists of texts, a command is a list of its words, and variables are a table. What tox puts together by itself is no text. */
function wordsOf(value: unknown): string[] {
  if (typeof value === "string") return value.split("\n").map((line) => line.trim());
  if (isTable(value)) {
    if ("replace" in value || "prefix" in value) return ["{replace}"];
    return Object.entries(value).map(([name, text]) => `${name}=${typeof text === "string" ? text : "{replace}"}`);
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((each) => (Array.isArray(each) ? [each.filter((word) => typeof word === "string").join(" ")] : wordsOf(each)));
}

/** Where a word stands, from a line on; a command stands where its first word does. */
function placed(lines: string[], begin: number, text: string): IniLine {
  const [first = ""] = text.split(/[\s=]/);
  for (const wanted of [text, first]) {
    const at = wanted === "" ? -1 : lines.findIndex((line, index) => begin <= index && line.includes(wanted));
    if (0 <= at) return { text, line: at + 1, column: lines[at]!.indexOf(wanted) + 1 };
  }
  return { text, line: begin + 1, column: 1 };
}

/** `py{310,311}-torch{24,25}, lint` → each of them. */
function namesIn(text: string): string[] {
  return (text.match(/(?:\{[^{}]*\}|[^\s,{}])+/g) ?? []).flatMap((word) => {
    let all = [""];
    for (const part of word.match(/\{[^{}]*\}|[^{}]+/g) ?? []) {
      const choices = part.startsWith("{")
        ? part
            .slice(1, -1)
            .split(",")
            .map((each) => each.trim())
        : [part];
      if (mostEnvironments < all.length * choices.length) return [];
      all = all.flatMap((begin) => choices.map((each) => begin + each));
    }
    return all;
  });
}

/** Where a Python is chosen makes no other environment. */
const whatIsDone = (steps: DeclaredStep[]): string =>
  JSON.stringify(steps.map((step) => (step.kind === "python" ? { ...step, place: undefined } : step)));

function stepsOf(
  name: string,
  sections: IniSection[],
  declaration: Declaration,
  conditions: Conditions,
  /** The line that lists the environment; absent for one that only has a section. */
  listedAt: number | undefined,
): DeclaredStep[] {
  const { file } = declaration;
  const factors = new Set(name.split("-"));
  const own = sections.find((each) => each.name.startsWith("testenv:") && namesIn(each.name.slice(8)).includes(name));
  const usual = sections.find((each) => each.name === "testenv");
  const lines = (...keys: string[]) =>
    linesOf(
      sections,
      keys.flatMap((key) => own?.values.get(key) ?? usual?.values.get(key) ?? []),
      factors,
      [],
    );
  const tell = (line: number, column: number, reason: string) =>
    void declaration.unknown.push({ subject: `${file}:${line}:${column}`, reason });
  const [, major, minor] =
    [...factors].map((factor) => /^(?:(?:py|python)(?=3)|(?=3\.))(3)\.?(\d+)$/.exec(factor)).find((found) => found !== null) ?? [];
  const base = lines("basepython", "base_python")[0];
  const based = /^(?:python)?(3\.\d+)$/.exec(base?.text ?? "")?.[1];
  const python = based ?? (major === undefined ? undefined : `${major}.${minor}`);
  // A variable has its default, unless the machine says otherwise.
  const written = lines("deps").map((each) => ({ ...each, text: each.text.replace(/\{env:\w+:([^{}]*)\}/g, "$1") }));
  const deps = written.filter(({ text, line, column }) => {
    const isKnown = !/\{(?!posargs|toxinidir|tox_root)/.test(text);
    if (!isKnown) tell(line, column, "what tox puts in here is not known");
    return isKnown;
  });
  const install = listedInstall(
    deps.map((each) => ({ ...each, text: each.text.replace(/\{(?:toxinidir|tox_root)\}\/?/g, "") })),
    declaration,
  );
  // Its name chooses the Python, where it is listed or has its section.
  const place = placeAt(file, (based === undefined ? undefined : base?.line) ?? listedAt ?? own?.line ?? usual?.line ?? 1);
  const variables = lines("setenv", "set_env").flatMap((each) => variableIn(each, file));
  const commands = lines("commands_pre", "commands").flatMap((each) => commandSteps(each, declaration, conditions));
  return [
    ...(python === undefined ? [] : [{ kind: "python" as const, specifier: `==${python}.*`, place }]),
    ...variables,
    ...(install ? [install] : []),
    ...commands.filter(({ kind }) => kind === "install" || kind === "uninstall"),
  ];
}

/** `NAME = value`; what tox puts in is not known. */
function variableIn({ text, line, column }: IniLine, file: string): DeclaredStep[] {
  const [, name, value] = /^([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(text) ?? [];
  if (name === undefined) return [];
  return [
    { kind: "variable", name, ...(value!.includes("{") ? {} : { value: value! }), isLate: false, place: placeAt(file, line, column) },
  ];
}

function commandSteps({ text, line, column }: IniLine, { file, unknown }: Declaration, conditions: Conditions): DeclaredStep[] {
  return readShell(
    text
      .replace(/^-\s*/, "")
      .replace(/\{(?:posargs|envpython|envbindir)[^}]*\}/g, (whole) => (whole.startsWith("{envpython") ? "python" : "")),
    {
      variables: new Map(),
      place: (word) => placeAt(file, line, column + word.column - 1, word.text.length),
      candidates: (path) => [path],
      project: (at, names) => filesUnder("", at, names),
      isOwnShell: true,
      conditions,
      tell: (at, reason) => unknown.push({ subject: `${file}:${at.line}:${at.column}`, reason }),
    },
  );
}

/** Lines of a value whose factors are those of the environment, with what other sections give. */
function linesOf(sections: IniSection[], all: IniLine[], factors: Set<string>, above: string[]): IniLine[] {
  return all.flatMap((each): IniLine[] => {
    const [condition, wanted] = /^([\w!.,{}\s-]*[\w}]):\s+(?=\S)/.exec(each.text) ?? [];
    if (condition !== undefined && !isMeant(wanted!, factors)) return [];
    const text = each.text.slice(condition?.length ?? 0);
    const [whole, section, key] = /^\{\[([^\]]+)\]([\w-]+)\}$/.exec(text) ?? [];
    if (whole === undefined) return [{ ...each, text, column: each.column + (condition?.length ?? 0) }];
    const given = above.includes(whole) ? undefined : sections.find(({ name }) => name === section)?.values.get(key!.toLowerCase());
    return given ? linesOf(sections, given, factors, [...above, whole]) : [];
  });
}

/** `py310,py311-torch25`: one of those between commas, with all of its factors; `!` means without. */
const isMeant = (condition: string, factors: Set<string>): boolean =>
  namesIn(condition).some((each) =>
    each.split("-").every((factor) => (factor.startsWith("!") ? !factors.has(factor.slice(1)) : factors.has(factor))),
  );
