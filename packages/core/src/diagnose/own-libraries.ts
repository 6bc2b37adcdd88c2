// Libraries that a framework would bring itself, if it were asked to.
import { packageProviding } from "../knowledge/packages.ts";
import { indexOfLabel, isAmong, namesOf } from "../model/frameworks.ts";
import type { PackageFact } from "../model/finding.ts";
import type { Lacking } from "../survey/requirements.ts";
import type { Run, Stack } from "./stack.ts";

export interface OwnLibraries {
  /** What pip has to be given: `tensorflow[and-cuda]==2.17.1`, with the index that has it. */
  words: string[];
  /** The package whose metadata asks for them, and the extras of it; none: it asks for them in any case. */
  by: Lacking["by"];
  extras: string[];
  /** The wheels that are not there. */
  wheels: Lacking[];
}

/** The wheels that bring a missing library and that the framework's own metadata asks for, always or with an extra. */
export function ownLibraries(
  { lacking }: Stack,
  { environment, programs }: Run,
  program: string,
  soname: string,
): OwnLibraries | undefined {
  const own = programs.find(({ id }) => id === program)?.package;
  if (!environment || !own) return undefined;
  const parts = namesOf(program)?.parts ?? [];
  const here = lacking.filter((each) => each.environment === environment.prefix);
  const brings = ({ name }: Lacking) => packageProviding(soname, "pypi").some((each) => each.name === name);
  const exactly = (name: string, version: string) => `${name}==${version}`;
  const given = (requirement: string) => {
    const index = indexOfLabel(own.name, own.version);
    return [...(index === undefined ? [] : ["--extra-index-url", index]), requirement];
  };
  // What it asks for in any case is missing: it was installed without its dependencies, or they were removed.
  const always = here.filter(({ extra }) => extra === undefined);
  if (always.some(brings)) return { words: given(exactly(own.name, own.version)), by: always.find(brings)!.by, extras: [], wheels: always };
  const optional = here.filter(({ by, extra }) => extra !== undefined && (by.name === own.name || isAmong(by.name, parts)));
  const first = optional.find(brings);
  if (!first) return undefined;
  // A package with several such extras has one for each kind of library: `onnxruntime-gpu[cuda,cudnn]`.
  const wheels = optional.filter(({ by }) => by.name === first.by.name);
  const extras = [...new Set(wheels.map(({ extra }) => extra!))];
  const { by, through } = first;
  return { words: given(through ?? `${by.name}[${extras.join(",")}]==${by.version}`), by, extras, wheels };
}

/** The same in the form that fixes go by. */
export const ownFacts = ({ words, by, wheels }: OwnLibraries, environment: string): PackageFact[] => [
  ...wheels.map(({ name, specifier }) => ({ role: "install" as const, name, wants: specifier, environment, with: words })),
  { role: "asks", name: by.name, version: by.version, environment },
];
