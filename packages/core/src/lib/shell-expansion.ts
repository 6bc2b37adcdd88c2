// What a shell makes of a word with variables in it.

/** null: not set; undefined: not known. `isPlain`: without a word that would take its place. */
export type ValueOf = (name: string, isPlain: boolean) => string | null | undefined;

/** A text as a shell reads it between double quotes; undefined where it holds more than variables, or one that is not known. */
export function asShell(text: string, valueOf: ValueOf): string | undefined {
  let made = "";
  for (let at = 0; at < text.length;) {
    const start = /^\$(?:(\w+)|\{(\w+)(:?[-+])?)/.exec(text.slice(at));
    if (!start) {
      if (/[$`\\]/.test(text[at]!)) return undefined;
      made += text[at]!;
      at += 1;
      continue;
    }
    const [head, bare, braced, how] = start;
    const end = braced === undefined ? at + head.length : closing(text, at + head.length);
    const word = braced === undefined || end === undefined ? "" : text.slice(at + head.length, end - 1);
    const value = valueOf((bare ?? braced)!, how === undefined);
    if (end === undefined || value === undefined || (how === undefined && word !== "")) return undefined;
    const replaced = replacement(value, how, word, valueOf);
    if (replaced === undefined) return undefined;
    made += replaced;
    at = end;
  }
  return made;
}

/** `:-` takes the word where the variable is not set, `:+` where it is. */
function replacement(value: string | null, how: string | undefined, word: string, valueOf: ValueOf): string | undefined {
  const isSet = value !== null && (value !== "" || !how?.startsWith(":"));
  const other = how !== undefined && isSet === how.endsWith("+") ? asShell(word, valueOf) : "";
  return isSet && !how?.endsWith("+") && other !== undefined ? value : other;
}

/** Behind the brace that closes `${…`. */
function closing(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{" && text[at - 1] === "$") depth += 1;
    else if (text[at] === "}") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}
