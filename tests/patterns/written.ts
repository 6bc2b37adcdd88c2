// The patterns that are written in a source file.

/** Regular expressions of a TypeScript file, where they stand as such. */
export function patternsIn(source: string): { line: number; pattern: RegExp }[] {
  const found: { line: number; pattern: RegExp }[] = [];
  let at = 0;
  let line = 1;
  // What came last decides whether a slash divides or begins a pattern.
  let last = "";
  const templates: number[] = [];
  let depth = 0;
  const skipTemplate = () => {
    while (at < source.length && source[at] !== "`") {
      if (source[at] === "\\") at += 1;
      else if (source.startsWith("${", at)) {
        at += 2;
        templates.push(depth);
        depth = 0;
        last = "{";
        return;
      }
      if (source[at] === "\n") line += 1;
      at += 1;
    }
    at += 1;
    last = "x";
  };
  while (at < source.length) {
    const character = source[at]!;
    if (character === "\n") line += 1;
    if (/\s/.test(character)) at += 1;
    else if (source.startsWith("//", at)) at = source.indexOf("\n", at) < 0 ? source.length : source.indexOf("\n", at);
    else if (source.startsWith("/*", at)) {
      const end = source.indexOf("*/", at) + 2;
      line += source.slice(at, end).split("\n").length - 1;
      at = end;
    } else if (character === '"' || character === "'") {
      at += 1;
      while (source[at] !== character) at += source[at] === "\\" ? 2 : 1;
      at += 1;
      last = "x";
    } else if (character === "`") {
      at += 1;
      skipTemplate();
    } else if (character === "}" && depth === 0 && 0 < templates.length) {
      depth = templates.pop()!;
      at += 1;
      skipTemplate();
    } else if (character === "/" && (last === "" || "(,=:[!&|?{};+->".includes(last) || last === "return")) {
      let end = at + 1;
      for (let isClass = false; source[end] !== "/" || isClass; end += 1) {
        if (source[end] === "\\") end += 1;
        else if (source[end] === "[") isClass = true;
        else if (source[end] === "]") isClass = false;
      }
      const flags = /^[a-z]*/.exec(source.slice(end + 1))![0];
      found.push({ line, pattern: new RegExp(source.slice(at + 1, end), flags) });
      at = end + 1 + flags.length;
      last = "x";
    } else {
      const word = /^[\w$]+/.exec(source.slice(at, at + 40))?.[0];
      if (character === "{") depth += 1;
      if (character === "}") depth -= 1;
      // What is asserted to be there is a value; what is not so is none.
      if (character === "!" && ["x", ")", "]"].includes(last)) at += 1;
      else {
        last = word === "return" || word === "typeof" ? "return" : word === undefined ? character : "x";
        at += word?.length ?? 1;
      }
    }
  }
  return found;
}
