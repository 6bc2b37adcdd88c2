// Frameworks by their names. All that is known here comes from `frameworks/<id>/names.ts`.
import { frameworkNames } from "./framework-names.generated.ts";
import type { FrameworkNames } from "./framework-names.ts";

/** Whether a name is one of a list, in which `*` stands for any letters. */
export function isAmong(name: string, list: string[] = []): boolean {
  return list.some((pattern) => {
    const star = pattern.indexOf("*");
    return star < 0
      ? name === pattern
      : name.length >= pattern.length - 1 && name.startsWith(pattern.slice(0, star)) && name.endsWith(pattern.slice(star + 1));
  });
}

const kindsOfNames = ["modules", "asking", "exact", "parts", "companions", "otherIndexes"] as const;

const allOfKind = new Map(kindsOfNames.map((kind) => [kind, frameworkNames.flatMap((names) => names[kind] ?? [])]));

/** Every name of one kind, of all frameworks. */
export const allNames = (kind: (typeof kindsOfNames)[number]): string[] => allOfKind.get(kind)!;

/** Whether it counts what a package asks for: frameworks, what is built on them, and packages that only collect others. */
export const isAsking = (name: string): boolean => name === "cuda-toolkit" || isAmong(name, allNames("asking"));

/** Whether it counts that a package is asked for in some versions only. */
export const isAskedFor = (name: string): boolean =>
  isAmong(name, allNames("exact")) || /^(nvidia-.+|cuda-toolkit|tensorrt-.+)$/.test(name);

/** What is known of one framework by its id. */
export const namesOf = (id: string): FrameworkNames | undefined => frameworkNames.find((names) => names.id === id);

/** The framework that a distribution is, or is a part or a companion of. */
export const frameworkNamed = (name: string): FrameworkNames | undefined =>
  whole.get(name) ?? patterns.find(({ pattern }) => isAmong(name, [pattern]))?.names;

const distributions = frameworkNames.flatMap((names) =>
  [...names.packages, ...(names.parts ?? []), ...(names.companions ?? [])].map((pattern) => ({ pattern, names })),
);

// A list may have thousands of packages, and each is asked about again and again.
const patterns = distributions.filter(({ pattern }) => pattern.includes("*"));
const whole: ReadonlyMap<string, FrameworkNames> = new Map(
  distributions
    .filter(({ pattern }) => !pattern.includes("*"))
    .map(({ pattern, names }): [string, FrameworkNames] => [pattern, names])
    .toReversed(),
);

/** Whether who asks so for a package was compiled for that very release of it: `torch==2.5.1`. */
export const isBuiltFor = (name: string, specifier: string): boolean =>
  specifier.startsWith("==") && frameworkNames.some(({ packages, provides = [] }) => 0 < provides.length && isAmong(name, packages));

/** The frameworks that `solve` knows, in the order in which they are listed. */
export const solvedFrameworks = frameworkNames
  .flatMap(({ solve, ...names }) => (solve ? [{ ...names, solve }] : []))
  .sort((a, b) => a.solve.rank - b.solve.rank);

/** What `culprit solve` takes for a framework. */
export const solveName = (id: string): string => namesOf(id)?.solve?.name ?? id;

/** The framework whose builds by labels a distribution is one of. */
export const labelledFramework = (name: string): LabelledFramework | undefined =>
  frameworkNames.find((names): names is LabelledFramework => names.labelled !== undefined && names.packages.includes(name));

/** Where a build is that is not the one of PyPI, as its version says: `2.4.1+cu121`. */
export function indexOfLabel(name: string, version: string): string | undefined {
  const label = /\+(cu\d+|cpu)$/.exec(version)?.[1];
  const index = frameworkNames.find(({ labelled }) => isAmong(name, labelled?.holds))?.labelled?.index;
  return label === undefined || index === undefined ? undefined : `${index}/${label}`;
}

type LabelledFramework = FrameworkNames & Required<Pick<FrameworkNames, "labelled">>;

/** `cupy-cuda12x` is CuPy for one CUDA. */
export function forCudaMajor(name: string): { names: FrameworkNames; major: string } | undefined {
  for (const names of frameworkNames) {
    const [before, after] = names.perCudaMajor?.split("*") ?? [];
    if (before === undefined || after === undefined || !isAmong(name, [`${before}*${after}`])) continue;
    const major = name.slice(before.length, name.length - after.length);
    if (/^\d\d$/.test(major)) return { names, major };
  }
  return undefined;
}

/** The major of CUDA that a name ends in: 12 for `cudf-cu12`, 13 for `nvidia-dali-cuda130` and `cupy-cuda13x`. */
export function cudaMajorWritten(name: string): number | undefined {
  const dash = name.indexOf("-");
  const major = dash < 0 ? undefined : /cu(?:da)?(1\d)[x\d]?(?:$|-)/.exec(name.slice(dash))?.[1];
  return major === undefined ? undefined : Number(major);
}

/** The same of a package of NVIDIA or of a framework: 12 for `nvidia-cudnn-cu12`, `jax-cuda12-plugin`. */
export const cudaMajorInName = (name: string): number | undefined =>
  name.startsWith("nvidia-") || frameworkNamed(name) ? cudaMajorWritten(name) : undefined;

/** Distributions that fill the same folder as this one, with itself. */
export const inSameFolder = (name: string): string[] =>
  frameworkNames.find(({ sameFolder }) => sameFolder?.includes(name))?.sameFolder ?? [];

/** Whether a distribution is a build of a framework without code for GPUs. */
export const hasNoGpuCode = (name: string): boolean => frameworkNames.some(({ withoutGpu }) => withoutGpu?.includes(name));
