import type { PythonEnvironment } from "../model/environment.ts";
import type { Advice } from "../model/finding.ts";
import type { Stack } from "./stack.ts";

/** What `uv venv` made has no pip. */
export const hasPip = ({ packages, kind }: PythonEnvironment) => kind !== "venv" || packages.some(({ name }) => name === "pip");

/** pip of an environment, or uv for it: a bare `pip` is whatever PATH leads to, mostly that of another environment. */
export function pipOf(environment: PythonEnvironment | undefined, ...words: string[]): string[] {
  if (!environment || hasPip(environment)) return [environment?.python ?? "python3", "-m", "pip", ...words];
  const [what = "", ...rest] = words;
  const others = rest.flatMap((word) => (word === "-y" ? [] : [word === "--force-reinstall" ? "--reinstall" : word]));
  return ["uv", "pip", what, "--python", environment.python, ...others];
}

export const pipAdvice = (environment: PythonEnvironment | undefined, words: string, ...rest: string[]): Advice => ({
  words,
  command: pipOf(environment, ...rest),
  scope: "install",
});

/** The environment by its prefix. */
export const environmentOf = ({ environments }: Pick<Stack, "environments">, prefix: string): PythonEnvironment | undefined =>
  environments.find((each) => each.prefix === prefix);

/** The environment that a file is installed in: of two, one inside the other, the inner. */
export const environmentWith = ({ environments }: Pick<Stack, "environments">, file: string): PythonEnvironment | undefined =>
  environments
    .filter(({ sites, prefix }) => [...sites, ...(prefix === "/usr" ? [] : [prefix])].some((folder) => file.startsWith(`${folder}/`)))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
