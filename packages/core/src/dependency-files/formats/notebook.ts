// Notebooks of Jupyter: https://nbformat.readthedocs.io/
import type { Place } from "../../model/finding.ts";
import type { Declaration, DeclaredStep, RecordedOutput } from "../../model/dependency-file.ts";
import { scanJson } from "../../lib/json-scan.ts";
import { normalName } from "../../lib/pep508.ts";
import { readShell } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { readJson } from "../json.ts";
import { asItsMetadataSays } from "../kaggle.ts";
import { joinedPath, splitLines } from "../lines.ts";
import { filesUnder } from "../project-command.ts";
import type { Setting } from "../setting.ts";
import type { Variables } from "../shell.ts";
import { frameworkOf } from "../words.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "notebook",
  words: "a notebook",
  place: 14,
  signs: [
    { by: "name", is: ({ name }) => name.endsWith(".ipynb") },
    { by: "text and ending", is: ({ name, head }) => name.endsWith(".json") && /"nbformat"\s*:|"cell_type"\s*:/.test(head) },
  ],
  read: readNotebook,
  example: {
    file: "train.ipynb",
    text: '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": ["!pip install torch==2.4.1"], "outputs": [], "metadata": {}}]}\n',
  },
});

function readNotebook(text: string, file: string, conditions: Conditions): Declaration {
  const declaration: Declaration = { format: "notebook", file, steps: [], unknown: [] };
  const notebook = readJson(text);
  if (!isObject(notebook)) throw new Error("it is JSON, but not a notebook");
  const metadata = isObject(notebook["metadata"]) ? notebook["metadata"] : {};
  if (isObject(metadata["colab"])) declaration.isColab = true;
  const variables: Variables = new Map();
  const where: Cell["where"] = { base: "/content", clones: new Map(), folder: "" };
  const fileLines = fileLinesOf(text);
  const cells = cellsOf(notebook);
  const recorded: RecordedOutput[] = [];
  const lastRun = cells.reduce((last, { cell }) => Math.max(last, runOf(cell)), 0);
  const lastPrinted = cells.findLastIndex(({ cell }) => Array.isArray(cell["outputs"]) && 0 < cell["outputs"].length);
  for (const [index, { cell, path }] of cells.entries()) {
    const source = cell["source"] === undefined ? "input" : "source";
    const parts = partsOf(cell[source], `${path}/${source}`);
    const code = parts.map(({ text: part }) => part).join("");
    const steps = readCell(code, { file, cell: index + 1, variables, conditions, declaration, where });
    if (condaInPlace.test(code)) {
      declaration.hasOwnPython = true;
      const reason = "condacolab puts a Python of conda's in the place of Colab's: what is there is not known";
      declaration.unknown.push({ subject: `${file} cell ${index + 1}`, reason });
    }
    const lineOf = fileLines(parts);
    const places = steps.flatMap((step) => [step.place, ...(step.kind === "install" ? step.packages.map(({ place }) => place) : [])]);
    for (const place of places) {
      const line = lineOf(place.line);
      if (line !== undefined) place.fileLine = line;
    }
    declaration.steps.push(...steps);
    const outputs = Array.isArray(cell["outputs"]) ? cell["outputs"].map((each) => (isObject(each) ? each : {})) : [];
    const failure = outputs.find(isFailure);
    const isProgram = failure?.["ename"] === "CalledProcessError";
    for (const [number, output] of outputs.entries()) {
      const printed = printedBy(output, `${path}/outputs/${number}`);
      if (0 < printed.length)
        recorded.push({
          place: { file, cell: index + 1, output: number + 1, line: 1 },
          text: printed.map(({ text: part }) => part).join(""),
          fileLine: fileLines(printed),
          isError: output === failure || isProgram,
          isLast: lastRun === 0 ? index === lastPrinted : runOf(cell) === lastRun,
        });
    }
  }
  return asItsMetadataSays(0 < recorded.length ? { ...declaration, recorded } : declaration, metadata, text);
}

interface Part {
  text: string;
  /** Where in the notebook it stands: `cells/3/source/0`. */
  path: string;
}

/** Code cells, in their order; those of the oldest notebooks lie in sheets. */
function cellsOf(notebook: { [name: string]: unknown }): { cell: { [name: string]: unknown }; path: string }[] {
  const sheets = Array.isArray(notebook["worksheets"])
    ? notebook["worksheets"].map((sheet: unknown, index) => ({ sheet, path: `worksheets/${index}/cells` }))
    : [{ sheet: notebook as unknown, path: "cells" }];
  return sheets.flatMap(({ sheet, path }) =>
    isObject(sheet) && Array.isArray(sheet["cells"])
      ? sheet["cells"].flatMap((cell: unknown, index) =>
          isObject(cell) && cell["cell_type"] === "code" ? [{ cell, path: `${path}/${index}` }] : [],
        )
      : [],
  );
}

