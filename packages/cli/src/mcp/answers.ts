// Answers in full, to be asked for part by part: `culprit://answer/3/findings/0`.
import { mostCharacters } from "./fit.ts";

const mostKept = 32;
/** An agent asks for details one at a time; a part that is larger is told as a list of its own parts. */
const mostOfPart = 2 * mostCharacters;

export interface Answers {
  keep: (answer: unknown) => string;
  /** A part of an answer that was kept, as JSON; undefined: there is none. */
  part: (address: string) => string | undefined;
}

export function keptAnswers(): Answers {
  const kept = new Map<string, unknown>();
  let count = 0;
  return {
    keep(answer) {
      count += 1;
      const address = `culprit://answer/${count}`;
      kept.set(address, answer);
      const [oldest] = kept.keys();
      if (mostKept < kept.size && oldest !== undefined) kept.delete(oldest);
      return address;
    },
    part(address) {
      const [, root = "", pointer = ""] = /^(culprit:\/\/answer\/\d{1,9})(\/.{0,500})?$/.exec(address) ?? [];
      if (!kept.has(root)) return undefined;
      const value = valueAt(kept.get(root), pointer);
      return value === undefined ? undefined : told(value, address);
    },
  };
}

const stepsOf = (pointer: string) => pointer.split("/").filter((step) => step !== "");

function valueAt(answer: unknown, pointer: string): unknown {
  let value = answer;
  for (const step of stepsOf(pointer)) {
    if (typeof value !== "object" || value === null) return undefined;
    const range = /^(\d{1,9})-(\d{1,9})$/.exec(step);
    if (Array.isArray(value) && range) value = value.slice(Number(range[1]), Number(range[2]) + 1);
    else if (Object.hasOwn(value, decoded(step))) value = (value as { [name: string]: unknown })[decoded(step)];
    else return undefined;
  }
  return value;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** The part itself, or where its own parts are. */
function told(value: unknown, address: string): string {
  const text = JSON.stringify(value, null, 1);
  if (text.length <= mostOfPart) return text;
  if (typeof value === "string") return JSON.stringify(`${value.slice(0, mostOfPart / 2)}...`);
  const here = address.replace(/\/$/, "");
  if (Array.isArray(value)) {
    const size = Math.max(1, Math.floor(value.length / Math.ceil(text.length / mostOfPart) / 2));
    // Of a single thing that is too large, its own parts.
    if (value.length === 1) return told(value[0], `${here}/0`);
    const parts = Array.from(
      { length: Math.min(200, Math.ceil(value.length / size)) },
      (_, index) => `${here}/${index * size}-${Math.min((index + 1) * size, value.length) - 1}`,
    );
    return JSON.stringify({ tooLarge: `${value.length} items`, parts }, null, 1);
  }
  const parts = Object.keys(value as object)
    .slice(0, 200)
    .map((name) => `${here}/${encodeURIComponent(name)}`);
  return JSON.stringify({ tooLarge: `${text.length} characters`, parts }, null, 1);
}
