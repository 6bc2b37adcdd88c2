// What a test of a shell says: `[ "$CUDA" = 12 ]`, `[[ -z $X || $Y == a* ]]`, a pattern of `case`.
import { fitsGlob } from "./glob.ts";
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

/** Longer ones are not taken apart. */
const longest = 1000;

/** What stands between `if` and `then`. Of tests that are joined it is said only whether they hold, where that is known. */
export function testOf(text: string, variables: Variables): Test {
  const parts = longest < text.length ? [] : partsOf(text, variables);
  const reading: Reading = { parts, at: 0 };
  const test = either(reading);
  return reading.at === parts.length && test ? test : {};
}

function partsOf(text: string, variables: Variables): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < text.length;) {
    const [operator] = /^(?:&&|\|\||[()])/.exec(text.slice(at, at + 2)) ?? [];
    if (/\s/.test(text[at]!)) at += 1;
    else if (operator !== undefined) {
      parts.push({ text: operator, isKnown: true, raw: operator });
      at += operator.length;
    } else {
      const word = readWord(text, at, variables);
      if (word.end === at) return [];
      parts.push({ text: word.text, isKnown: word.isKnown, raw: text.slice(at, word.end).replace(/["']/g, "") });
      at = word.end;
    }
  }
  return parts;
}

interface Reading {
  parts: Part[];
  at: number;
}

const next = ({ parts, at }: Reading) => parts[at]?.raw;

function either(reading: Reading): Test | undefined {
  let test = all(reading);
  while (test && (next(reading) === "||" || next(reading) === "-o")) {
    reading.at += 1;
    const other = all(reading);
    if (!other) return undefined;
    test = joined(test.value, other.value, true);
  }
  return test;
}

function all(reading: Reading): Test | undefined {
  let test = one(reading);
  while (test && (next(reading) === "&&" || next(reading) === "-a")) {
    reading.at += 1;
    const other = one(reading);
    if (!other) return undefined;
    test = joined(test.value, other.value, false);
  }
  return test;
}

/** One that decides decides for both. */
const joined = (one: boolean | undefined, other: boolean | undefined, deciding: boolean): Test =>
  one === deciding || other === deciding ? { value: deciding } : one === undefined || other === undefined ? {} : { value: !deciding };

const closing: { [opening: string]: string } = { "[": "]", "[[": "]]", "(": ")" };

function one(reading: Reading): Test | undefined {
  const first = next(reading);
  if (first === "!") {
    reading.at += 1;
    const test = one(reading);
    if (!test) return undefined;
    return test.value === undefined ? { ...test, isInverted: !test.isInverted } : { value: !test.value };
  }
  const end = first === undefined ? undefined : closing[first];
  if (end !== undefined) {
    reading.at += 1;
    const test = either(reading);
    if (!test || next(reading) !== end) return undefined;
    reading.at += 1;
    return test;
  }
  if (first === "test") reading.at += 1;
  else if (reading.at === 0) return undefined;
  return plainTest(reading);
}

const isJoining = (raw: string | undefined) => raw === undefined || /^(?:&&|\|\||-a|-o|\)|\]{1,2})$/.test(raw);

function plainTest(reading: Reading): Test | undefined {
  const { parts, at } = reading;
  const rest = parts.slice(at, at + 4);
  const count = rest.findIndex(({ raw }) => isJoining(raw));
  const own = rest.slice(0, count < 0 ? rest.length : count);
  const [first, second, third] = own;
  if (!first || 3 < own.length) return undefined;
  reading.at += own.length;
  if (second && third) return comparison(first, second.raw, third);
  if (second) return /^-[zn]$/.test(first.raw) ? emptiness(second, first.raw === "-n") : {};
  return emptiness(first, true);
}

const numeric: { [sign: string]: (left: number, right: number) => boolean } = {
  "-eq": (left, right) => left === right,
  "-ne": (left, right) => left !== right,
  "-lt": (left, right) => left < right,
  "-le": (left, right) => left <= right,
  "-gt": (left, right) => right < left,
  "-ge": (left, right) => right <= left,
};

function comparison(left: Part, sign: string, right: Part): Test {
  const isInverted = sign === "!=" || sign === "-ne";
  const isEquality = isInverted || sign === "=" || sign === "==" || sign === "-eq";
  if (left.isKnown && right.isKnown) {
    if (Object.hasOwn(numeric, sign))
      return /^-?\d{1,9}$/.test(left.text) && /^-?\d{1,9}$/.test(right.text)
        ? { value: numeric[sign]!(Number(left.text), Number(right.text)) }
        : {};
    if (isEquality) return { value: fitsGlob(left.text, right.text) !== isInverted };
    return sign === "<" ? { value: left.text < right.text } : sign === ">" ? { value: right.text < left.text } : {};
  }
  const [open, other] = left.isKnown ? [right, left] : [left, right];
  if (!isEquality || !other.isKnown || open.raw.length + other.text.length > 100) return {};
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
  if (subject.isKnown && patterns.every(({ isKnown }) => isKnown))
    return { ...told, value: patterns.some(({ text }) => fitsGlob(subject.text, text)) };
  const name = variableIn(subject.raw);
  const [only, ...others] = patterns;
  return name === undefined || others.length > 0 || !only?.isKnown || /[*?[]/.test(only.text)
    ? told
    : { ...told, learnt: { name, value: only.text } };
}
