// The exports of a module with their doc comments, read from the types that the compiler wrote: those are one declaration after another.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** @typedef {{ name: string, comment: string, declaration: string }} Exported */

/** @param {string} file @returns {Exported[]} */
export function readLibrary(file) {
  const found = new Map();
  collect(file, undefined, found, new Set());
  return [...found.values()].sort((one, other) => one.name.localeCompare(other.name, "en"));
}

/** Of `names` only, or all; an export with another name is found under that one. */
function collect(file, names, found, seen) {
  const key = `${file} ${names?.map(({ name }) => name).join() ?? "*"}`;
  if (seen.has(key)) return;
  seen.add(key);
  const text = readFileSync(file, "utf8");
  for (const { name, comment, declaration } of declarationsIn(text)) {
    const wanted = names?.find((each) => each.name === name);
    if (names && !wanted) continue;
    const shown = wanted?.as ?? name;
    if (!found.has(shown)) found.set(shown, { name: shown, comment, declaration });
  }
  for (const [, list, from] of text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from "([^"]+)";/gm)) {
    const next = fileOf(join(dirname(file), from));
    if (next === undefined) continue;
    const listed = list === "*" ? undefined : namesIn(list);
    const passed =
      names === undefined ? listed : (listed ?? names).filter(({ name, as }) => names.some((each) => each.name === (as ?? name)));
    if (passed === undefined || 0 < passed.length) collect(next, passed, found, seen);
  }
}

const namesIn = (list) =>
  list
    .slice(1, -1)
    .split(",")
    .map((each) => /(?:type )?(\w+)(?: as (\w+))?/.exec(each.trim()))
    .filter(Boolean)
    .map(([, name, as]) => ({ name, as }));

const fileOf = (path) => [path.replace(/\.(ts|js)$/, ".d.ts"), `${path}.d.ts`].find((each) => existsSync(each));

/** @returns {Exported[]} */
function declarationsIn(text) {
  const found = [];
  const pattern =
    /(?:^\/\*\*([\s\S]*?)\*\/\n)?^export (?:declare )?(?:abstract )?(?:async )?(?:function|const|type|interface|class|enum) (\w+)/gm;
  for (const match of text.matchAll(pattern)) {
    const begin = match.index + match[0].indexOf("export ");
    const declaration = text.slice(begin, endOf(text, begin)).replace(/^export (declare )?/, "");
    const comment = (match[1] ?? "").replaceAll(/^\s*\*? ?/gm, "").trim();
    found.push({ name: match[2], comment, declaration });
  }
  return found;
}

/** A declaration ends at the first semicolon, or the brace, outside of all brackets. */
function endOf(text, begin) {
  let depth = 0;
  for (let at = begin; at < text.length; at += 1) {
    const character = text[at];
    if ("{([".includes(character)) depth += 1;
    else if ("})]".includes(character)) {
      depth -= 1;
      if (
        depth === 0 &&
        text.startsWith("}\n", at) &&
        /^export (declare )?(abstract )?(interface|class|enum)/.test(text.slice(begin, begin + 40))
      )
        return at + 1;
    } else if (character === ";" && depth === 0) return at + 1;
  }
  return text.length;
}
