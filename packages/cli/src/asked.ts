import fs from "node:fs";
import type { Asked, Elsewhere } from "@culprit/core/lib/asked";
import { kindOf } from "@culprit/machine/target/kinds";
import { text, type Input } from "./usage.ts";

/** Options that change an answer, in the order in which they are suggested again. */
const carried = [
  "for",
  "do",
  "python",
  "env",
  "unset",
  "module",
  "driver",
  "gpu",
  "cwd",
  "cpu",
  "ldconfig",
  "with",
  "replace",
  "without",
  "shell",
  "send",
  "timeout",
  "colab",
  "python-version",
  "knowledge",
];

/** The question that the options ask, of the target that they or a word name. */
export function askedBy(input: Input, word?: string): Asked {
  const root = text(input, "root");
  const named = text(input, "target") ?? word;
  const kind = named === undefined ? undefined : kindOf(named);
  const folder = root ?? (kind?.kind.id === "root" ? named : undefined);
  const target = folder !== undefined ? ["--root", folder] : named !== undefined && named !== "machine" ? ["--target", named] : [];
  const place = folder !== undefined ? rootPlace(folder) : kind && placeOf(kind.kind.id, kind.named);
  return {
    target,
    options: carried.flatMap((name) => {
      const value = input.options[name];
      if (value === undefined || value === false) return [];
      return value === true ? [[`--${name}`]] : [value].flat().map((each) => [`--${name}`, each]);
    }),
    ...(place ? { place } : {}),
  };
}

/** The same for a report that names no host: what is handed on must not. */
export const unnamed = (asked: Asked): Asked =>
  asked.place?.kind === "host" ? { ...asked, target: ["--target", "ssh:HOST"], place: { kind: "host", name: "HOST" } } : asked;

/** Several targets, asked the same: what each of them is asked is in no word of it. */
export const askedOfEach = (input: Input): Asked => ({ target: [], options: askedBy(input).options });

function rootPlace(folder: string): Elsewhere | undefined {
  const name = fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
  return name === "/" ? undefined : { kind: "root", name };
}

// A process that runs is of this machine.
function placeOf(id: string, name: string): Elsewhere | undefined {
  if (id === "image" || id === "snapshot") return { kind: id, name };
  return id === "ssh" ? { kind: "host", name } : undefined;
}
