// Whether a package imports all modules that lie in its folder, as its text says.
import type { PythonLine } from "./python-lines.ts";

/** What lists a package's own folder. */
const listing =
  /\b(?:listdir|scandir)\([^)]*\b__file__\b|\bglob\([^)]*\b__file__\b|\b__file__\b.*\.glob\(|\biter_modules\(\s*(?:path\s*=\s*)?__path__\b/;

/** What tells modules from other files, and leaves out the package itself. */
const plainTexts = new Set([".py", "_", "__", "__init__", "__init__.py", "*.py", "/*.py", ".", "__pycache__"]);

/** What such a choice is made of, besides what it goes through: of anything else nobody can tell. */
const plainWords = new Set(
  "if not and or endswith startswith basename isfile is_file path os op osp name stem ispkg is_pkg filename file module_name modname".split(
    " ",
  ),
);

/** All of them, whatever is so: at its margin, in a loop there, or by a star behind a list; nothing is caught, and nothing is left out but itself. */
export function allOfFolderIn(lines: PythonLine[]): boolean {
  const at = lines.findIndex(({ indent, code }) => indent === 0 && listing.test(code) && /^(?:for\b.*:|\w+\s*=.*)$/.test(code));
  const start = lines[at];
  if (!start) return false;
  const isStar = lines.slice(at).some(({ indent, code }) => indent === 0 && /^from\s+\.\s+import\s*\(?\s*\*/.test(code));
  const looped = start.code.startsWith("for") ? loopAt(lines, at) : undefined;
  if (looped) return arePlain(looped) && looped.some(({ code }) => importing.test(code) || (isStar && naming.test(code)));
  const named = isStar ? namedFrom(lines, start) : undefined;
  return named !== undefined && arePlain([start, ...named]);
}

const importing = /^(?:\w+\s*=\s*)?(?:(?:importlib\.)?import_module|__import__)\(/;
const naming = /^__all__(?:\.(?:append|extend)\(|\s*\+=)/;

/** A loop; none where its list of names is made anew behind it. */
function loopAt(lines: PythonLine[], at: number): PythonLine[] {
  const end = lines.findIndex(({ indent }, index) => at < index && indent === 0);
  const isRenamed = 0 <= end && lines.slice(end).some(isNaming);
  return isRenamed ? [] : lines.slice(at, end < 0 ? lines.length : end);
}

const isNaming = ({ code }: PythonLine) => /^__all__\s*(?::[^=]*)?=/.test(code);

/** The names that are made of what a line lists: `__all__ = [basename(f)[:-3] for f in modules]`, or at once. */
function namedFrom(lines: PythonLine[], { code }: PythonLine): PythonLine[] | undefined {
  const [, name = ""] = /^(\w+)\s*=/.exec(code) ?? [];
  const bound = lines.filter((line) => new RegExp(`^${name}\\b(?!\\()`).test(line.code));
  const named = lines.filter((line) => line.code.startsWith("__all__"));
  if (bound.length !== 1 || named.length !== 1) return undefined;
  return name === "__all__" || new RegExp(`^__all__\\s*=\\s*[[(].*\\bin\\s+${name}\\b`).test(named[0]!.code) ? named : undefined;
}

/** Lines that leave out nothing but the package itself and what is no module. */
function arePlain(lines: PythonLine[]): boolean {
  const bound = lines.flatMap(({ code }) => /\bfor ([\w,() ]{1,80}?) in\b/.exec(code.replaceAll(/\s+/g, " "))?.[1]?.match(/\w+/g) ?? []);
  return lines.every((line) => isPlain(line, bound));
}

function isPlain({ code, texts }: PythonLine, bound: string[]): boolean {
  if (/^(?:try|with|def|class|continue|break|while|return|else|elif)\b/.test(code)) return false;
  const condition = /\bif\b(.*)$/.exec(code)?.[1];
  if (condition === undefined) return true;
  const used = condition.match(/""/g)?.length ?? 0;
  const words = condition.match(/[A-Za-z_]\w*/g) ?? [];
  const isTextPlain = texts.slice(texts.length - used).every((text) => plainTexts.has(text));
  return isTextPlain && words.every((word) => plainWords.has(word) || bound.includes(word));
}