/** Which one of a run it was; 0 where it was not run. */
const runOf = (cell: { [name: string]: unknown }): number => {
  const count = cell["execution_count"] ?? cell["prompt_number"];
  return typeof count === "number" ? count : 0;
};

/** A text, or a list of texts that are one. */
const partsOf = (value: unknown, path: string): Part[] =>
  typeof value === "string"
    ? [{ text: value, path }]
    : Array.isArray(value)
      ? value.flatMap((text: unknown, index) => (typeof text === "string" ? [{ text, path: `${path}/${index}` }] : []))
      : [];

const isFailure = ({ output_type: kind }: { [name: string]: unknown }) => kind === "error" || kind === "pyerr";

/** What people read of an output: no pictures, and of an error no lines of the code that raised it. */
function printedBy(output: { [name: string]: unknown }, path: string): Part[] {
  if (!isFailure(output)) {
    const data = isObject(output["data"]) ? output["data"] : undefined;
    return data ? partsOf(data["text/plain"], `${path}/data/text/plain`) : partsOf(output["text"], `${path}/text`);
  }
  const traceback = partsOf(output["traceback"], `${path}/traceback`).map(({ text, path: at }) => ({
    text: `${text.replace(colours, "").replace(codeLine, "")}\n`,
    path: at,
  }));
  const [name, value] = [output["ename"], output["evalue"]];
  if (typeof value !== "string") return traceback;
  const first = value.split("\n")[0]!.trim();
  return traceback.some(({ text }) => text.includes(first))
    ? traceback
    : [...traceback, { text: `${name}: ${value}\n`, path: `${path}/evalue` }];
}

// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[[\d;]*m/g;
// `---> 12     raise RuntimeError("…")` and its neighbours: what code would say is not what it said.
const codeLine = /^(?:-+> ?|[ \t]*)\d+(?:[ \t].*)?$/gm;

/** The line of the notebook's file that holds a line of a text, from what is JSON around it. It is gone through when first asked. */
function fileLinesOf(text: string): (parts: Part[]) => (line: number) => number | undefined {
  let lines: Map<string, number> | undefined;
  const all = (): Map<string, number> => {
    if (lines) return lines;
    const found = (lines = new Map<string, number>());
    scanJson(text.replace(/^\ufeff/, ""), (path, at) => {
      if (path.length <= deepest) found.set(path.join("/"), at);
    });
    return found;
  };
  return (parts) => {
    let holders: string[] | undefined;
    return (line) => {
      holders ??= parts.flatMap(({ text: part, path }) => Array<string>(part.split("\n").length - 1).fill(path));
      const path = holders[line - 1] ?? parts.at(-1)?.path;
      return path === undefined ? undefined : all().get(path);
    };
  };
}

/** `worksheets/0/cells/1/outputs/0/data/text/plain`: no text that is asked for lies deeper. */
const deepest = 8;

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Cell magics whose text is no Python. */
const foreign = /^%%(?:html|javascript|js|latex|markdown|svg|writefile|file|cython|R|perl|ruby|sql|bigquery|script\s+(?!ba?sh))/;

