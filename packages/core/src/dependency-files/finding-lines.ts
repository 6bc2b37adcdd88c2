// Readers of TOML and YAML do not say where a value stands. Values are asked for in the order of the file: each is looked for
// from where the last one was found.
import type { Place } from "../model/finding.ts";
import { placeAt, splitLines } from "./lines.ts";

export interface Finder {
  /** Where a text stands next; the last place where it is not found. */
  find: (text: string) => Place;
  /** Where a line stands next that is this text and nothing more; each line is found once. */
  findLine: (text: string) => Place;
  /** Goes back to the first line that matches, or to the beginning. */
  seek: (pattern: RegExp) => void;
}

export function finderOf(text: string, file: string): Finder {
  const lines = splitLines(text);
  let at = 0;
  // What is not there is looked for to the end: a file made of such values must not take for ever.
  let patience = 20_000_000;
  const missed = (): Place => {
    patience -= lines.length - at;
    return placeAt(file, Math.min(at, Math.max(0, lines.length - 1)) + 1);
  };
  const place = (line: number, wanted: string) => placeAt(file, line + 1, Math.max(0, lines[line]!.indexOf(wanted)) + 1, wanted.length);
  return {
    find: (wanted) => {
      const needle = wanted.trim().split("\n")[0]!;
      if (needle !== "" && 0 < patience)
        for (let line = at; line < lines.length; line += 1)
          if (lines[line]!.includes(needle)) {
            at = line;
            return place(line, needle);
          }
      return missed();
    },
    findLine: (wanted) => {
      const end = 0 < patience ? lines.length : at;
      for (let line = at; line < end; line += 1)
        if (lines[line]!.trim().replace(/^- +/, "") === wanted) {
          at = line + 1;
          return place(line, wanted);
        }
      return missed();
    },
    seek: (pattern) => {
      at = Math.max(
        0,
        lines.findIndex((line) => pattern.test(line)),
      );
    },
  };
}

/** Members of a value that is read from a file; undefined for anything but an object. */
export const fields = (value: unknown): { [name: string]: unknown } | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
    ? (value as { [name: string]: unknown })
    : undefined;

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const word = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
