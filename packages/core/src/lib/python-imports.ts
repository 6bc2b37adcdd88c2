// What a Python file does whenever it is run, as far as its text says so: its imports at the left margin, and libraries that it opens.
import { allOfFolderIn } from "./python-folders.ts";
import { caughtBehind, guardedIn, type GuardedImports } from "./python-guards.ts";
import { importsOf } from "./python-import-lines.ts";
import { runInFile, type RunText } from "./python-calls.ts";
import { requiredIn } from "./python-refusals.ts";
import { pythonLines, type PythonLine } from "./python-lines.ts";

interface ModuleText extends RunText {
  guarded?: GuardedImports[];
  folder?: true;
  open?: true;
  meddles?: true;
  adds?: true;
  lists?: true;
  opens?: string[];
  uses?: string[];
  operators?: string[];
  protobuf?: string;
  requires?: string[];
  signatures?: string[];
  removed?: { [name: string]: string };
}

/** `path`: where the file lies, which tells whose it is. */
export function moduleIn(source: string, path = ""): ModuleText {
  const lines = pythonLines(source);
  const opens = librariesIn(lines);
  const operators = operatorsIn(lines);
  const guarded = guardedIn(lines);
  const uses = usesIn(lines);
  const protobuf = protobufIn(lines);
  const requires = requiredIn(lines);
  const signatures = signaturesIn(lines);
  const removed = removedIn(lines);
  return {
    ...(protobuf === undefined ? {} : { protobuf }),
    ...(0 < uses.length ? { uses } : {}),
    ...(0 < requires.length ? { requires } : {}),
    ...(0 < signatures.length ? { signatures } : {}),
    ...(0 < Object.keys(removed).length ? { removed } : {}),
    ...(0 < guarded.length ? { guarded } : {}),
    ...runInFile(lines, path),
    ...(allOfFolderIn(lines) ? { folder: true as const } : {}),
    ...(lines.some(isOpen) ? { open: true as const } : {}),
    ...(lines.some(isMeddling) ? { meddles: true as const } : {}),
    ...(lines.some(isAdding) ? { adds: true as const } : {}),
    ...(isListing(lines) ? { lists: true as const } : {}),
    ...(0 < opens.length ? { opens } : {}),
    ...(0 < operators.length ? { operators } : {}),
  };
}