/** https://github.com/conda-incubator/condacolab: from there on `pip` is that of a conda which it has just installed. */
const condaInPlace = /^[ \t]*condacolab\.install(?:_\w{1,40})?[ \t]*\(/m;

/** Where a file of Colab's or Kaggle's folders lies beside the notebook. */
const nearTo = (path: string): string[] => [
  path.replace(/^\/content\/(?:drive\/[^/]*\/)?|^\/kaggle\/(?:working|input)\//, ""),
  path.slice(path.lastIndexOf("/") + 1),
];

interface Cell {
  file: string;
  /** Its number, from 1. */
  cell: number;
  variables: Variables;
  conditions: Conditions;
  declaration: Declaration;
  /** `%cd` holds for all cells below, and so does what was cloned. */
  where: Pick<Setting, "base" | "clones" | "folder" | "isLost">;
}

function readCell(code: string, { file, cell, variables, conditions, declaration, where }: Cell): DeclaredStep[] {
  const steps: DeclaredStep[] = [];
  const lines = splitLines(code);
  let blocks: Block[] = [];
  const setting = (first: number, column: number): Setting => ({
    variables,
    place: (word): Place => ({ file, cell, line: first + word.line - 1, column: word.line === 1 ? column + word.column - 1 : word.column }),
    candidates: nearTo,
    project: (folder, names) => filesUnder("", folder, names),
    isOwnShell: false,
    ...where,
    conditions,
    tell: (place, reason) => declaration.unknown.push({ subject: `${file} cell ${cell}:${place.line}`, reason }),
  });
  const shell = (text: string, first: number, column: number) => {
    // What Python puts in is not known here, but for the Python itself.
    const known = text.replace(/\{([^{}\n]*)\}/g, (_, inside: string) => (inside.includes("sys.executable") ? "python" : "$_"));
    const isRepair = blocks.some((block) => block.isRepair);
    for (const step of readShell(known, setting(first, column)))
      steps.push(
        isRepair && (step.kind === "install" || step.kind === "uninstall")
          ? asRepair(step, setting(first, column).tell)
          : // `!export` is gone with the shell of that line.
            step.kind === "variable"
            ? { ...step, isLate: true }
            : step,
      );
  };
  const begin = lines.findIndex((line) => line.trim() !== "" && !line.trimStart().startsWith("#"));
  const magic = lines[begin]?.trim() ?? "";
  if (foreign.test(magic)) return steps;
  if (/^%%(?:bash|sh|system|!|script\s+ba?sh)/.test(magic)) {
    shell(lines.slice(begin + 1).join("\n"), begin + 2, 1);
    return steps;
  }
  let quote = "";
  for (let index = magic.startsWith("%%") ? begin + 1 : 0; index < lines.length; index += 1) {
    const line = lines[index]!;
    const place: Place = { file, cell, line: index + 1 };
    const isInside = quote !== "";
    for (const [mark] of line.matchAll(/"""|'''/g)) quote = quote === "" ? mark : quote === mark ? "" : quote;
    if (isInside || line.trim() === "" || line.trimStart().startsWith("#")) continue;
    blocks = blocksAt(line, blocks, (words) => conditions.holds(words, place));
    // What is imported or set in a branch that is not taken is not, either.
    if (blocks.some((block) => !block.isTaken)) continue;
    const [, indent, mark] = /^(\s*)(!{1,2}|%(?=(?:pip|conda|mamba|uv|sh|sx)\b)|%%(?=pip\b)|(?=pip3? (?:un)?install\s))/.exec(line) ?? [];
    if (mark !== undefined) {
      const first = index;
      const parts = [line.slice(indent!.length + mark.length)];
      while (parts.at(-1)!.endsWith("\\") && index + 1 < lines.length) parts.push(lines[(index += 1)]!);
      shell(parts.join("\n"), first + 1, indent!.length + mark.length + 1);
      continue;
    }
    goElsewhere(line, where);
    const set = readVariableMagic(line, place, variables);
    steps.push(...(set ? [set] : readMagic(line, place, blocks)));
    if (!set) readPython(line, place, steps, shell, variables);
  }
  return steps;
}

/** What is installed in place of something that nobody sees here is not counted. */
function asRepair(step: DeclaredStep & { kind: "install" | "uninstall" }, tell: Setting["tell"]): DeclaredStep {
  const names = step.kind === "install" ? step.packages.map(({ name }) => name) : step.names;
  if (names.some((name) => frameworkOf(normalName(name)) !== undefined))
    tell(step.place, "it is installed under a condition, which may not hold: not counted");
  return { kind: "unseen", what: "an installation under a condition", place: step.place };
}

/** What a line of Python stands in: `if …:`, `except:`. */
interface Block {
  indent: number;
  word: string;
  /** What it holds is run, in this reading. */
  isTaken: boolean;
  /** It is run where something else fails, is too old or is not on Colab: what it installs fits what nobody sees here. */
  isRepair: boolean;
  /** One of the branches so far was. */
  isDone: boolean;
}

function blocksAt(line: string, around: Block[], holds: (words: string) => boolean): Block[] {
  const indent = line.length - line.trimStart().length;
  const blocks = around.filter((block) => block.indent < indent);
  const [, word, condition] = /^\s*(if|elif|else|try|except|finally|for|while|with)\b(.*?):\s*(?:#.*)?$/.exec(line) ?? [];
  if (word === undefined) return blocks;
  const before = around.find((block) => block.indent === indent && /^(?:el)?if$/.test(block.word));
  const isDone = before !== undefined && word.startsWith("el") && before.isDone;
  const isLive = blocks.every((block) => block.isTaken);
  const isRepair = word === "except" || (/^(?:el)?if$/.test(word) && isOfRepair(condition!));
  const isTaken = isLive && !isDone && (isRepair || isRun(word, condition!.trim(), before !== undefined, holds));
  return [...blocks, { indent, word, isTaken, isRepair, isDone: isDone || (isTaken && !isRepair) }];
}

const ofColab = /(?:^|[^a-z])colab(?![a-z])/i;
const ofRepairs = /version|find_spec|sys\.modules/i;

const isOfRepair = (condition: string) => (ofColab.test(condition) ? /\bnot\b|!=/.test(condition) : ofRepairs.test(condition));

function isRun(word: string, condition: string, isAfterIf: boolean, holds: (words: string) => boolean): boolean {
  if (!/^(?:el)?if$/.test(word)) return word !== "else" || isAfterIf;
  // That a notebook runs on Colab is what its author reckons with.
  return ofColab.test(condition) || /^(?:True|1)$/.test(condition) || holds(`\`${condition.slice(0, 90).replaceAll("`", "'")}\` holds`);
}

/** `%cd folder`, `os.chdir("folder")`. */
function goElsewhere(line: string, where: Cell["where"]): void {
  const [, magic, quoted] = /^\s*(?:%?cd\s+([^\s#]+)|os\.chdir\(\s*["']([^"']+)["']\s*\))/.exec(line) ?? [];
  const to = magic?.replace(/^(["'])(.*)\1$/, "$2") ?? quoted;
  if (to === undefined) return;
  where.isLost = (where.isLost === true && !to.startsWith("/")) || /^[-~]|[${]/.test(to);
  where.folder = joinedPath(where.folder ?? "", to);
}

/** `%env NAME=value`. */
function readVariableMagic(line: string, place: Place, variables: Variables): DeclaredStep | undefined {
  const [, name, value] = /^\s*%(?:env|set_env)\s+([A-Za-z_]\w*)(?:\s*=\s*|\s+)(.*)$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  if (/[${]/.test(value!)) variables.delete(name);
  else variables.set(name, value!);
  return { kind: "variable", name, value: value!, isLate: true, place };
}

/** A magic of Colab's own. What it raises is caught where it stands in a `try`. */
const readMagic = (line: string, place: Place, blocks: Block[]): DeclaredStep[] =>
  /^\s*%tensorflow_version\b/.test(line) && !blocks.some(({ word }) => word === "try") ? [{ kind: "line", text: line.trim(), place }] : [];

function readPython(
  line: string,
  place: Place,
  steps: DeclaredStep[],
  shell: (text: string, line: number, column: number) => void,
  variables: Variables,
): void {
  const [, names] = /^\s*import\s+([\w., ]+)/.exec(line) ?? [];
  for (const name of names?.split(",") ?? []) steps.push({ kind: "import", module: name.trim().split(/[\s.]/)[0]!, place });
  const [, from] = /^\s*from\s+([A-Za-z_]\w*)[\w.]*\s+import\b/.exec(line) ?? [];
  if (from !== undefined) steps.push({ kind: "import", module: from, place });
  const [, variable, rest] =
    /\bos\.environ(?:\[\s*|\.setdefault\(\s*)["'](\w+)["'](?:\s*\]\s*\+?=(?!=)|\s*,)\s*(.*)$/.exec(line) ??
    /\bos\.putenv\(\s*["'](\w+)["']\s*,\s*(.*)$/.exec(line) ??
    [];
  if (variable !== undefined) {
    const [, literal] = /^["']([^"']*)["']\s*\)?\s*$/.exec(rest!.trim()) ?? [];
    if (literal === undefined) variables.delete(variable);
    else variables.set(variable, literal);
    steps.push({ kind: "variable", name: variable, ...(literal === undefined ? {} : { value: literal }), isLate: true, place });
  }
  if (/\bos\.kill\(\s*os\.getpid\(\)|\bos\._exit\(|do_shutdown\(|condacolab\.install|^\s*(?:exit|quit)\(\s*\)/.test(line))
    steps.push({ kind: "restart", place });
  const [called, , quoted] =
    /\b(?:os\.system|get_ipython\(\)\.(?:system|run_line_magic)|subprocess\.\w+)\(\s*f?(["'])((?:(?!\1).)*)\1/.exec(line) ?? [];
  if (called !== undefined && !called.includes("[")) shell(quoted!, place.line, 1);
  const [, list] = /\bsubprocess\.\w+\(\s*\[([^\]]*)\]/.exec(line) ?? [];
  if (list !== undefined) {
    const words = [...list.matchAll(/sys\.executable|["']([^"']*)["']/g)].map(([whole, word]) =>
      whole === "sys.executable" ? "python" : `'${word}'`,
    );
    shell(words.join(" "), place.line, 1);
  }
}
