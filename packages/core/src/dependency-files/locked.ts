// What lock files of Python packages share: each release was chosen by a tool, for several systems and Pythons at once.
import { normalName, parseMarker, type Condition } from "../lib/pep508.ts";
import { allPythons } from "../builds/build.ts";
import { isIn } from "../builds/specifier.ts";
import type { Place } from "../model/finding.ts";
import type { Alternative, Declaration, DependencyFileFormat, DeclaredPackage, DeclaredStep, Install } from "../model/dependency-file.ts";
import { fields, finderOf, list, word, type Finder } from "./finding-lines.ts";
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

/** Lock files say the same markers over and over, at length: each is read once, and answered once. */
function markerReader(): LockReader["holds"] {
  const answers = new Map<string, { holds: Condition | undefined; known: Map<string, boolean | undefined> }>();
  return (marker, python, { extras, groups }) => {
    if (marker === undefined || marker === "") return true;
    let own = answers.get(marker);
    if (!own) answers.set(marker, (own = { holds: parseMarker(marker), known: new Map() }));
    const { holds, known } = own;
    const key = `${python} ${extras.join()} ${groups.join()}`;
    if (known.has(key)) return known.get(key);
    const on = (patch: string) =>
      holds?.({
        ...linux,
        python_version: python,
        python_full_version: `${python}.${patch}`,
        extra: extras,
        extras,
        dependency_groups: groups,
      });
    const first = on("0");
    const answer = !marker.includes("python_full_version") || first === on("99") ? first : undefined;
    known.set(key, answer);
    return answer;
  };
}

/** The Pythons that a project takes, of those that anything here was built for. */
export function pythonsWithin(specifier: string | undefined): string[] {
  const found = allPythons.filter(
    (python) => specifier === undefined || ["0", "99"].some((patch) => isIn(`${python}.${patch}`, specifier)),
  );
  return 0 < found.length ? found : allPythons;
}

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
const onlyOnce = (packages: DeclaredPackage[]) => {
  const known = new Set<string>();
  return packages.filter(({ name, specifier, marker }) => {
    const key = JSON.stringify([name, specifier, marker]);
    return !known.has(key) && Boolean(known.add(key));
  });
};

export interface LockReader {
  finder: Finder;
  /** Whether a marker holds on Linux; undefined where that depends on the last number of Python's version, or cannot be told. */
  holds: (marker: string | undefined, python: string, choice: Choice) => boolean | undefined;
  package: (name: string, version: string, place: DeclaredPackage["place"], more: Partial<DeclaredPackage>) => DeclaredPackage;
  declaration: (python: string | undefined, alternatives: { name: string; packages: DeclaredPackage[] }[]) => Declaration;
}

export function lockReader(format: DependencyFileFormat, text: string, file: string): LockReader {
  const finder = finderOf(text, file);
  return {
    finder,
    holds: markerReader(),
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
      // Where bounds leave one Python (`>=3.11,<3.12`), it is that.
      const [only, ...others] = python === undefined ? [] : pythonsWithin(python);
      const specifier = only !== undefined && others.length === 0 ? `==${only}` : python;
      const steps: DeclaredStep[] = specifier === undefined ? [] : [{ kind: "python", specifier, place: finder.find(python!) }];
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

/** The tables [[package]] of a lock, each with its line and its groups. */
export function lockedEntries({ finder }: LockReader, tables: unknown): LockedEntry[] {
  finder.seek(/^\[\[package\]\]/);
  return list(tables).flatMap((value) => {
    const entry = fields(value) ?? {};
    const [name, version] = [word(entry["name"]), word(entry["version"])];
    if (name === undefined || version === undefined) return [];
    return [{ entry, name, version, place: finder.findLine(`name = "${name}"`), groups: list(entry["groups"]).map(String) }];
  });
}

export interface LockedEntry {
  entry: { [key: string]: unknown };
  name: string;
  version: string;
  place: Place;
  groups: string[];
}
