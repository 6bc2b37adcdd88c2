// What installed packages ask of each other, as far as GPUs are concerned: Requires-Dist in their metadata.
import { needsNumpyOne } from "../knowledge/published.ts";
import { isWithin } from "../lib/pep440.ts";
import { markerHolds, normalName, parseRequirement, type MarkerVariables, type PythonRequirement } from "../lib/pep508.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import { readingText, textAt } from "./python.ts";
import { allNames, isAskedFor, isAsking, isBuiltFor } from "../model/frameworks.ts";

type FoundPackage = Pick<PythonPackage, "name" | "version" | "metadata" | "pythonPath">;

/** One package of an environment that asks for a version of another one there. */
export interface Requirement {
  environment: string;
  by: FoundPackage;
  /** Of both, which is installed. */
  needs: FoundPackage;
  specifier: string;
  /** The extra that it belongs to, where nothing but the packages that are there says that it was asked for. */
  extra?: string;
}

/** A wheel with GPU libraries that a package asks for, and that is not there: always, or with one of its extras. */
export interface Lacking {
  environment: string;
  by: FoundPackage;
  name: string;
  specifier: string;
  /** The extra that it belongs to. */
  extra?: string;
  /** What asks for that extra of it in turn: `jax[cuda12]==0.6.2` for the extra `with-cuda` of its plug-in. */
  through?: string;
}

const companions = allNames("companions");

export function readRequirements(view: View, environments: PythonEnvironment[]): Requirement[] {
  return environments.flatMap((environment) => requirementsAmong(view, environment));
}

function requirementsAmong(view: View, environment: PythonEnvironment): Requirement[] {
  const { prefix, packages } = environment;
  // The first of a name is the one that `import` finds.
  const installed = new Map<string, PythonPackage>();
  for (const found of packages) if (!installed.has(found.name)) installed.set(found.name, found);
  const all = new Map(
    [...installed.values()].filter(({ name }) => isAsking(name)).map((found) => [found.name, requirementsOf(view, found)] as const),
  );
  const holds = remembering(markerVariables(view, environment));
  const extras = extrasAskedFor(all, holds);
  const plain = [...all].flatMap(([by, requirements]) =>
    requirements
      .filter(({ marker }) => applies(marker, holds, extras.get(by) ?? new Set()))
      .map((requirement) => ({ by, ...requirement, extra: undefined as string | undefined })),
  );
  const askedFor = new Set(plain.map(({ name }) => normalName(name)));
  const presumed = [...all].flatMap(([by, requirements]) =>
    presumedExtras(requirements, holds, extras.get(by) ?? new Set(), installed, askedFor).flatMap(([extra, own]) =>
      own.map((requirement) => ({ by, ...requirement, extra: extra as string | undefined })),
    ),
  );
  // It is what will have to change: what it brought must be known then.
  const numpy = installed.get("numpy");
  const isForOne = (name: string) => needsNumpyOne(name, installed.get(name)!.version) !== undefined;
  if (numpy && /^[2-9]/.test(numpy.version) && [...all.keys()].some(isForOne)) textAt(view, `${numpy.metadata}/RECORD`);
  const found: Requirement[] = [];
  const known = new Set<string>();
  for (const { by, name, specifier, extra } of [...plain, ...presumed]) {
    // Libraries are opened where the one that asks lies; PYTHONPATH counts for what is imported.
    const isBeside = (found: PythonPackage) => found.name === normalName(name) && found.folder === installed.get(by)!.folder;
    const wanted = (name.startsWith("nvidia") ? packages.find(isBeside) : undefined) ?? installed.get(normalName(name));
    if (!wanted || specifier === "" || !isAskedFor(wanted.name)) continue;
    const key = `${by} ${wanted.name} ${specifier}`;
    if (known.has(key)) continue;
    known.add(key);
    const follows = companions.includes(by) || isBuiltFor(wanted.name, specifier);
    if (follows && isWithin(wanted.version, specifier) === false) textAt(view, `${installed.get(by)!.metadata}/RECORD`);
    found.push({
      environment: prefix,
      by: installed.get(by)!,
      needs: wanted,
      specifier,
      ...(extra === undefined ? {} : { extra }),
    });
  }
  return found;
}

/** What packages ask for that nobody has installed: plain `pip install tensorflow` leaves its extra out, `--no-deps` leaves out all. */
export const readLacking = (view: View, environments: PythonEnvironment[]): Lacking[] =>
  environments.flatMap((environment) => lackingIn(view, environment));