/** JAX's way to say which names a module no longer has (jax/_src/deprecations.py): `_deprecations = {"maps": ("… was removed", None)}`. */
function removedIn(lines: PythonLine[]): { [name: string]: string } {
  const found: { [name: string]: string } = {};
  for (const { indent, code, texts } of lines) {
    if (indent !== 0 || !/^_deprecations\s*(?::[^=]*)?=\s*\{/.test(code)) continue;
    let next = 0;
    const numbered = code.replaceAll('""', () => `"${next++}"`);
    if (next !== texts.length) continue;
    for (const [, name, message = ""] of numbered.matchAll(/"(\d+)":\s*\(\s*((?:"\d+"\s*){1,20}),\s*None\s*,?\s*\)/g))
      found[texts[Number(name)]!] = [...message.matchAll(/\d+/g)].map(([index]) => texts[Number(index)]).join("");
  }
  return found;
}

/** The release of protobuf's compiler that made a file, which asks at its import for a runtime that is no older. */
function protobufIn(lines: PythonLine[]): string | undefined {
  const asking = lines.find(({ indent, code }) => indent === 0 && code.includes("ValidateProtobufRuntimeVersion("));
  return asking && /PUBLIC,\s*(\d+),\s*(\d+),\s*(\d+)/.exec(asking.code)?.slice(1).join(".");
}

/** Names by which a file has the modules of others, and what they stand for: `import jax.numpy as jnp`, `from jax import core`. */
function boundModules(lines: PythonLine[]): Map<string, string> {
  const bound = new Map<string, string>();
  for (const { indent, code } of lines) {
    const [, from, listed = ""] = /^(?:from\s+([A-Za-z_][\w.]*)\s+)?import\s+(.+)$/.exec(indent === 0 ? code : "") ?? [];
    for (const part of listed.replaceAll(/[()]/g, " ").split(",")) {
      const [, module = "", as] = /^\s*([A-Za-z_][\w.]*)(?:\s+as\s+(\w+))?\s*$/.exec(part) ?? [];
      if (module === "") continue;
      const full = from === undefined ? module : `${from}.${module}`;
      const [top = ""] = module.split(".");
      bound.set(as ?? top, as === undefined && from === undefined ? top : full);
    }
  }
  // What is bound once more may be anything by then.
  for (const { code } of lines) bound.delete(/^(\w+)\s*(?::[^=]*)?=(?!=)/.exec(code)?.[1] ?? "");
  return bound;
}

const mostUses = 100;

/** What a file takes of modules of others whenever it is run, in lines that nothing decides about: `x = jax.core.Primitive("x")`, bases of classes. */
function usesIn(lines: PythonLine[]): string[] {
  const bound = boundModules(lines);
  const uses = new Set<string>();
  for (const { indent, code } of bound.size === 0 ? [] : lines) {
    if (indent !== 0 || !/^(?:@|class\b|[A-Za-z_]\w*\s?(?:=|:|\())/.test(code) || deciding.test(code)) continue;
    // Annotations are looked at later, or never.
    addUses(uses, bound, code.replace(/^(\w+)\s*:[^=]*/, "$1 "));
  }
  return [...uses];
}

function addUses(uses: Set<string>, bound: Map<string, string>, code: string): void {
  for (const [name] of code.matchAll(/(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+/g)) {
    const [first = "", ...rest] = name.split(".");
    const module = bound.get(first);
    if (module !== undefined && uses.size < mostUses) uses.add([module, ...rest].join("."));
  }
}

/** What stands in the heads of functions at the margin, and of methods of classes there: Python looks at it when it defines them. */
function signaturesIn(lines: PythonLine[]): string[] {
  if (lines.some(({ code }) => /^from\s+__future__\s+import\b.*\bannotations\b/.test(code))) return [];
  const bound = boundModules(lines);
  const uses = new Set<string>();
  let method: number | undefined;
  for (const [index, { indent, code }] of bound.size === 0 ? [] : lines.entries()) {
    if (indent === 0) method = /^class\b/.test(code) ? lines[index + 1]?.indent : undefined;
    if ((indent === 0 || indent === method) && /^(?:async\s+)?def\b/.test(code) && !deciding.test(code)) addUses(uses, bound, code);
  }
  return [...uses];
}

/** What is behind one of these may not be run. */
const deciding = /\b(?:if|else|and|or|for|lambda|try|hasattr|getattr|while|assert|with)\b/;

/** Which of some words stand anywhere in a text. */
export function wordsIn(source: string, words: string[]): { [word: string]: boolean } {
  const all = new Set(source.match(/[A-Za-z_]\w*/g));
  return Object.fromEntries(words.map((word) => [word, all.has(word)]));
}

/** From which module a text says that it has each of some names, where it stands in a block: a module that gets its names later lists them for type checkers. */
export function boundIn(source: string, names: string[]): { [name: string]: string } {
  const wanted = new Set(names);
  const found: { [name: string]: string } = {};
  for (const line of pythonLines(source)) {
    if (line.indent === 0 || !line.code.startsWith("from")) continue;
    for (const statement of importsOf(line)) {
      const [module = "", listed = ""] = statement.split(":");
      for (const name of listed.split(",")) if (wanted.has(name)) found[name] ??= module;
    }
  }
  return found;
}

/** Names that its text does not tell may be bound in it: by a star, by asking for them, by code that makes them. */
const isOpen = ({ indent, code }: PythonLine): boolean =>
  /^from\s.*\simport\s*\(?\s*\*/.test(code) || (indent === 0 && /^def __getattr__\b/.test(code)) || making.test(code);

const making = /\b(?:globals|vars|locals|exec|eval|setattr)\(|\b__dict__\b|\bsys\.modules\b|\b[Ll]azy|\b_Lazy|\battach\(|\b__class__\s*=/;

/** It may change where modules come from, or which there are. */
const meddling =
  /\bsys\.(?:modules|path|meta_path|path_hooks)\b|(?<!\bself\.)\b__path__\s?(?:\+?=(?!=)|\[|\.(?:append|insert|extend)\b)|\b(?:extend_path|addsitedir|install_import_hook|builtins\.__import__)\b/;

/** Who asks which modules there are, or puts something in its own place, changes nothing for others: of its own names that leaves all open. */
const harmless =
  /\b(?:not )?in sys\.(?:modules(?:\.keys\(\))?|path)(?=[:)\]]|\s(?:and|or|if|else)\b|$)|\bsys\.modules(?:\[__name__\]|\.get\()|^\w+ = sys\.modules\[\w+\]$/g;

const isMeddling = ({ code }: PythonLine): boolean =>
  meddling.test(code) && meddling.test(code.replaceAll(harmless, "").replaceAll(adding, ""));

/** What comes behind all others takes nothing of what is found without it. */
const adding = /^(?:\w+\.)?sys\.path\.(?:append|extend)\(|^site\.addsitedir\(/g;

const isAdding = ({ code }: PythonLine): boolean => code.search(adding) === 0;

/**
 * A package that gets its names when they are asked for, and names all of them: type checkers must find them. A star may be more.
 */
function isListing(lines: PythonLine[]): boolean {
  const start = lines.findIndex(({ indent, code }) => indent === 0 && /^if\s+(?:\w+\.)?TYPE_CHECKING:$/.test(code));
  const isLate =
    lines.some(({ indent, code }) => indent === 0 && /^def __getattr__\(|^__getattr__\b.*=/.test(code)) ||
    lines.some(({ code }) => /\b_?LazyModule\(/.test(code));
  // Stand-ins have the names that are listed beside them.
  const isStar = lines.some(({ code }) => /^from\s.*\simport\s*\(?\s*\*/.test(code) && !/^from\s+\.[.\w]*\bdumm(?:y|ies)_\w+\s/.test(code));
  return (
    0 <= start &&
    isLate &&
    !isStar &&
    (lines[start + 1]?.indent ?? 0) !== 0 &&
    lines.some(({ indent, code }) => indent !== 0 && /^from\s+\.\w/.test(code))
  );
}

const loading = /\b(?:load_library|load_op_library|CDLL|PyDLL|LoadLibrary)\(/;
/** Calls of this depth are followed. */
const mostCalls = 4;
const mostTexts = 60;

/** Texts that may name a library, of a file that opens one whenever it is run: at its margin, or in functions that it calls there. */
function librariesIn(lines: PythonLine[]): string[] {
  if (!lines.some(({ code }) => loading.test(code))) return [];
  const run = runIn(lines);
  if (!run.some(({ code }) => loading.test(code))) return [];
  const texts = [...run, ...lines.filter(({ indent }) => indent === 0), ...byPlatform(lines)].flatMap((line) => line.texts);
  return [...new Set(texts)].filter((text) => /^[\w./+-]{2,80}$/.test(text)).slice(0, mostTexts);
}

/** What is bound at the margin by the system that it runs on: `if platform == "linux": name = "libx.so"`. */
function byPlatform(lines: PythonLine[]): PythonLine[] {
  let isChosen = false;
  return lines.filter(({ indent, code }) => {
    if (indent === 0 && !/^(?:elif|else)\b/.test(code)) isChosen = /^if\b.*\b(?:platform|os\.name)\b/.test(code);
    return indent !== 0 && isChosen && /^\w+\s*=/.test(code);
  });
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

/** Of a block, the lines that nothing but a loop, a `with` or a `try` that catches nothing is around. */
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
    // A library that is there is opened: whether it is, is asked of the package's files.
    const isEntered =
      /^(?:for|with)\b.*:$/.test(line.code) ||
      /^if\s[\w.]*\b(?:exists|isfile|is_file)\(.*\):$/.test(line.code) ||
      (line.code === "try:" && caughtBehind(block, index).caught.length === 0);
    if (isEntered && next && line.indent < next.indent) margin = next.indent;
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
