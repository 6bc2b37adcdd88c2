// What a Python file does whenever it is run, as far as its text says so: its imports at the left margin, and libraries that it opens.
import { pythonLines, type PythonLine } from "./python-lines.ts";

interface ModuleText {
  imports: string[];
  open?: true;
  meddles?: true;
  opens?: string[];
  operators?: string[];
}

export function moduleIn(source: string): ModuleText {
  const lines = pythonLines(source);
  const opens = librariesIn(lines);
  const operators = operatorsIn(lines);
  return {
    imports: lines.flatMap((line) => (line.indent === 0 ? importsOf(line) : [])),
    ...(lines.some(isOpen) ? { open: true as const } : {}),
    ...(lines.some(({ code }) => meddling.test(code)) ? { meddles: true as const } : {}),
    ...(0 < opens.length ? { opens } : {}),
    ...(0 < operators.length ? { operators } : {}),
  };
}

/** Which of some words stand anywhere in a text. */
export function wordsIn(source: string, words: string[]): { [word: string]: boolean } {
  const all = new Set(source.match(/[A-Za-z_]\w*/g));
  return Object.fromEntries(words.map((word) => [word, all.has(word)]));
}

/** `import a.b, c` → `a.b` and `c`; `from a import b, c as d` → `a:b,c`. */
function importsOf({ code }: PythonLine): string[] {
  return code.split(";").flatMap((statement) => {
    const text = statement.trim();
    const plain = /^import\s+(.+)$/.exec(text)?.[1];
    if (plain !== undefined) return namesOf(plain);
    const [, from, listed] = /^from\s+([.\w]+)\s+import\s*(.+)$/.exec(text) ?? [];
    return from === undefined ? [] : [`${from}:${namesOf(listed!.replaceAll(/[()]/g, " ")).join()}`];
  });
}

const namesOf = (listed: string) =>
  listed
    .split(",")
    .map((part) => part.trim().split(/\s/)[0]!)
    .filter((name) => /^(?:[.\w]+|\*)$/.test(name));

/** Names that its text does not tell may be bound in it: by a star, by asking for them, by code that makes them. */
const isOpen = ({ indent, code }: PythonLine): boolean =>
  /^from\s.*\simport\s*\(?\s*\*/.test(code) || (indent === 0 && /^def __getattr__\b/.test(code)) || making.test(code);

const making = /\b(?:globals|vars|locals|exec|eval|setattr)\(|\b__dict__\b|\bsys\.modules\b|\b[Ll]azy|\b_Lazy|\battach\(|\b__class__\s*=/;

/** It may change where modules come from, or which there are. */
const meddling =
  /\bsys\.(?:modules|path|meta_path|path_hooks)\b|\b__path__\b|\b(?:extend_path|addsitedir|install_import_hook|builtins\.__import__)\b/;

const loading = /\b(?:load_library|CDLL|PyDLL|LoadLibrary)\(/;
/** Calls of this depth are followed. */
const mostCalls = 4;
const mostTexts = 60;

/** Texts that may name a library, of a file that opens one whenever it is run: at its margin, or in functions that it calls there. */
function librariesIn(lines: PythonLine[]): string[] {
  if (!lines.some(({ code }) => loading.test(code))) return [];
  const run = runIn(lines);
  if (!run.some(({ code }) => loading.test(code))) return [];
  const texts = [...run, ...lines.filter(({ indent }) => indent === 0)].flatMap((line) => line.texts);
  return [...new Set(texts)].filter((text) => /^[\w./+-]{2,80}$/.test(text)).slice(0, mostTexts);
}

/** Lines that are run in any case: at the margin and in its loops; and the same of functions of the file that these call. */
function runIn(lines: PythonLine[]): PythonLine[] {
  const run = plainly(lines);
  const called = new Set<string>();
  let open = run;
  for (let depth = 0; depth < mostCalls && 0 < open.length; depth++) {
    const names = open.flatMap(({ code }) => [...code.matchAll(/\b(\w+)\(/g)].map(([, name]) => name!)).filter((name) => !called.has(name));
    open = [...new Set(names)].flatMap((name) => plainly(bodyOf(lines, name)));
    for (const name of names) called.add(name);
    run.push(...open);
  }
  return run;
}

/** Of a block, the lines that nothing but a loop or a `with` is around. */
function plainly(block: PythonLine[]): PythonLine[] {
  const found: PythonLine[] = [];
  let margin = block[0]?.indent ?? 0;
  const outer = margin;
  for (const [index, line] of block.entries()) {
    if (line.indent < margin) margin = Math.max(outer, line.indent);
    if (margin < line.indent) continue;
    if (/^(?:async\s+)?(?:def|class)\b/.test(line.code)) continue;
    found.push(line);
    const next = block[index + 1];
    if (/^(?:for|with)\b.*:$/.test(line.code) && next && line.indent < next.indent) margin = next.indent;
  }
  return found;
}

function bodyOf(lines: PythonLine[], name: string): PythonLine[] {
  const start = lines.findIndex(({ indent, code }) => indent === 0 && new RegExp(`^def ${name}\\(`).test(code));
  if (start < 0) return [];
  const end = lines.findIndex(({ indent }, index) => start < index && indent === 0);
  return lines.slice(start + 1, end < 0 ? lines.length : end);
}

/** Parameters of operators of one's own that have Python's own types of many: `stride: list[int]`. */
const operatorsIn = (lines: PythonLine[]): string[] =>
  lines.flatMap(({ indent, code }, index) => {
    const isOperator = indent === 0 && /^def\s/.test(code) && /^@(?:\w+\.)*(?:custom_op|triton_op)\(/.test(lines[index - 1]?.code ?? "");
    return isOperator
      ? [...code.matchAll(/(\w{1,80})\s?:\s?((?:list|tuple)\[\w{1,80}\])/g)].map(([, name, type]) => `${name}: ${type}`)
      : [];
  });
