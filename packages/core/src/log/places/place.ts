import type { Diagnosis } from "../../model/explain.ts";

export type Fix = Diagnosis["fixes"][number];

/** Commands and ways out in the form in which they work where a text comes from. */
export interface Place {
  /** A line to run; none where it cannot work there. */
  line(command: string): string[];
  fix(one: Fix, of: Diagnosis): Fix[];
  /** What only helps there, before all else. */
  first(of: Diagnosis): Fix[];
}

/** Each command in its new form; a fix that was nothing but its commands goes with the last of them. */
export function translated(one: Fix, line: Place["line"]): Fix[] {
  const commands = one.commands.flatMap(line);
  return 0 < one.commands.length && commands.length === 0 ? [] : [{ ...one, commands }];
}

/** Several commands in one line: those that work there. What is quoted holds semicolons of its own. */
export function eachPart(command: string, keep: (part: string) => string[]): string[] {
  if (/^(?:python3?|julia) -[ce] /.test(command) || /\$\(|\[ -n/.test(command)) return keep(command);
  const parts = command.split("; ").flatMap(keep);
  return parts.length === 0 ? [] : [parts.join("; ")];
}

/** A driver of one's own, which not every place can have. */
export const newDriver = /install (?:a newer |the )NVIDIA driver|install driver \d|install a newer driver/;

/** Causes that speak of a library of CUDA that the loader does not find, or finds in another release. */
export const aboutLibrary = new Set<Diagnosis["cause"]>([
  "library-missing",
  "library-not-on-path",
  "library-wrong-version",
  "wrong-wheel-cuda-version",
]);