function lackingIn(view: View, environment: PythonEnvironment): Lacking[] {
  const { prefix, packages } = environment;
  const installed = new Map(packages.toReversed().map((found) => [found.name, found]));
  const all = new Map(
    [...installed.values()].filter(({ name }) => isAsking(name)).map((found) => [found.name, requirementsOf(view, found)] as const),
  );
  const holds = remembering(markerVariables(view, environment));
  const asked = extrasAskedFor(all, holds);
  return [...all].flatMap(([by, requirements]) => {
    const absent = requirements.filter(({ name }) => /^(nvidia|cuda-toolkit$)/.test(normalName(name)) && !installed.has(normalName(name)));
    const extras = extrasOf(absent);
    if (mostExtras < extras.length) return [];
    return absent.flatMap(({ name, specifier, marker }) => {
      const found = { environment: prefix, by: installed.get(by)!, name: normalName(name), specifier };
      if (applies(marker, holds, asked.get(by) ?? new Set())) return [found];
      return extras
        .filter((extra) => holds(marker!, extra))
        .map((extra) => {
          const through = throughOf(all, installed, by, extra);
          return { ...found, extra, ...(through === undefined ? {} : { through }) };
        });
    });
  });
}

/** What asks for an extra of a package: of several extras that do, the one that is in its name. */
function throughOf(
  all: Map<string, PythonRequirement[]>,
  installed: Map<string, PythonPackage>,
  by: string,
  extra: string,
): string | undefined {
  const ways = [...all].flatMap(([name, requirements]) =>
    extrasOf(requirements.filter((each) => normalName(each.name) === by && each.extras.some((one) => normalName(one) === extra))).map(
      (own) => ({ name, own }),
    ),
  );
  const { name, own } =
    ways.toSorted((a, b) => Number(by.includes(b.own)) - Number(by.includes(a.own)) || b.own.length - a.own.length)[0] ?? {};
  return name === undefined ? undefined : `${name}[${own}]==${installed.get(name)!.version}`;
}

const extrasOf = (requirements: PythonRequirement[]): string[] => [
  ...new Set(
    requirements.flatMap(({ marker = "" }) =>
      [...marker.matchAll(/\bextra\s*==\s*['"]([^'"]+)['"]/g)].map(([, extra]) => normalName(extra!)),
    ),
  ),
];

/** What a package asks for in any case, and what is not installed: `cuequivariance-ops-cu12==0.13.0`. */
export const lackedBy = (view: View, environment: PythonEnvironment, found: PythonPackage): string[] =>
  lackingOf(view, environment, found).map(({ name, specifier }) => `${normalName(name)}${specifier}`);

/** The same, by their names alone. */
export const lackedNames = (view: View, environment: PythonEnvironment, found: PythonPackage): string[] =>
  lackingOf(view, environment, found).map(({ name }) => normalName(name));

function lackingOf(view: View, environment: PythonEnvironment, found: PythonPackage): PythonRequirement[] {
  const isThere = (name: string) => environment.packages.some((each) => each.name === normalName(name));
  return requirementsFor(view, environment)(found).filter(({ name }) => !isThere(name));
}

/**
 * What a package asks for in any case, and has in a release that it does not take. Of frameworks and their libraries a rule tells (pins-not-met); patches
 * of one minor release have one interface; and what builds packages has no part in running them.
 */
export function unmetBy(
  view: View,
  environment: PythonEnvironment,
  found: PythonPackage,
): { name: string; specifier: string; version: string }[] {
  const minor = (version: string) => /^\d+\.\d+/.exec(version)?.[0];
  return requirementsFor(
    view,
    environment,
  )(found).flatMap(({ name: written, specifier }) => {
    const name = normalName(written);
    const there = environment.packages.find((each) => each.name === name);
    if (!there || isAskedFor(name) || forBuilding.has(name) || isWithin(there.version, specifier) !== false) return [];
    const exact = /^===?\s*(\S+)$/.exec(specifier)?.[1];
    return exact !== undefined && minor(exact) === minor(there.version) ? [] : [{ name, specifier, version: there.version }];
  });
}

const forBuilding = new Set(["pip", "setuptools", "wheel", "ninja", "cmake"]);

/** What packages of an environment ask for in any case. */
export function requirementsFor(view: View, environment: PythonEnvironment): (found: PythonPackage) => PythonRequirement[] {
  const holds = remembering(markerVariables(view, environment));
  return (found) => requirementsOf(view, found).filter(({ marker }) => applies(marker, holds, new Set()));
}

/** The distributions that a package asks for, be it with an extra. */
export const askedBy = (view: View, found: PythonPackage): string[] => requirementsOf(view, found).map(({ name }) => normalName(name));

/** Which releases of another one a package asks for on this machine, be it with an extra. */
export function specifierFor(view: View, environment: PythonEnvironment, asker: PythonPackage, wanted: string): string | undefined {
  const holds = remembering(markerVariables(view, environment));
  const asked = requirementsOf(view, asker).filter(({ name }) => normalName(name) === wanted);
  const extras = new Set(extrasOf(asked));
  return asked.find(({ marker, specifier }) => specifier !== "" && applies(marker, holds, extras))?.specifier;
}

