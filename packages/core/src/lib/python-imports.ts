// What a Python file does whenever it is run, as far as its text says so: its imports at the left margin, and libraries that it opens.
import { constantsIn, linesAnyway } from "./python-constants.ts";
import { allOfFolderIn } from "./python-folders.ts";
import { caughtBehind, guardedIn, type GuardedImports } from "./python-guards.ts";
import { importsOf } from "./python-import-lines.ts";
import { runInFile, type RunText } from "./python-calls.ts";
import { requiredIn } from "./python-refusals.ts";
import { pythonLines, type PythonLine } from "./python-lines.ts";
import { signaturesIn, usesIn } from "./python-uses.ts";
import { isAdding, isMeddling, isPutting } from "./python-meddling.ts";

interface ModuleText extends RunText {
  guarded?: GuardedImports[];
  folder?: true;
  open?: true;
  stars?: true;
  meddles?: true;
  adds?: true;
  puts?: true;
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
  const constants = constantsIn(lines);
  const { run, calledIn } = runInFile(lines, path);
  const guarded = guardedIn(lines, constants, calledIn);
  const uses = usesIn(lines, linesAnyway(lines, constants));
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
    ...run,
    ...(allOfFolderIn(lines) ? { folder: true as const } : {}),
    ...openness(lines),
    ...(lines.some(isMeddling) ? { meddles: true as const } : {}),
    ...(lines.some(isAdding) ? { adds: true as const } : {}),
    ...(lines.some(isPutting) ? { puts: true as const } : {}),
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

/** Which of some words stand anywhere in a text. */
export function wordsIn(source: string, words: string[]): { [word: string]: boolean } {
  return Object.fromEntries(words.map((word) => [word, isWordOf(source, word)]));
}

function isWordOf(source: string, word: string): boolean {
  const isPart = (at: number) => /^\w/.test(source.charAt(at));
  for (let at = source.indexOf(word); 0 <= at; at = source.indexOf(word, at + 1))
    if (!(0 < at && isPart(at - 1)) && !isPart(at + word.length)) return true;
  return false;
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

/** Whether names may be bound in it that its text does not tell; `stars`: by stars at its margin alone, which bring what another text tells. */
function openness(lines: PythonLine[]): Pick<ModuleText, "open" | "stars"> {
  if (lines.some(isOpen) || isLate(lines)) return { open: true };
  const stars = lines.filter(({ code }) => star.test(code));
  if (stars.length === 0) return {};
  return { open: true, ...(stars.every(({ indent }) => indent === 0) ? { stars: true as const } : {}) };
}

const star = /^from\s.*\simport\s*\(?\s*\*/;

/** By asking for them, by code that makes them. */
const isOpen = ({ indent, code }: PythonLine): boolean =>
  (indent === 0 && /^def __getattr__\b/.test(code)) || making.test(code.replaceAll(elsewhere, ""));

/** Who gives names late by help of others says so where it is imported, not in a function. */
function isLate(lines: PythonLine[]): boolean {
  let innerAt: number | undefined;
  return lines.some(({ indent, code }) => {
    if (innerAt !== undefined && innerAt < indent) return false;
    innerAt = /^(?:async\s+)?def\b/.test(code) ? indent : undefined;
    return !/^(?:from|import|(?:async\s+)?def|class)\s/.test(code) && /\b_?[Ll]azy|_Lazy|\battach\(/.test(code);
  });
}

/** Whoever binds a name in a module by another way than a statement has the module, or what it binds. */
const making =
  /\b(?:globals|vars|locals)\(\s?\)|(?<![.\w])(?:exec|eval)\(|\bsys\.modules\b|\b(?:import_module|__import__)\(__name__|\bgetmodule\(|\b__class__\s*=/;

/** What is only looked at; and a method that is called so. */
const elsewhere = /\bsys\.modules\[[\w.]{1,80}\]\.__file__\b|\bdef (?:exec|eval)\(/g;

/**
 * A package that gets its names when they are asked for, and names all of them: type checkers must find them. A star may be more.
 */
function isListing(lines: PythonLine[]): boolean {
  const start = lines.findIndex(({ indent, code }) => indent === 0 && /^if\s+(?:\w+\.)?TYPE_CHECKING:$/.test(code));
  const isLate =
    lines.some(({ indent, code }) => indent === 0 && /^def __getattr__\(|^__getattr__\b.*=/.test(code)) ||
    lines.some(({ code }) => /\b_?LazyModule\(/.test(code));
  // Stand-ins have the names that are listed beside them.
  const isStar = lines.some(({ code }) => star.test(code) && !/^from\s+\.[.\w]*\bdumm(?:y|ies)_\w+\s/.test(code));
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
