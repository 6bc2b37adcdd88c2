// Whether a package imports all modules that lie in its folder, as its text says.
import type { PythonLine } from "./python-lines.ts";

/** What lists a package's own folder. */
const listing =
  /\b(?:listdir|scandir)\([^)]*\b__file__\b|\bglob\([^)]*\b__file__\b|\b__file__\b.*\.glob\(|\biter_modules\(\s*(?:path\s*=\s*)?__path__\b/;

/** What tells modules from other files, and leaves out the package itself. */
const plainTexts = new Set([".py", "_", "__", "__init__", "__init__.py", "*.py", "/*.py", ".", "__pycache__"]);

/** What such a choice is made of: of anything else nobody can tell. */
const plainWords =
  /^(?:if|not|and|or|endswith|startswith|basename|isfile|is_file|path|os|op|name|stem|for|in|ispkg|is_pkg|_?files?|_?filenames?|_?modules?|_?f|_?p|_?m|_?module_?name|modname)$/;

/** All of them, whatever is so: at its margin, in a loop there, or by a star behind a list; nothing is caught, and nothing is left out but itself. */
export function allOfFolderIn(lines: PythonLine[]): boolean {
  const at = lines.findIndex(({ indent, code }) => indent === 0 && listing.test(code) && /^(?:for\b.*:|[\w.]+\s*=.*)$/.test(code));
  const start = lines[at];
  if (!start) return false;
  const rest = lines.slice(at);
  const end = rest.findIndex(({ indent }, index) => 0 < index && indent === 0);
  const body = start.code.startsWith("for") ? rest.slice(0, end < 0 ? rest.length : end) : [start];
  if (body.some(({ code }) => /^(?:try|with|def|class|continue|break|while|return)\b/.test(code))) return false;
  const isOneByOne = body.some(({ code }) => /^(?:\w+\s*=\s*)?(?:(?:importlib\.)?import_module|__import__)\(/.test(code));
  const isStar = rest.some(({ indent, code }) => indent === 0 && /^from\s+\.\s+import\s*\(?\s*\*/.test(code));
  if (!isOneByOne && !(isStar && lines.some(({ code }) => /^__all__\b/.test(code)))) return false;
  const chosen = [...body, ...rest.filter(({ indent, code }) => indent === 0 && /^__all__\b/.test(code))];
  return chosen.every(isPlainChoice);
}

/** A condition, in a line or within what is listed, that leaves out nothing but the package itself and what is no module. */
function isPlainChoice({ code, texts }: PythonLine): boolean {
  const condition = /\bif\b(.*)$/.exec(code)?.[1];
  if (condition === undefined) return true;
  const used = condition.match(/""/g)?.length ?? 0;
  return (
    texts.slice(texts.length - used).every((text) => plainTexts.has(text)) &&
    (condition.match(/[A-Za-z_]\w*/g) ?? []).every((word) => plainWords.test(word))
  );
}
