/** Whether a file's name fits a pattern of a shell: `*`, `?` and `[a-z]`. Takes time in proportion to both, whatever the pattern. */
export function fitsGlob(name: string, pattern: string): boolean {
  const parts = partsOf(pattern);
  let at = 0;
  let part = 0;
  // Where the last star stands, and up to where it has taken the name: only the last one ever has to take more.
  let star = -1;
  let taken = 0;
  while (at < name.length) {
    const here = parts[part];
    if (here === "*") {
      star = part;
      taken = at;
      part += 1;
    } else if (here !== undefined && here(name[at]!)) {
      at += 1;
      part += 1;
    } else if (0 <= star) {
      taken += 1;
      at = taken;
      part = star + 1;
    } else return false;
  }
  while (parts[part] === "*") part += 1;
  return part === parts.length;
}

type Part = "*" | ((character: string) => boolean);

function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!;
    const end = character === "[" ? pattern.indexOf("]", at + 2) : -1;
    if (character === "*") {
      if (parts.at(-1) !== "*") parts.push("*");
    } else if (character === "?") parts.push(() => true);
    else if (0 <= end) {
      parts.push(classOf(pattern.slice(at + 1, end)));
      at = end;
    } else parts.push((other) => other === character);
  }
  return parts;
}

function classOf(text: string): (character: string) => boolean {
  const isOther = /^[!^]/.test(text);
  const inner = isOther ? text.slice(1) : text;
  const ranges: [string, string][] = [];
  for (let at = 0; at < inner.length; at += 1) {
    const isRange = inner[at + 1] === "-" && inner[at + 2] !== undefined;
    ranges.push([inner[at]!, inner[isRange ? at + 2 : at]!]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([first, last]) => first <= character && character <= last) !== isOther;
}
