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
  return [environment.uv ?? "uv", "pip", what, "--python", environment.python, ...others];
}

// Where each makes its environments, and which file it makes them from.
const managers = [
  { of: /\/pypoetry\/virtualenvs\//, name: "Poetry", file: "pyproject.toml" },
  { of: /\/\.local\/share\/virtualenvs\//, name: "Pipenv", file: "the Pipfile" },
  { of: /\/\.pixi\/envs\//, name: "pixi", file: "pixi.toml" },
];

/** Whoever keeps an environment as a file says puts its own release back. */
export function keptBy(environment: PythonEnvironment | undefined): string | undefined {
  const manager = environment && managers.find(({ of }) => of.test(`${environment.prefix}/`));
  return manager && `change ${manager.file}, too: ${manager.name} puts back what is written there`;
}

export const pipAdvice = (environment: PythonEnvironment | undefined, words: string, ...rest: string[]): Advice => ({
  // The same release again is what the file says already.
  words: keptBy(environment) === undefined || rest.includes("--force-reinstall") ? words : `${words} (and ${keptBy(environment)})`,
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
