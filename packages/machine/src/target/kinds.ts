// All kinds of targets together: what names one, what help says, and which one a word means.
import fs from "node:fs";
import type { TargetKind } from "./target-kind.ts";
import { all } from "./kinds/index.generated.ts";

/** In the order in which they are listed and asked. */
export const kinds: TargetKind[] = [...all].sort((a, b) => a.place - b.place);

/** The kind that a word names, and what stands behind its prefix. */
export function kindOf(word: string): { kind: TargetKind; named: string } | undefined {
  const prefixed = kinds.find(({ prefix }) => prefix !== undefined && word.startsWith(prefix));
  if (prefixed) return { kind: prefixed, named: word.slice(prefixed.prefix!.length) };
  const entry = entryAt(word);
  const kind = kinds.find((each) => each.word === word) ?? (entry && kinds.find(({ takes }) => takes?.(entry)));
  return kind && { kind, named: word };
}

function entryAt(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether a word can be nothing but a target. */
export const isPrefixed = (word: string): boolean => kinds.some(({ prefix }) => prefix !== undefined && word.startsWith(prefix));

/** Targets that are not this machine: `a root folder, a snapshot file, pid:N, image:FILE, ssh:HOST`. */
export const elsewhere: TargetKind[] = kinds.filter(({ kind }) => kind !== "machine");

/** `a, b or c`. */
export const either = (words: string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** In plain words, for where no marks belong. */
export const unmarked = (words: string): string => words.replaceAll("`", "");