/** Whether a package asks for another one, or for one that does, as far as they are installed. */
export function asksFor(view: View, { packages }: PythonEnvironment, asker: PythonPackage, wanted: string): boolean {
  const seen = new Set([asker.name]);
  const open = [asker];
  for (let found = open.shift(); found; found = open.shift()) {
    const names = askedBy(view, found);
    if (names.includes(wanted)) return true;
    for (const name of names) {
      const next = seen.has(name) ? undefined : packages.find((each) => each.name === name);
      seen.add(name);
      if (next) open.push(next);
    }
  }
  return false;
}

const requirementsOf = (view: View, { metadata }: PythonPackage): PythonRequirement[] => requirementsAt(view, `${metadata}/METADATA`);

const requirementsAt = readingText((text) =>
  [...text.matchAll(/^Requires-Dist:[ \t]*(.*)$/gm)].flatMap(([, said]) => {
    const read = parseRequirement(said!);
    return "problem" in read ? [] : [read];
  }),
);

function markerVariables(view: View, { python, version }: PythonEnvironment): MarkerVariables {
  const at = view.lookup(python);
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  const machine = fact?.kind === "elf" ? { 62: "x86_64", 183: "aarch64" }[fact.machine] : undefined;
  return {
    python_version: version,
    sys_platform: "linux",
    platform_system: "Linux",
    os_name: "posix",
    platform_machine: machine,
    platform_python_implementation: "CPython",
    implementation_name: "cpython",
  };
}

type Holds = (marker: string, extra: string) => boolean;

// A package repeats the same few conditions for dozens of others.
function remembering(variables: MarkerVariables): Holds {
  const known = new Map<string, boolean>();
  return (marker, extra) => {
    // Where no extra is asked for, it makes no difference which one is.
    const key = marker.includes("extra") ? `${extra}\n${marker}` : marker;
    let answer = known.get(key);
    if (answer === undefined) known.set(key, (answer = markerHolds(marker, { ...variables, extra }) === true));
    return answer;
  };
}

function applies(marker: string | undefined, holds: Holds, extras: Set<string>): boolean {
  if (marker === undefined || holds(marker, "")) return true;
  for (const extra of extras) if (holds(marker, extra)) return true;
  return false;
}

/** The extras of packages that others ask for: torch needs cuda-toolkit[cublas], so what that extra needs counts. */
function extrasAskedFor(all: Map<string, PythonRequirement[]>, holds: Holds): Map<string, Set<string>> {
  const extras = new Map<string, Set<string>>();
  for (let grown = true; grown;) {
    grown = false;
    for (const [by, requirements] of all) {
      for (const { name, extras: wanted, marker } of requirements) {
        if (wanted.length === 0 || !applies(marker, holds, extras.get(by) ?? new Set())) continue;
        const known = extras.get(normalName(name)) ?? new Set();
        for (const extra of wanted.map(normalName)) if (!known.has(extra)) grown = Boolean(known.add(extra));
        extras.set(normalName(name), known);
      }
    }
  }
  return extras;
}

const mostExtras = 300;

/**
 * Extras that were surely asked for by hand (`tensorflow[and-cuda]`): all that they need is there, and something of it that no other package
 * needs, in a version that they let in. Nothing on the disk says so outright.
 */
function presumedExtras(
  requirements: PythonRequirement[],
  holds: Holds,
  known: Set<string>,
  installed: Map<string, PythonPackage>,
  askedFor: Set<string>,
): [extra: string, requirements: PythonRequirement[]][] {
  const names = extrasOf(requirements);
  // No package has so many: it was made so that somebody tries each of them with each requirement.
  if (mostExtras < names.length) return [];
  const optional = requirements.filter(({ marker }) => marker?.includes("extra") && !applies(marker, holds, known));
  const isOneOfSeveral = ({ name, specifier }: PythonRequirement) =>
    optional.some((other) => normalName(other.name) === normalName(name) && other.specifier !== specifier);
  return names.flatMap((extra) => {
    if (known.has(extra)) return [];
    const own = optional.filter(({ marker }) => holds(marker!, extra));
    const needed = own.map(({ name }) => normalName(name));
    const isMet = ({ name, specifier }: PythonRequirement) => isWithin(installed.get(normalName(name))?.version ?? "", specifier) === true;
    // NVIDIA's wheels are installed by hand for this and that; and what each extra pins to another version is asked for by one at most.
    const isSign = (each: PythonRequirement) =>
      !askedFor.has(normalName(each.name)) && ((!/^nvidia/i.test(each.name) && !isOneOfSeveral(each)) || isMet(each));
    const isThere = needed.every((name) => installed.has(name)) && own.some(isSign);
    return isThere && needed.some((name) => isAskedFor(name)) ? [[extra, own] as [string, PythonRequirement[]]] : [];
  });
}
