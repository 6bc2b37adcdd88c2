// Whether a Python file changes where modules come from, or which there are.
import type { PythonLine } from "./python-lines.ts";

/** What it may do is not known: it speaks of what imports go by. */
const meddling =
  /\bsys\.(?:modules|path|meta_path|path_hooks)\b|(?<!\bself\.)\b__path__\s?(?:\+?=(?!=)|\[|\.(?:append|insert|extend)\b)|\b(?:extend_path|addsitedir|install_import_hook|builtins\.__import__)\b/;

/** Who asks which modules there are, or puts something in its own place, changes nothing for others: of its own names that leaves all open. */
const harmless =
  /\b(?:not )?in sys\.(?:modules(?:\.keys\(\))?|path)(?=[:)\]]|\s(?:and|or|if|else|for)\b|$)|\bsys\.modules\[__name__\]|^\w+ = sys\.modules\[\w+\]$/g;

/** So does who looks at one of them, or at all. */
const looking =
  /\bsys\.(?:modules|path)(?:\.(?:get|keys|values|items|copy|index|count)\(|\[(?:[^[\]=]|\[[^[\]=]{0,80}\]){1,120}\](?!(?:\.\w{1,80})?\s?(?:[:+|]?=(?!=)|:)))|\b(?:list|tuple|set|dict|sorted|len|enumerate)\(sys\.(?:modules|path)\)/g;

/** What comes behind all others takes nothing of what is found without it. */
const adding = /^(?:\w+\.)?sys\.path\.(?:append|extend)\(|^site\.addsitedir\(/g;

/** What comes before others may hide them. */
const putting = /^(?:\w+\.)?sys\.path(?:\.insert\(|\[0?:0?\]\s?=(?!=)|\s?=\s?\[.*(?:\]\s?\+\s?|\*)sys\.path\b)(?:.*\bsys\.path\b)?/g;

export const isMeddling = ({ code }: PythonLine): boolean =>
  meddling.test(code) && meddling.test([harmless, putting, adding, ...(code.startsWith("del ") ? [] : [looking])].reduce(without, code));

const without = (code: string, pattern: RegExp) => code.replaceAll(pattern, "");

export const isPutting = ({ code }: PythonLine): boolean => code.search(putting) === 0;

export const isAdding = (line: PythonLine): boolean => line.code.search(adding) === 0 || isPutting(line);
