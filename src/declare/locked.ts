// What lock files of Python packages share: each release was chosen by a tool, for several systems and Pythons at once.
import { markerHolds, normalName } from "../lib/pep508.ts";
import { allPythons } from "../solve/build.ts";
import { isIn } from "../solve/specifier.ts";
import type { Alternative, Declaration, DeclarationFormat, DeclaredPackage, DeclaredStep, Install } from "../model/declaration.ts";
import { finderOf, type Finder } from "./finding-lines.ts";
import { placeAt } from "./lines.ts";
import { bareInstall } from "./packages.ts";

/** The system that is meant, as markers name it. */
export const linux = {
  implementation_name: "cpython",
  platform_python_implementation: "CPython",
  os_name: "posix",
  sys_platform: "linux",
  platform_system: "Linux",
  platform_machine: "x86_64",
};

/** Which extras and groups are chosen. */
export interface Choice {
  extras: string[];
  groups: string[];
}

/** Whether a marker holds on Linux; undefined where that depends on the last number of Python's version, or cannot be told. */
export function holdsOn(marker: string | undefined, python: string, { extras, groups }: Choice): boolean | undefined {
  if (marker === undefined || marker === "") return true;
  const [first, last] = ["0", "99"].map((patch) =>
    markerHolds(marker, {
      ...linux,
      python_version: python,
      python_full_version: `${python}.${patch}`,
      extra: extras,
      extras,
      dependency_groups: groups,
    }),
  );
  return first === last ? first : undefined;
}

/** The Pythons that a project takes, of those that anything here was built for. */
export const pythonsWithin = (specifier: string | undefined): string[] =>
  allPythons.filter((python) => specifier === undefined || ["0", "99"].some((patch) => isIn(`${python}.${patch}`, specifier)));

/** The marker of what holds on some Pythons: none where it holds on all, and `undefined` where on none. */
export function markerOf(pythons: string[], holds: (python: string) => boolean | undefined): { marker?: string } | undefined {
  const answers = pythons.map(holds);
  if (answers.every((answer) => answer === false)) return undefined;
  if (answers.every((answer) => answer === true)) return {};
  const open = 'python_full_version == "?"';
  return {
    marker: pythons
      .flatMap((python, index) =>
        answers[index] === false ? [] : [`python_version == "${python}"${answers[index] === true ? "" : ` and ${open}`}`],
      )
      .join(" or "),
  };
}

/** A package that several entries name with one version (an extra of it has an entry of its own) counts once. */
const onlyOnce = (packages: DeclaredPackage[]) =>
  packages.filter(
    (one, index) =>
      !packages
        .slice(0, index)
        .some((other) => other.name === one.name && other.specifier === one.specifier && other.marker === one.marker),
  );

export interface LockReader {
  finder: Finder;
  package: (name: string, version: string, place: DeclaredPackage["place"], more: Partial<DeclaredPackage>) => DeclaredPackage;
  declaration: (python: string | undefined, alternatives: { name: string; packages: DeclaredPackage[] }[]) => Declaration;
}

export function lockReader(format: DeclarationFormat, text: string, file: string): LockReader {
  const finder = finderOf(text, file);
  return {
    finder,
    package: (name, version, place, more) => ({
      name: normalName(name),
      extras: [],
      specifier: `==${version}`,
      ...more,
      text: `${name} ${version}`,
      place,
    }),
    declaration: (python, all) => {
      finder.seek(/^requires[-_]python|^python-versions|requires_python/);
      const steps: DeclaredStep[] = python === undefined ? [] : [{ kind: "python", specifier: python, place: finder.find(python) }];
      const install = (packages: DeclaredPackage[]): Install => ({
        kind: "install",
        manager: "pip",
        packages: onlyOnce(packages),
        ...bareInstall(),
        isLocked: true,
        place: placeAt(file, 1),
      });
      const alternatives = all.map(({ name, packages }): Alternative => ({ name, steps: [...steps, install(packages)] }));
      const [first] = alternatives;
      return { format, file, steps: first?.steps ?? steps, ...(1 < alternatives.length ? { alternatives } : {}), unknown: [] };
    },
  };
}
