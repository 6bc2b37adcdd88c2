// What a test of a shell says: `[ "$CUDA" = 12 ]`, `[[ -z $X ]]`, a pattern of `case`.
import { readWord, type Variables, type Word } from "./shell.ts";

export interface Test {
  /** Known where its variables are. */
  value?: boolean;
  /** What is asked about, in words; the same for all tests that ask the same. */
  words?: string;
  /** The test holds where the words do not. */
  isInverted?: boolean;
  /** It is so where nobody says otherwise: a variable that nobody sets is empty. */
  isUsual?: boolean;
  /** What is known of a variable where the words hold. */
  learnt?: { name: string; value: string };
}

interface Part {
  text: string;
  isKnown: boolean;
  raw: string;
}

/** One test, as it stands between `if` and `then`; of several that are joined nothing is said. */
export function testOf(text: string, variables: Variables): Test {
  if (longest < text.length) return {};
  const written = /^(?:\[\[?\s([^\]]*)\]{1,2}|test\s([^]*))$/
    .exec(text)
    ?.slice(1)
    .find((each) => each !== undefined);
  if (written === undefined) return {};
  const parts = partsOf(written, variables);
  if (!parts) return {};
  const isNegated = parts[0]?.raw === "!";
  const test = plainTest(isNegated ? parts.slice(1) : parts);
  if (!isNegated) return test;
  return test.value === undefined ? { ...test, isInverted: !test.isInverted } : { value: !test.value };
}

/** Longer ones are not taken apart. */
const longest = 400;

function partsOf(text: string, variables: Variables): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < text.length;) {
    const character = text[at]!;
    if (/\s/.test(character)) {
      at += 1;
      continue;
    }
    if (";&|()".includes(character)) return undefined;
    const word = readWord(text, at, variables);
    parts.push({ text: word.text, isKnown: word.isKnown, raw: text.slice(at, word.end).replace(/["']/g, "") });
    at = word.end;
  }
  return parts;
}

function plainTest(parts: Part[]): Test {
  const [one, two, three] = parts;
  if (one && two && three && parts.length === 3) return comparison(one, two.raw, three);
  if (one && two && parts.length === 2 && /^-[zn]$/.test(one.raw)) return emptiness(two, one.raw === "-n");
  return one && parts.length === 1 ? emptiness(one, true) : {};
}

const comparing: { [sign: string]: "is" | "not" } = { "=": "is", "==": "is", "-eq": "is", "!=": "not", "-ne": "not" };

function comparison(left: Part, sign: string, right: Part): Test {
  const kind = comparing[sign];
  if (kind === undefined) return {};
  const isInverted = kind === "not";
  if (left.isKnown && right.isKnown) {
    if (/[*?[]/.test(right.text)) return {};
    return { value: (left.text === right.text) !== isInverted };
  }
  const [open, other] = left.isKnown ? [right, left] : [left, right];
  if (!other.isKnown || open.raw.length + other.text.length > 100) return {};
  const name = variableIn(open.raw);
  return {
    words: isOf(open.raw, other.text),
    isInverted,
    ...(name === undefined || /[*?[]/.test(other.text) ? {} : { learnt: { name, value: other.text } }),
  };
}

function emptiness(part: Part, isInverted: boolean): Test {
  if (part.isKnown) return { value: (part.text === "") !== isInverted };
  if (100 < part.raw.length) return {};
  const name = variableIn(part.raw);
  return { words: `\`${part.raw}\` is empty`, isInverted, isUsual: true, ...(name === undefined ? {} : { learnt: { name, value: "" } }) };
}

const isOf = (subject: string, value: string) => `\`${subject.replaceAll("`", "'")}\` is \`${value.replaceAll("`", "'")}\``;

const variableIn = (raw: string): string | undefined => {
  const [, plain, braced] = /^(?:\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\})$/.exec(raw) ?? [];
  return plain ?? braced;
};

/** Whether what `case` looks at fits one of its patterns. */
export function casePattern(subject: Part, patterns: Word[]): { value?: boolean; words: string; learnt?: Test["learnt"] } {
  const words = patterns.map(({ text }) => `\`${text.replaceAll("`", "'")}\``).join(" or ");
  const told = { words: `\`${subject.raw.slice(0, 60)}\` is ${words.slice(0, 120)}` };
  if (patterns.some(({ text }) => text === "*")) return { ...told, value: true };
  if (subject.isKnown && [subject, ...patterns].every(({ isKnown, text }) => isKnown && text.length < longest))
    return { ...told, value: patterns.some(({ text }) => fitsGlob(subject.text, text)) };
  const name = variableIn(subject.raw);
  const [only, ...others] = patterns;
  return name === undefined || others.length > 0 || !only?.isKnown || /[*?[]/.test(only.text)
    ? told
    : { ...told, learnt: { name, value: only.text } };
}

/** A shell's pattern without brackets, as people write it: stars and question marks. */
function fitsGlob(text: string, pattern: string): boolean {
  // Where the last star stood, and how far it has eaten.
  let [at, in_, star, eaten] = [0, 0, -1, 0];
  while (at < text.length) {
    if (in_ < pattern.length && (pattern[in_] === "?" || (pattern[in_] !== "*" && pattern[in_] === text[at])))
      [at, in_] = [at + 1, in_ + 1];
    else if (pattern[in_] === "*") [star, eaten, in_] = [in_, at, in_ + 1];
    else if (0 <= star) [eaten, at, in_] = [eaten + 1, eaten + 1, star + 1];
    else return false;
  }
  return pattern.slice(in_).replaceAll("*", "") === "";
}
