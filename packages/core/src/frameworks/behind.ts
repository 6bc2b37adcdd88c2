// What comes after a library that lies in a wheel and that nothing leads to: the same step once more, as if it had been found. A second fault
// would else be told only when the first is gone, and nobody would know which folders the step needs.
import { nameOf } from "../lib/path.ts";
import type { Failure } from "../model/loads.ts";
import { remember } from "../resolve/process.ts";
import { wheelLibrary } from "../survey/gpu-packages.ts";
import type { PythonProcess } from "./python-process.ts";
import { Stop } from "./running-process.ts";

/** So many libraries one after the other are enough for any step. */
const mostHelped = 24;

/** `files`: what of the environment's wheels the step asks for and does not find; `next`: at what it ends when it has all of them. */
export function lookBehind(python: PythonProcess, failure: Failure, again: () => void): { files: string[]; next?: Failure } {
  const { process, view, environment } = python;
  const files: string[] = [];
  const helpFor = ({ underlying, ...own }: Failure): string | undefined => {
    const { reason, name } = underlying ?? own;
    const help =
      reason === "not-found" && files.length < mostHelped ? wheelLibrary(view.wishing, environment, nameOf(name))?.file : undefined;
    return help === undefined || files.includes(help) ? undefined : help;
  };
  /** What it needs itself may be in wheels, too. */
  const load = (file: string): Failure | undefined => {
    files.push(file);
    for (;;) {
      const opened = python.open(python.interpreter(), file, { global: true });
      if (!("failure" in opened)) return undefined;
      const help = helpFor(opened.failure);
      const below = help === undefined ? opened.failure : load(help);
      if (below) return below;
    }
  };
  const attempt = (act: () => Failure | undefined | void): Failure | undefined => {
    const before = process.failures.length;
    try {
      return act() ?? undefined;
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      return process.failures[before];
    }
  };
  const goBack = remember(process);
  let last: Failure | undefined = failure;
  for (let help = helpFor(failure); last && help !== undefined; help = last && helpFor(last))
    last = attempt(() => load(help!)) ?? attempt(again);
  goBack();
  return { files, ...(last && last !== failure ? { next: last } : {}) };
}
