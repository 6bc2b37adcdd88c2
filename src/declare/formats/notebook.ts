// Notebooks of Jupyter: https://nbformat.readthedocs.io/
import type { Place } from "../../model/check.ts";
import type { Declaration, DeclaredStep } from "../../model/declaration.ts";
import { readShell, type Setting } from "../commands.ts";
import { finderOf, type Finder } from "../finding-lines.ts";
import { splitLines } from "../lines.ts";
import type { Variables } from "../shell.ts";

export function readNotebook(text: string, file: string): Declaration {
  const declaration: Declaration = { format: "notebook", file, steps: [], unknown: [] };
  const notebook = JSON.parse(text.replace(/^\ufeff/, "")) as unknown;
  if (!isObject(notebook)) throw new Error("it is JSON, but no notebook");
  const sheets = Array.isArray(notebook["worksheets"]) ? notebook["worksheets"].filter(isObject) : [notebook];
  const cells = sheets.flatMap(({ cells: all }) => (Array.isArray(all) ? all.filter(isObject) : []));
  const metadata = isObject(notebook["metadata"]) ? notebook["metadata"] : {};
  if (isObject(metadata["colab"])) declaration.isColab = true;
  const variables: Variables = new Map();
  const finder = finderOf(text, file);
  let number = 0;
  for (const cell of cells) {
    if (cell["cell_type"] !== "code") continue;
    number += 1;
    const source = cell["source"] ?? cell["input"];
    const code = Array.isArray(source)
      ? source.filter((part) => typeof part === "string").join("")
      : typeof source === "string"
        ? source
        : "";
    const steps = readCell(code, file, number, variables, declaration);
    if (0 < steps.length) addFileLines(steps, code, finder);
    declaration.steps.push(...steps);
    const failed = Array.isArray(cell["outputs"]) ? cell["outputs"].find(isAboutLibraries) : undefined;
    if (failed)
      declaration.unknown.push({
        subject: `${file} cell ${number}`,
        reason: `its recorded output ends with an error about a GPU library: \`culprit explain ${file}\` tells about that`,
      });
  }
  return declaration;
}

/** An error that was recorded, and that names a library or CUDA. */
function isAboutLibraries(output: unknown): boolean {
  if (!isObject(output) || output["output_type"] !== "error" || typeof output["evalue"] !== "string") return false;
  return /lib(cu|nv)[\w-]*\.so|CUDA (?:error|driver)|CUDNN_STATUS|cuDNN|undefined symbol/.test(output["evalue"].slice(0, 2000));
}

// In the file a line of a cell is a text of JSON, on a line of its own where tools have written it.
function addFileLines(steps: DeclaredStep[], code: string, finder: Finder): void {
  const lines = splitLines(code);
  const found = new Map<number, number>();
  const add = (place: Place) => {
    const source = lines[place.line - 1]?.trim() ?? "";
    if (source === "") return;
    const fileLine = found.get(place.line) ?? finder.find(JSON.stringify(source).slice(1, -1)).line;
    found.set(place.line, fileLine);
    place.fileLine = fileLine;
  };
  for (const step of steps) {
    add(step.place);
    if (step.kind === "install") for (const { place } of step.packages) add(place);
  }
}

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Cell magics whose text is no Python. */
const foreign = /^%%(?:html|javascript|js|latex|markdown|svg|writefile|file|cython|R|perl|ruby|sql|bigquery|script\s+(?!ba?sh))/;

function readCell(code: string, file: string, cell: number, variables: Variables, declaration: Declaration): DeclaredStep[] {
  const steps: DeclaredStep[] = [];
  const lines = splitLines(code);
  const setting = (first: number, column: number): Setting => ({
    variables,
    place: (word): Place => ({ file, cell, line: first + word.line - 1, column: word.line === 1 ? column + word.column - 1 : word.column }),
    candidates: (path) => [path.replace(/^\/content\/(?:drive\/[^/]*\/)?/, ""), path.slice(path.lastIndexOf("/") + 1)],
    isOwnShell: false,
    tell: (place, reason) => declaration.unknown.push({ subject: `${file} cell ${cell}:${place.line}`, reason }),
  });
  const shell = (text: string, first: number, column: number) => {
    // What Python puts in is not known here, but for the Python itself.
    const known = text.replace(/\{([^{}\n]*)\}/g, (_, inside: string) => (inside.includes("sys.executable") ? "python" : "$_"));
    for (const step of readShell(known, setting(first, column))) {
      // `!export` is gone with the shell of that line.
      steps.push(step.kind === "variable" ? { ...step, isLate: true } : step);
    }
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
    if (isInside || line.trimStart().startsWith("#")) continue;
    const [, indent, mark] = /^(\s*)(!{1,2}|%(?=(?:pip|conda|mamba|uv|sh|sx)\b)|%%(?=pip\b)|(?=pip3? (?:un)?install\s))/.exec(line) ?? [];
    if (mark !== undefined) {
      const first = index;
      const parts = [line.slice(indent!.length + mark.length)];
      while (parts.at(-1)!.endsWith("\\") && index + 1 < lines.length) parts.push(lines[(index += 1)]!);
      shell(parts.join("\n"), first + 1, indent!.length + mark.length + 1);
      continue;
    }
    const [, magicName, value] = /^\s*%(?:env|set_env)\s+([A-Za-z_]\w*)(?:\s*=\s*|\s+)(.*)$/.exec(line) ?? [];
    if (magicName !== undefined) {
      if (/[${]/.test(value!)) variables.delete(magicName);
      else variables.set(magicName, value!);
      steps.push({ kind: "variable", name: magicName, value: value!, isLate: true, place });
      continue;
    }
    readPython(line, place, steps, shell, variables);
  }
  return steps;
}

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
