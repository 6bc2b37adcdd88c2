// The `if` of a step of a GitHub workflow, as far as the matrix and the system of the runner decide it.
// https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
import type { Choice } from "./matrix.ts";

/** A word, a number or a truth, as text; undefined where only GitHub knows it. */
type Value = string | undefined;

interface Reading {
  /** What is left to read, the next one last. */
  tokens: string[];
  known: (name: string) => Value;
}

const token = /'(?:[^']|'')*'|&&|\|\||[!=]=|[<>]=?|[!(),]|[\w.*[\]-]+/g;

/** Longer than people write. */
const longest = 2000;

/** Whether a step is left out for sure. What is not understood may hold. */
export function isExcluded(condition: string, choice: Choice): boolean {
  const text = condition.replace(/^\s*\$\{\{|\}\}\s*$/g, "");
  if (text.trim() === "" || longest < text.length) return false;
  const tokens = [...text.matchAll(token)].map(([each]) => each).toReversed();
  const known = (name: string): Value => (name === "runner.os" ? "Linux" : choice.get(name.replace(/^matrix\./, "")));
  const reading = { tokens, known };
  const value = either(reading);
  return tokens.length === 0 && isTrue(value) === false;
}

/** GitHub takes these for false, and all else for true. */
const isTrue = (value: Value): boolean | undefined => (value === undefined ? undefined : !/^(?:|0|false|null)$/.test(value));

const next = ({ tokens }: Reading): string | undefined => tokens.at(-1);

function either(reading: Reading): Value {
  let left = all(reading);
  while (next(reading) === "||") {
    reading.tokens.pop();
    const right = all(reading);
    if (isTrue(left) === true) continue;
    left = isTrue(left) === false ? right : isTrue(right) === true ? "true" : undefined;
  }
  return left;
}

function all(reading: Reading): Value {
  let left = compared(reading);
  while (next(reading) === "&&") {
    reading.tokens.pop();
    const right = compared(reading);
    if (isTrue(left) === false) continue;
    left = isTrue(left) === true ? right : isTrue(right) === false ? "false" : undefined;
  }
  return left;
}

function compared(reading: Reading): Value {
  const left = one(reading);
  const sign = /^(?:[!=]=|[<>]=?)$/.exec(next(reading) ?? "")?.[0];
  if (sign === undefined) return left;
  reading.tokens.pop();
  const right = one(reading);
  // Letters count as the same, large or small. What is less or more goes by numbers, and decides nothing here.
  if (left === undefined || right === undefined || !sign.endsWith("=") || /[<>]/.test(sign)) return undefined;
  return String((left.toLowerCase() === right.toLowerCase()) === (sign === "=="));
}

function one(reading: Reading): Value {
  const read = reading.tokens.pop();
  if (read === undefined) return undefined;
  if (read === "!") {
    const truth = isTrue(one(reading));
    return truth === undefined ? undefined : String(!truth);
  }
  if (read === "(") {
    const inner = either(reading);
    if (next(reading) === ")") reading.tokens.pop();
    return inner;
  }
  if (read.startsWith("'")) return read.slice(1, -1).replaceAll("''", "'");
  if (next(reading) === "(") return called(read, reading);
  return /^(?:true|false|null|\d+(?:\.\d+)?)$/.test(read) ? read : reading.known(read);
}

/** `contains` and its kin; what others answer, such as `failure()`, only GitHub knows. */
function called(name: string, reading: Reading): Value {
  const given: Value[] = [];
  do {
    reading.tokens.pop();
    if (next(reading) !== ")") given.push(either(reading));
  } while (next(reading) === ",");
  if (next(reading) === ")") reading.tokens.pop();
  const [within, part] = given.map((each) => each?.toLowerCase());
  if (within === undefined || part === undefined) return undefined;
  if (name === "contains") return String(within.includes(part));
  if (name === "startsWith") return String(within.startsWith(part));
  return name === "endsWith" ? String(within.endsWith(part)) : undefined;
}
