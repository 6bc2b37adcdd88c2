// Where values of a JSON text stand, and where it stops to be JSON: JSON.parse tells neither on every Node.

/** Names and numbers of the values that hold a value, outermost first. */
export type JsonPath = (string | number)[];

/**
 * Goes over a text once and shows every text value with its path and its line, from 1. The answer is the first place that can be no
 * JSON, from 0; undefined where all of it is.
 */
export function scanJson(text: string, visit: (path: JsonPath, line: number) => void = () => {}): number | undefined {
  const path: JsonPath = [];
  const closers: ("}" | "]")[] = [];
  let line = 1;
  let at = 0;
  let next: "value" | "value-or-end" | "name" | "name-or-end" | "colon" | "comma" | "nothing" = "value";
  const ended = () => (closers.length === 0 ? "nothing" : "comma");
  for (;;) {
    while (at < text.length && isSpace(text.charCodeAt(at))) {
      if (text[at] === "\n") line += 1;
      at += 1;
    }
    if (text.length <= at) return next === "nothing" ? undefined : at;
    const character = text[at]!;
    if (character === '"' && next !== "colon" && next !== "comma" && next !== "nothing") {
      const end = endOfText(text, at);
      if (end === undefined) return at;
      if (next === "name" || next === "name-or-end") {
        path[path.length - 1] = JSON.parse(text.slice(at, end)) as string;
        next = "colon";
      } else {
        visit(path, line);
        next = ended();
      }
      at = end;
    } else if ((character === "{" || character === "[") && (next === "value" || next === "value-or-end")) {
      closers.push(character === "{" ? "}" : "]");
      path.push(character === "{" ? "" : 0);
      next = character === "{" ? "name-or-end" : "value-or-end";
      at += 1;
    } else if (character === closers.at(-1) && (next === "comma" || next === "name-or-end" || next === "value-or-end")) {
      closers.pop();
      path.pop();
      next = ended();
      at += 1;
    } else if (character === "," && next === "comma") {
      const last = path.length - 1;
      if (closers[last] === "]") path[last] = (path[last] as number) + 1;
      next = closers[last] === "]" ? "value" : "name";
      at += 1;
    } else if (character === ":" && next === "colon") {
      next = "value";
      at += 1;
    } else {
      plain.lastIndex = at;
      if ((next !== "value" && next !== "value-or-end") || !plain.test(text)) return at;
      at = plain.lastIndex;
      next = ended();
    }
  }
}

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

const plain = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

function endOfText(text: string, start: number): number | undefined {
  for (let end = text.indexOf('"', start + 1); 0 <= end; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - slashes - 1] === "\\") slashes += 1;
    if (slashes % 2 === 1) continue;
    return isText(text.slice(start, end + 1)) ? end + 1 : undefined;
  }
  return undefined;
}

function isText(part: string): boolean {
  // Most have neither signs that must be written otherwise nor such signs.
  // oxlint-disable-next-line no-control-regex
  if (!/[\\\u0000-\u001f]/.test(part)) return true;
  try {
    JSON.parse(part);
    return true;
  } catch {
    return false;
  }
}
