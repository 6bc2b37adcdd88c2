// A release that nobody names and that goes by the Python, where only one of those that may come has a defect.
import { allPythons, pythonsOf } from "../builds/build.ts";
import { isIn } from "../builds/specifier.ts";
import { knownBadCombinations } from "../knowledge/known-bad.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { isWithin } from "../lib/pep440.ts";
import { placeWords } from "../lib/place.ts";
import type { Check } from "../model/check.ts";
import type { KnownBadCombination, PublishedRelease } from "../model/knowledge.ts";
import type { InstallContext } from "./context.ts";
import { installedNamed, type Installation, type Installed } from "./install.ts";

/** What would be told as a defect if most of the Pythons did not spare it, and what brings one that goes by the Python. */
export const ofPython = ({ installation }: InstallContext): Check["unknown"] => [...ofBrought(installation), ...ofNewest(installation)];

const ofBrought = ({ byPython, packages, failed }: Installation): Check["unknown"] =>
  [...byPython].flatMap(([name, { newest, before, place }]): Check["unknown"] => {
    if (0 < failed.size || packages.get(name)?.version !== undefined) return [];
    const combination = knownBadCombinations().find(
      ({ packages: bad = {}, severity }) =>
        severity !== "info" &&
        bad[name] !== undefined &&
        isWithin(newest.version, bad[name]) === true &&
        isWithin(before.version, bad[name]) === false &&
        Object.entries(bad).every(([other, specifier]) => {
          const version = packages.get(other)?.version;
          return other === name || (version !== undefined && isWithin(version, specifier) === true);
        }),
    );
    if (!combination) return [];
    const reason = `which ${name} comes goes by the Python, and none is told: on ${before.python} it is ${before.version}, on ${newest.python} ${newest.version}, and ${combination.says.split(": ")[0]}; --python-version tells it`;
    return [{ subject: `${name} at ${placeWords(place)}`, kind: "package", reason }];
  });

/** The Pythons that may be there, and those of them on which the newest of a package that leaves a choice has no such defect. */
function sparedBy(
  installation: Installation,
  members: Installed[],
  { packages = {} }: KnownBadCombination,
): { all: string[]; spared: string[] } {
  const { python, range } = installation;
  const open = members.filter(({ asked, isAssumed, manager }) => asked && isAssumed && manager === "pip");
  if (python !== undefined || open.length === 0) return { all: [], spared: [] };
  const served = [...installation.packages.values()].flatMap(({ build, asked, isAssumed }) =>
    build && asked && !isAssumed ? [build.pythons] : [],
  );
  const all = (range?.pythons ?? allPythons).filter((each) => served.every((pythons) => pythons.includes(each)));
  const isSpared = (each: string) =>
    open.some(({ name, asked }) => {
      const fits = (release: PublishedRelease) => isIn(release.version, asked!.specifier) && pythonsOf(release).includes(each);
      const version = publishedPackage(name)?.releases.findLast(fits)?.version;
      return version !== undefined && isWithin(version, packages[name] ?? "") === false;
    });
  return { all, spared: all.filter(isSpared) };
}

/** Old Pythons get old releases of what is not held: where most of those that may be there do, it cannot be told that there is a fault. */
export function isMostlySpared(installation: Installation, members: Installed[], combination: KnownBadCombination): boolean {
  const { all, spared } = sparedBy(installation, members, combination);
  return all.length < 2 * spared.length;
}

export function sparedWords(installation: Installation, members: Installed[], combination: KnownBadCombination): string[] {
  const [newest, ...others] = sparedBy(installation, members, combination).spared;
  return newest === undefined ? [] : [`not on Python ${newest}${0 < others.length ? " or older" : ""}, which gets an older release`];
}

const ofNewest = (installation: Installation): Check["unknown"] =>
  knownBadCombinations().flatMap((combination): Check["unknown"] => {
    const { packages = {}, libraries, absent, gpus, architectures, severity, says } = combination;
    if (severity === "info" || libraries || absent !== undefined || gpus !== undefined || architectures) return [];
    const members = Object.entries(packages).flatMap(([name, bad]) => {
      const found = installedNamed(installation, name);
      return found?.version !== undefined && isWithin(found.version, bad) === true ? [found] : [];
    });
    const first = members.find(({ isAssumed, asked }) => asked && isAssumed);
    if (!first || members.length < Object.keys(packages).length || !isMostlySpared(installation, members, combination)) return [];
    const reason = `which release of it comes goes by the Python, and none is told: with the newest, ${says.split(": ")[0]}; --python-version tells it`;
    return [{ subject: `${first.name} at ${placeWords(first.place)}`, kind: "package", reason }];
  });
