// Patterns of a shell: `*`, `?` and brackets.

/** Whether a text fits as a whole. Longer ones than people write fit nothing. */
export function fitsGlob(text: string, pattern: string): boolean {
  if (longest < text.length || longest < pattern.length) return false;
  const parts = partsOf(pattern);
  // Where the last star stood, and how far it has eaten.
  let [at, part, star, eaten] = [0, 0, -1, 0];
  while (at < text.length) {
    const next = parts[part];
    if (next !== undefined && next !== "*" && fits(text[at]!, next)) [at, part] = [at + 1, part + 1];
    else if (next === "*") [star, eaten, part] = [part, at, part + 1];
    else if (0 <= star) [eaten, at, part] = [eaten + 1, eaten + 1, star + 1];
    else return false;
  }
  return parts.slice(part).every((each) => each === "*");
}

const longest = 400;

const partsOf = (pattern: string): string[] => pattern.match(/\[[^\]]+\]|[^]/g) ?? [];

function fits(character: string, part: string): boolean {
  if (part.length === 1) return part === "?" || part === character;
  const inside = part.slice(1, -1);
  const isNegated = /^[!^]/.test(inside);
  const members = isNegated ? inside.slice(1) : inside;
  const isMember = [...members].some(
    (each, index) =>
      each === character || (each === "-" && 0 < index && members[index - 1]! <= character && character <= (members[index + 1] ?? "")),
  );
  return isMember !== isNegated;
}

/** What `${NAME%pattern}` and its like leave of a value; undefined where it is none of them. */
export function cutAs(value: string, operation: string): string | undefined {
  if (longest < value.length) return undefined;
  const [, sign, pattern] = /^(%%?|##?)(.*)$/.exec(operation) ?? [];
  if (sign !== undefined)
    return sign.startsWith("%") ? withoutEnd(value, pattern!, sign === "%%") : withoutBegin(value, pattern!, sign === "##");
  const [, begin, length] = /^:(\d+)(?::(\d+))?$/.exec(operation) ?? [];
  if (begin !== undefined) return value.slice(Number(begin), length === undefined ? undefined : Number(begin) + Number(length));
  if (operation === "^^") return value.toUpperCase();
  if (operation === ",,") return value.toLowerCase();
  const [, kind, from, to = ""] = /^\/([/%#]?)([^/]*)(?:\/(.*))?$/.exec(operation) ?? [];
  if (from === undefined || from === "") return undefined;
  if (kind === "%") return `${withoutEnd(value, from, true)}${withoutEnd(value, from, true) === value ? "" : to}`;
  if (kind === "#") return withoutBegin(value, from, true) === value ? value : `${to}${withoutBegin(value, from, true)}`;
  if (/[*?[]/.test(from)) return undefined;
  return kind === "/" ? value.replaceAll(from, to) : value.replace(from, () => to);
}

/** The shortest end that fits, or the longest, is gone. */
function withoutEnd(value: string, pattern: string, isLongest: boolean): string {
  const ends = Array.from({ length: value.length + 1 }, (_, index) => (isLongest ? index : value.length - index));
  const found = ends.find((at) => fitsGlob(value.slice(at), pattern));
  return found === undefined ? value : value.slice(0, found);
}

function withoutBegin(value: string, pattern: string, isLongest: boolean): string {
  const begins = Array.from({ length: value.length + 1 }, (_, index) => (isLongest ? value.length - index : index));
  const found = begins.find((at) => fitsGlob(value.slice(0, at), pattern));
  return found === undefined ? value : value.slice(found);
}
