import { isUponFrameworks, publishedPackage } from "../knowledge/published.ts";
import { keptWith, memo, memoBy, once } from "../lib/memo.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { allPythons, isOffered, pythonsOf, releasesOf, withExtra, type Build, type BuiltRelease, type Need } from "../builds/build.ts";
import { plainReleases, releasesForTheirCuda } from "../builds/plain.ts";
import { frameworkBuilds } from "../frameworks/builds.generated.ts";
import { solveName } from "../model/frameworks.ts";
import { cudaReleases, cudnnReleases } from "./bare-libraries.ts";
import { misfit, unknownToDriver, type Place, type Reason } from "./fit.ts";
import { isOfLaterMajor, isPossible, leafFits, namedVersions, objectsOf, versionsWithin, weighedReleases } from "./leaves.ts";
import { chooseLibraries, isOfFittingToolkit, type ChosenLibraries } from "./libraries.ts";
import type { Requirement } from "./requirement.ts";
import { isIn, plainly } from "../builds/specifier.ts";

/** A requirement of a build that was chosen, or of the user. */
export interface Bound {
  specifier: string;
  by: string;
  /** The package that it is a requirement of; absent for the user's own. */
  owner?: string;
  need?: Need;
}

/** What was chosen so far, and what that asks of the rest. Never changed: each choice makes a new one. */
export interface State {
  chosen: Map<string, Build>;
  bounds: Map<string, Bound[]>;
  extras: Map<string, Set<string>>;
  pythons: string[];
  /** The chosen packages that leave fewer Pythons. */
  narrowing: string[];
}

export interface Found extends State {
  /** How far it is from the newest of all; 0 is the newest. */
  age: number;
  place: Place;
  python: string;
  libraries: ChosenLibraries;
}

export interface Preferences {
  /** Only what PyPI has. */
  onlyPypi?: boolean;
  /** The Python to take if it will do. */
  python?: string;
  /** A package may use the libraries that another one brings. */
  mayBorrow?: boolean;
  /** CUDA and cuDNN are wanted for themselves: no package was asked for. */
  librariesAlone?: boolean;
  /** Versions to keep if they will do, by package. */
  installed?: Map<string, string>;
  /** What pip would do with requirements as they are written: nothing but what the metadata says. */
  asPip?: AsPip;
  /** Shared by the searches for one answer. */
  memory?: SearchMemory;
  /** How many builds may still be tried; when none is left, no answer means that it is not known. */
  budget?: { left: number };
}

/** What searches find out on the way to one answer, and the next one can use. It goes with the question. */
export interface SearchMemory {
  /** The same place is the same value: what was found out about it is kept with it. */
  places: Map<string, Place>;
  /** Builds with what their extras ask for. */
  extended: Map<Build, Map<string, Build>>;
  /** Builds that are only known to be there, by label. */
  standIns: Map<Build, Map<string, Build>>;
  /** Whether two builds can be in one environment; and for pip, which does not look at files. */
  pairs: Map<Build, Map<Build, boolean>>;
  pairsOfPip: Map<Build, Map<Build, boolean>>;
}

export const newMemory = (): SearchMemory => ({
  places: new Map(),
  extended: new Map(),
  standIns: new Map(),
  pairs: new Map(),
  pairsOfPip: new Map(),
});

/** What a map has under a key, made when it has none. */
function madeIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

export interface AsPip {
  /** Builds of torch (`cu118`, `cpu`) that the indexes in use have; `onlyThese`: PyPI is not asked. */
  variants: string[];
  onlyThese: boolean;
  /**
   * An index may also have builds that are not known here: then no more is said of them than that they are there. Of those that
   * are known, what nobody has read holds nothing.
   */
  guesses?: boolean;
  /** Whether it is known that no such build of a release was made. */
  isNeverBuilt?: (name: string, version: string, label: string) => boolean;
}

const makers: { [name: string]: () => BuiltRelease[] } = {
  ...Object.fromEntries(frameworkBuilds.map(({ id, releases }) => [solveName(id), releases])),
  cuda: cudaReleases,
  cudnn: cudnnReleases,
};

// More than the packages of PyPI in knowledge/.
const mostPackages = 500;

/** The builds of a framework, by the name that `solve` has for it. */
export const buildsNamed = (name: string) => frameworkBuilds.find(({ id }) => solveName(id) === name);

/** Every release of a package that has builds, newest first; of one release, builds of PyPI come first. */
export const releasesWithBuilds = memo(mostPackages, (name: string): BuiltRelease[] =>
  (makers[name] ?? (() => releasesForTheirCuda(name)))(),
);

/** Packages whose requirements are known: they are chosen, others only have to be possible. */
const isChosen = (name: string) => makers[name] !== undefined || releasesOf(name)[0]?.requires !== undefined;

/** The facts about where it has to run, out of all requirements. */
export function placeOf(requirements: Requirement[], preferences: Preferences = {}): Place {
  const place: Place = { gpus: [], cuda: [], cudnn: [], pythons: allPythons, ...(preferences.asPip ? { mayCollide: true } : {}) };
  for (const { wish } of requirements) {
    if (wish.kind === "driver") place.driver = wish.version;
    if (wish.kind === "gpu") place.gpus.push({ name: wish.name, sm: wish.sm, ...(wish.isListed ? { isListed: true } : {}) });
    if (wish.kind === "cuda" && wish.specifier !== "") place.cuda.push(wish.specifier);
    if (wish.kind === "cudnn" && wish.specifier !== "") place.cudnn.push(wish.specifier);
    if (wish.kind === "python")
      place.pythons = place.pythons.filter((python) => isIn(`${python}.0`, wish.specifier) || isIn(`${python}.99`, wish.specifier));
  }
  return preferences.memory ? madeIn(preferences.memory.places, JSON.stringify(place), () => place) : place;
}

/** The builds that the requirements on one package leave, in the order of preference. */
export function domainOf(name: string, requirements: Requirement[], preferences: Preferences): Build[] {
  const wishes = requirements.flatMap(({ wish }): { specifier: string; variant?: RegExp; extras?: string[] }[] =>
    (wish.kind === "package" && wish.name === name) || wish.kind === name ? [wish as { specifier: string }] : [],
  );
  const extras = [...new Set(wishes.flatMap((wish) => wish.extras ?? []))].sort();
  const kept = preferences.installed?.get(name);
  const specifiers = wishes.map(({ specifier }) => specifier);
  const builds = (preferences.asPip ? pipReleases(name) : releasesWithBuilds(name))
    .filter((release) => specifiers.every((specifier) => isIn(release.version, specifier)) && isOffered(release, specifiers))
    .flatMap((release) => buildsFor(release, preferences))
    .filter((build) => wishes.every(({ variant }) => !variant || variant.test(build.variant)))
    .map((build) => (extras.length === 0 ? build : buildWith(build, extras, preferences)));
  if (kept === undefined) return builds;
  const [bare, label] = kept.split("+");
  const isKept = (build: Build) => build.version === bare && (label === undefined ? !build.index : build.variant === label);
  return [...builds.filter(isKept), ...builds.filter((build) => !isKept(build))];
}

/** The builds of a release that the indexes in use have. pip takes one with a label (`2.1.0+cu118`) before one without. */
function buildsFor(release: BuiltRelease, preferences: Preferences): Build[] {
  const { onlyPypi, mayBorrow, asPip, installed } = preferences;
  const builds = mayBorrow && release.borrowing ? [...release.builds(), ...release.borrowing()] : release.builds();
  if (!asPip) return onlyPypi ? builds.filter(({ index }) => !index) : builds;
  // What is installed already stays, wherever it came from.
  const kept = installed?.get(builds[0]?.package ?? "");
  const ofLabel = builds.filter(({ variant }) => asPip.variants.includes(variant) || kept === `${release.version}+${variant}`);
  // What an index has under a label may be another wheel than the one of PyPI.
  const named = ofLabel.filter((build) => build.index || !ofLabel.some(({ index, variant }) => index && variant === build.variant));
  const isOpen = (label: string) => !asPip.isNeverBuilt?.(builds[0]?.package ?? "", release.version, label);
  const others = asPip.guesses ? asPip.variants.filter((label) => !builds.some(({ variant }) => variant === label) && isOpen(label)) : [];
  const certain = asPip.guesses ? named.map((build) => withoutGuesses(build, preferences)) : named;
  const labelled = [...certain, ...others.flatMap((label) => standIn(builds, label, preferences) ?? [])];
  const plain =
    asPip.onlyThese && builds.some(({ index }) => index) ? [] : builds.filter((build) => !build.index && !named.includes(build));
  return [...labelled, ...plain];
}

function standIn(builds: Build[], label: string, { memory = newMemory() }: Preferences): Build | undefined {
  const bare = builds.find(({ variant }) => variant === "cpu");
  if (!bare) return undefined;
  const known = madeIn(memory.standIns, bare, () => new Map<string, Build>());
  return madeIn(known, label, () => ({ ...bare, variant: label, pythons: allPythons }));
}

/** The build, which asks for a library in any version where its own is only guessed. */
function withoutGuesses(build: Build, { memory = newMemory() }: Preferences): Build {
  const known = madeIn(memory.standIns, build, () => new Map<string, Build>());
  const open = (need: Need): Need => (need.isGuessed ? { ...need, specifier: "" } : need);
  return madeIn(known, "without guesses", () => ({ ...build, needs: once(() => build.needs().map(open)) }));
}

/** The build with what its extras ask for; the same question gives the same value. */
function buildWith(build: Build, extras: string[], { memory = newMemory() }: Preferences): Build {
  const known = madeIn(memory.extended, build, () => new Map<string, Build>());
  const { package: name, version } = build;
  return madeIn(known, extras.join(), () => ({
    ...build,
    install: build.install === `${name}==${version}` ? `${name}[${extras.join()}]==${version}` : build.install,
    needs: once(() => withExtra(build.needs(), ...extras)),
  }));
}

/** What pip could take: of some all builds, of others what PyPI has. */
const pipReleases = memo(mostPackages, (name: string): BuiltRelease[] =>
  (buildsNamed(name)?.asPip ?? (() => plainReleases(name)))().map(asStated),
);

// Which build a label (`jaxlib==0.4.20+cuda12.cudnn89`) means is not told by PyPI. What is known beside the metadata, pip does not know.
const asStated = ({ version, builds, yanked, fromSource = [] }: BuiltRelease): BuiltRelease => ({
  version,
  ...(yanked ? { yanked } : {}),
  builds: once(() =>
    builds().map((build) => ({
      ...build,
      ...(0 < fromSource.length
        ? { pythons: [...build.pythons, ...fromSource.filter((each) => !build.pythons.includes(each))], withWheel: build.pythons }
        : {}),
      needs: once(() =>
        build
          .needs()
          .filter(({ because }) => because === undefined)
          .map((need) => (need.specifier.includes("+") ? { ...need, specifier: need.specifier.replace(/\+[\w.]+/g, "") } : need)),
      ),
    })),
  ),
});

/** The packages to choose. */
export const packagesIn = (requirements: Requirement[], { librariesAlone }: Preferences): string[] => [
  ...new Set(
    requirements.flatMap(({ wish }) =>
      wish.kind === "package" ? [wish.name] : librariesAlone && (wish.kind === "cuda" || wish.kind === "cudnn") ? [wish.kind] : [],
    ),
  ),
];

/** Whether any of them could use the libraries that another one brings: else there is nothing more to try. */
export const canBorrow = (requirements: Requirement[], preferences: Preferences): boolean =>
  !preferences.asPip && packagesIn(requirements, preferences).some((name) => releasesWithBuilds(name).some(({ borrowing }) => borrowing));

/** The best choice that meets all requirements: together the newest, each measured against all releases of its package. */
export function search(requirements: Requirement[], given: Preferences = {}): Found | undefined {
  const { memory = newMemory() } = given;
  const preferences = given.memory ? given : { ...given, memory };
  const place = placeOf(requirements, preferences);
  if (place.pythons.length === 0 || unknownToDriver(place)) return undefined;
  const later = chosenLater(requirements, preferences);
  const names = packagesIn(requirements, preferences).filter((name) => !later.has(name));
  const start = startOf(requirements, later, place);
  for (const [name, bounds] of start.bounds) {
    const specifiers = bounds.map(({ specifier }) => specifier);
    if (!isPossible(name, specifiers)) return undefined;
  }
  // With many packages it pays to rule out early what can never be.
  const isMany = 2 < names.length;
  const all = names.map((name) => {
    const builds = domainOf(name, requirements, preferences);
    return { name, builds, ages: agesOf(builds, name, preferences) };
  });
  const fits = new Map<Build, boolean>();
  const isFit = (build: Build) => {
    let answer = fits.get(build);
    if (answer === undefined) fits.set(build, (answer = misfit(build, place) === undefined && (!isMany || isViable(build, place))));
    return answer;
  };
  let best: Found | undefined;
  // The newest releases first, then more of them: until nothing older can be part of something better.
  for (let limit = isMany ? 0.05 : Number.POSITIVE_INFINITY; ; limit = limit < 0.5 ? limit * 3 : Number.POSITIVE_INFINITY) {
    const newest = all.map(({ builds, ages }) => ages.get(builds.find((build) => limit < ages.get(build)! || isFit(build))!) ?? limit);
    const least = newest.reduce((sum, age) => sum + age, 0);
    const reach = (index: number) => (best ? best.age - least + newest[index]! : limit);
    const domains = all.map(({ name, builds, ages }, index): Domain => {
      const near = builds.filter((build) => ages.get(build)! <= reach(index) && isFit(build));
      return { name, builds: near, ages };
    });
    const isLast = best !== undefined || limit === Number.POSITIVE_INFINITY;
    best = searchIn(domains, start, place, preferences, memory, best);
    if (isLast) return best;
  }
}

/** Before anything is chosen: what is asked of packages that are not chosen first. */
function startOf(requirements: Requirement[], later: Set<string>, { pythons }: Place): State {
  const start: State = { chosen: new Map(), bounds: new Map(), extras: new Map(), pythons, narrowing: [] };
  for (const { wish, text } of requirements) {
    if (wish.kind !== "dependency" && (wish.kind !== "package" || !later.has(wish.name))) continue;
    start.bounds.set(wish.name, [...(start.bounds.get(wish.name) ?? []), { specifier: wish.specifier, by: text }]);
    if (wish.kind === "package" && wish.extras)
      start.extras.set(wish.name, new Set([...(start.extras.get(wish.name) ?? []), ...wish.extras]));
  }
  return start;
}

/**
 * Of a long list, packages upon the frameworks that leave a choice: the newest that goes with the frameworks will do, as for those that
 * nobody named. To weigh each of them against all others would take for ever.
 */
function chosenLater(requirements: Requirement[], preferences: Preferences): Set<string> {
  const names = packagesIn(requirements, preferences);
  if (!preferences.asPip || names.length <= fewNames) return new Set();
  return new Set(names.filter((name) => isUponFrameworks(name) && 1 < domainOf(name, requirements, preferences).length));
}

const fewNames = 4;

interface Domain {
  name: string;
  /** Newest first. */
  builds: Build[];
  ages: Map<Build, number>;
}

function searchIn(
  given: Domain[],
  start: State,
  place: Place,
  preferences: Preferences,
  memory: SearchMemory,
  before: Found | undefined,
): Found | undefined {
  const isMany = 2 < given.length;
  // It also pays to begin with those that leave the least choice.
  const sorted = isMany ? given.toSorted((a, b) => a.builds.length - b.builds.length) : given;
  const names = sorted.map(({ name }) => name);
  const domains = new Map(sorted.map(({ name, builds }) => [name, builds]));
  const ages = new Map(sorted.map(({ name, ages: own }) => [name, own]));
  const ageOf = (build: Build) => ages.get(build.package)!.get(build)!;
  const leastAge = (builds: Build[], state: State) => {
    let least = Number.POSITIVE_INFINITY;
    for (const build of builds) {
      const age = ageOf(build);
      if (least <= age) break;
      least = Math.min(least, age + (isForAnotherCuda(build, state) ? otherCuda : 0));
    }
    return least;
  };
  let best = before;
  const choose = (state: State, ahead: Map<string, Build[]>, age: number): Blame | undefined => {
    const left = names.filter((name) => !state.chosen.has(name));
    const [next] = left;
    if (next === undefined) {
      const found = complete(state, place, preferences);
      if (isBlame(found)) return found;
      best = { ...found, age };
      return undefined;
    }
    // Nothing below can be newer than the newest of each that is left, beside what is chosen already.
    const rest = left.slice(1).reduce((sum, name) => sum + leastAge(ahead.get(name)!, state), 0);
    for (const build of ahead.get(next)!) {
      if (isSpent(preferences)) return undefined;
      const sum = age + ageOf(build) + (isForAnotherCuda(build, state) ? otherCuda : 0);
      if (best && best.age <= age + ageOf(build) + rest) return undefined;
      if (best && best.age <= sum + rest) continue;
      if (isMany && !preferences.asPip && !canStandAlone(build, place)) continue;
      const extended = extend(state, build, place);
      const further = "kind" in extended ? undefined : lookAhead(build, names, state, ahead, place, memory);
      const blame = !("kind" in extended) && further ? choose(extended, further, sum) : undefined;
      if (blame && !blame.has(next)) return blame;
    }
    return undefined;
  };
  const from = (some: Map<string, Build[]>) => {
    if (names.every((name) => 0 < some.get(name)!.length)) choose(start, some, 0);
  };
  // Of many, those for one CUDA are tried first: what is found there is hard to better, and rules out most of the rest.
  const majors = isMany ? new Set([...domains.values()].flat().map(majorOf)) : [];
  for (const major of majors)
    if (major !== undefined)
      from(new Map([...domains].map(([name, builds]) => [name, builds.filter((build) => (majorOf(build) ?? major) === major)])));
  from(domains);
  return best;
}

const isSpent = ({ budget }: Preferences) => budget !== undefined && (budget.left -= 1) < 0;

// Two CUDAs side by side are worth some age, but not any.
const otherCuda = 0.3;
const majorOf = ({ cuda }: Build) => cuda?.version.split(".")[0];
const isForAnotherCuda = (build: Build, { chosen }: State) =>
  build.cuda !== undefined && [...chosen.values()].some((other) => other.cuda !== undefined && majorOf(other) !== majorOf(build));

// How many releases of its package are newer, as a share of all: packages are released at their own pace.
function agesOf(domain: Build[], name: string, { installed }: Preferences): Map<Build, number> {
  const all = releasesWithBuilds(name);
  const place = new Map(all.map(({ version }, index) => [version, index / all.length]));
  const keeps = installed?.has(name);
  // What only pip takes, as it is older than all that `solve` offers, is the oldest.
  return new Map(
    domain.map((build, index) => [build, keeps ? (index === 0 ? 0 : 1 + index / domain.length) : (place.get(build.version) ?? 1)]),
  );
}

// Packages that the chosen ones bring, then the Python and the libraries: the first that goes will do.
function complete(state: State, place: Place, preferences: Preferences, open: string[] = []): Omit<Found, "age"> | Blame {
  const [next, ...others] = broughtIn(state, open);
  if (next === undefined) return finish(state, place, preferences);
  // What has no release that goes with what is chosen has none below, either.
  for (const name of others) {
    const blame = new Set<string>();
    if (!candidatesOf(state, name, place, preferences, blame).next().value && !mayBeOlder(state, name, preferences)) return blame;
  }
  const blame = new Set<string>();
  for (const extended of candidatesOf(state, next, place, preferences, blame)) {
    const found = complete(extended, place, preferences, open);
    if (!isBlame(found)) return found;
    // What failed below has nothing to do with this one: no other release of it would help.
    if (!found.has(next) || (preferences.budget && preferences.budget.left < 0)) return found;
    for (const name of found) if (name !== next) blame.add(name);
  }
  if (!mayBeOlder(state, next, preferences)) return blame;
  const without = complete(state, place, preferences, [...open, next]);
  return isBlame(without) ? new Set([...blame, ...without]) : without;
}

/** No Python is left on which all can be had: on each of them, whoever asks for what is not there, or has no wheel for it. */
function blamedAtEnd(state: State, place: Place, { asPip }: Preferences): Blame {
  const mayCompile = asPip !== undefined;
  const blame = new Set<string>();
  // Those that are left come first: who is guilty there often rules out the others, too.
  for (const python of new Set([...state.pythons, ...place.pythons])) {
    const without = [...state.chosen.values()].filter(({ pythons }) => !pythons.includes(python)).map((build) => build.package);
    if (without.some((name) => blame.has(name))) continue;
    const name = blockedOn(python, state, mayCompile);
    const guilty = name === undefined ? without.slice(0, 1) : guiltyOf(name, python, state, mayCompile);
    // It is something else that is missing, or a marker that decided.
    if (name === undefined && guilty.length === 0) return new Set(state.chosen.keys());
    for (const each of guilty) blame.add(each);
  }
  return blame;
}

/** Of all who ask for a package, those without whom it could be had. */
function guiltyOf(name: string, python: string, state: State, mayCompile: boolean): string[] {
  let left = state.bounds.get(name)!;
  for (const owner of new Set(left.flatMap((bound) => bound.owner ?? []))) {
    const rest = left.filter((bound) => bound.owner !== owner);
    if (blockedOn(python, { ...state, bounds: new Map([[name, rest]]) }, mayCompile) !== undefined) left = rest;
  }
  return [...left.flatMap((bound) => bound.owner ?? []), ...(state.chosen.has(name) ? [name] : [])];
}

/**
 * The chosen packages without which something would not have failed: only another choice of one of them can help. Whichever build of
 * another package is taken, the same fails below.
 */
type Blame = Set<string>;

const isBlame = (found: Omit<Found, "age"> | Blame): found is Blame => found instanceof Set;

/** What comes of each release of a package that goes with what is chosen, newest first. */
function* candidatesOf(state: State, name: string, place: Place, preferences: Preferences, blame: Blame): Generator<State> {
  const specifiers = countingBounds(state, name).map(({ specifier }) => specifier);
  const releases = preferences.asPip ? keptFirst(pipReleases(name), preferences.installed?.get(name)) : broughtReleases(name);
  for (const each of excludingOf(state, name, releases)) blame.add(each);
  for (const release of releases) {
    if (!specifiers.every((specifier) => isIn(release.version, specifier)) || !isOffered(release, specifiers)) continue;
    for (const build of buildsFor(release, preferences)) {
      if (misfit(build, place) !== undefined) continue;
      if (isSpent(preferences)) return;
      const extended = extend(state, build, place);
      if (!("kind" in extended)) yield extended;
      else for (const each of extended.among ?? state.chosen.keys()) blame.add(each);
    }
  }
}

/** Those who ask for a package in some versions only. */
const bindingOn = ({ bounds }: State, name: string): string[] =>
  (bounds.get(name) ?? []).flatMap(({ owner, specifier }) => (owner === undefined || specifier === "" ? [] : [owner]));

/** Of those who ask for a package, one that needs it at all, and all that rule some of its releases out. */
function excludingOf(state: State, name: string, releases: BuiltRelease[]): string[] {
  const excluding = state.bounds
    .get(name)!
    .filter(({ specifier }) => specifier !== "" && releases.some(({ version }) => !isIn(version, specifier)))
    .flatMap(({ owner }) => owner ?? []);
  const asking = askersOf(state, name);
  const isByMarker = state.bounds.get(name)!.some(({ need }) => need?.marker);
  return [...(0 < excluding.length ? excluding : asking.slice(0, 1)), ...(isByMarker ? asking : [])];
}

/** The chosen packages that ask for a package; whether they do so for the Pythons that are left, others may have decided. */
function askersOf({ bounds, narrowing }: State, name: string): string[] {
  const all = bounds.get(name) ?? [];
  return [...all.flatMap(({ owner }) => owner ?? []), ...(all.some(({ need }) => need?.marker) ? narrowing : [])];
}

/** A release that is older or newer than what is known here might do: then nothing is said about it. */
const mayBeOlder = (state: State, name: string, { asPip }: Preferences): boolean =>
  asPip !== undefined &&
  isUnknownThere(
    name,
    countingBounds(state, name)
      .map(({ specifier }) => specifier)
      .filter((each) => each !== "")
      .join(","),
  );

const olderProbes = ["0.0.1", "0.1", "0.3.25", "0.4.7", "0.4.15", "1.0", "1.12.1", "2.3.4", "10.6"];

/** Whether releases before the oldest that is known are within a specifier; of packages whose requirements are known not all are. */
export function letsOlderIn(name: string, specifier: string, oldest = releasesOf(name)[0]?.version): boolean {
  if (oldest === undefined) return true;
  return [...olderProbes, ...namedVersions(specifier)].some(
    (version) => comparePythonVersions(version, oldest) < 0 && isIn(version, specifier),
  );
}

/** What is known here may begin too late, or end too early. */
function isUnknownThere(name: string, specifier: string): boolean {
  if (letsOlderIn(name, specifier)) return true;
  const newest = releasesOf(name).at(-1)?.version;
  return newest !== undefined && namedVersions(specifier).some((version) => isOfLaterMajor(version, newest) && isIn(version, specifier));
}

/** What is asked of a package on every Python that is left; what is asked on some of them only, `extend` weighs. */
const countingBounds = ({ bounds, pythons }: State, name: string): Bound[] =>
  bounds.get(name)!.filter(({ need }) => !need?.marker || pythons.every(need.marker));

// pip leaves what is installed where it will do.
function keptFirst(releases: BuiltRelease[], kept: string | undefined): BuiltRelease[] {
  const own = kept === undefined ? undefined : releases.find(({ version }) => version === kept.split("+")[0]);
  return own ? [own, ...releases.filter((each) => each !== own)] : releases;
}

/** Why what the chosen packages bring cannot be had with the rest. */
export function whyIncomplete(state: State, place: Place, looks = { left: mostLooks }): Reason | undefined {
  const [next] = broughtIn(state);
  if (next === undefined) return undefined;
  const bounds = countingBounds(state, next);
  let first: Reason | undefined;
  for (const release of broughtReleases(next)) {
    if (!bounds.every(({ specifier }) => isIn(release.version, specifier))) continue;
    for (const build of release.builds()) {
      if ((looks.left -= 1) < 0) return undefined;
      const extended = misfit(build, place) ?? extend(state, build, place);
      const reason = "kind" in extended ? extended : whyIncomplete(extended, place, looks);
      if (!reason) return undefined;
      first ??= "kind" in extended ? { ...reason, says: `brings ${next} ${build.version}, which ${reason.says}` } : reason;
    }
  }
  return first ?? { kind: "package", says: `needs ${next}, of which there is no release that will do`, sources: [], about: next };
}

// Packages that bring packages: all releases of each, with all of the others, would never come to an end. Then no single reason is told.
const mostLooks = 3_000;

// Nobody asked for a GPU in what is only brought along, but some are never without their CUDA.
const broughtReleases = memo(mostPackages, (name: string): BuiltRelease[] =>
  buildsNamed(name) && !buildsNamed(name)?.alwaysWithCuda ? plainReleases(name) : releasesWithBuilds(name),
);

// What cannot go with the build that was just chosen need not be tried below it.
function lookAhead(
  build: Build,
  names: string[],
  { chosen }: State,
  domains: Map<string, Build[]>,
  place: Place,
  memory: SearchMemory,
): Map<string, Build[]> | undefined {
  // The last one is tried as it is.
  if (names.filter((name) => !chosen.has(name)).length <= 2) return domains;
  const ahead = new Map(domains);
  for (const name of names) {
    if (name === build.package || chosen.has(name)) continue;
    const rest = domains.get(name)!.filter((other) => areCompatible(build, other, memory, place.mayCollide));
    if (rest.length === 0) return undefined;
    ahead.set(name, rest);
  }
  return ahead;
}

function areCompatible(a: Build, b: Build, memory: SearchMemory, mayCollide = false): boolean {
  const known = madeIn(mayCollide ? memory.pairsOfPip : memory.pairs, a, () => new Map<Build, boolean>());
  return madeIn(known, b, () => disagreement(a, b, mayCollide) === undefined);
}

type ReachedNeed = Need & { through?: string };

/** What a build needs whatever the Python is, by name; also what packages need that it brings in one certain release. */
const needsByName = keptWith((build: Build): Map<string, ReachedNeed[]> => {
  const index = new Map<string, ReachedNeed[]>();
  for (const need of reachedNeeds(withExtra(build.needs()), 3)) index.set(need.name, [...(index.get(need.name) ?? []), need]);
  return index;
});

function reachedNeeds(needs: ReachedNeed[], depth: number): ReachedNeed[] {
  return needs.flatMap((need) => {
    if (need.marker) return [];
    const [, version, same] = /^(?:==([^,*]+)|<=([^,*]+),>=\2)$/.exec(need.specifier) ?? [];
    const release = depth === 0 || (version ?? same) === undefined ? undefined : exactRelease(need.name, (version ?? same)!);
    const [build, variant] = release?.builds() ?? [];
    if (!build || variant) return [need];
    const through = `${build.package} ${build.version}`;
    return [
      need,
      ...reachedNeeds(
        withExtra(build.needs(), ...need.extras).map((each) => ({ ...each, through })),
        depth - 1,
      ),
    ];
  });
}

const exactRelease = (name: string, version: string): BuiltRelease | undefined =>
  isChosen(name) ? releasesByVersion(name).get(version) : undefined;

const releasesByVersion = memo(mostPackages, (name: string) => new Map(broughtReleases(name).map((release) => [release.version, release])));

/** Whether a build could be had at all where nothing else is, as far as its own needs tell. */
function isViable(build: Build, place: Place): boolean {
  for (const [name, needs] of needsByName(build)) {
    if (isChosen(name)) continue;
    const specifiers = needs.map(({ specifier }) => specifier);
    const within = versionsWithin(name, specifiers);
    if (within ? !within.some((version) => isFitting(name, version, specifiers, place)) : !isPossible(name, specifiers)) return false;
  }
  return true;
}

const completions = keptWith((_place: Place) => new Map<Build, boolean>());

/** The same, with all that it brings, whose needs may not be met here. */
function canStandAlone(build: Build, place: Place): boolean {
  const known = completions(place);
  let answer = known.get(build);
  if (answer === undefined) {
    const extended = extend(
      { chosen: new Map(), bounds: new Map(), extras: new Map(), pythons: place.pythons, narrowing: [] },
      build,
      place,
    );
    known.set(build, (answer = !("kind" in extended) && !isBlame(complete(extended, place, {}))));
  }
  return answer;
}

const isFitting = (name: string, version: string, specifiers: string[], place: Place) =>
  leafFits(name, version, place) && (isPinned(specifiers) || isOfFittingToolkit(name, version, place));

/** Why two builds cannot be in one environment. */
export function disagreement(a: Build, b: Build, mayCollide = false): { mine: Reason; other: Reason } | undefined {
  if (!a.pythons.some((python) => b.pythons.includes(python))) {
    const says = (build: Build): Reason => misfit(build, { gpus: [], cuda: [], cudnn: [], pythons: [] })!;
    return { mine: says(a), other: says(b) };
  }
  const [needsOfA, needsOfB] = [needsByName(a), needsByName(b)];
  const unmet = needsOfA.get(b.package)?.find(({ specifier }) => !isIn(b.version, specifier));
  if (unmet)
    return {
      mine: { kind: "package", says: `needs ${unmet.name}${plainly(unmet.specifier)}`, sources: [unmet.source], about: unmet.name },
      other: { kind: "package", says: `is ${b.version}`, sources: [], about: unmet.name, isItself: true },
    };
  if (needsOfB.get(a.package)?.some(({ specifier }) => !isIn(a.version, specifier))) {
    const turned = disagreement(b, a, mayCollide)!;
    return { mine: turned.other, other: turned.mine };
  }
  const needs = ({ name, specifier, because, source, through }: ReachedNeed): Reason => ({
    kind: "package",
    says: `${through === undefined ? "" : `brings ${through}, which `}needs ${name}${plainly(specifier)}${because === undefined ? "" : ` (${because})`}`,
    sources: [source],
    about: name,
  });
  for (const [name, mine] of needsOfA)
    for (const other of needsOfB.get(name) ?? [])
      for (const own of mine) if (!isPossible(name, [own.specifier, other.specifier])) return { mine: needs(own), other: needs(other) };
  if (mayCollide) return undefined;
  for (const [name, [mine]] of needsOfA)
    for (const rival of rivalsOf(name)) {
      const other = needsOfB.get(rival)?.[0];
      const shared = other && sharedObject(name, [mine!.specifier], rival, [other.specifier]);
      if (shared !== undefined)
        return {
          mine: { kind: "files", says: `brings ${name}, which installs ${shared}`, sources: [mine!.source], about: shared },
          other: { kind: "files", says: `brings ${rival}, which installs the same file`, sources: [other!.source], about: shared },
        };
    }
  return undefined;
}

/** Other packages that may install an object of the same name in the same folder: those for other CUDAs. */
const rivalsOf = (name: string): string[] => (name.startsWith("nvidia-") ? rivalsOfNvidia(name) : []);

const rivalsOfNvidia = memo(mostPackages, (name: string): string[] => {
  const bare = name.replace(/-cu\d\d$/, "");
  return [bare, `${bare}-cu11`, `${bare}-cu12`, `${bare}-cu13`].filter(
    (other) => other !== name && objectsOf(other, undefined).some((object) => objectsOf(name, undefined).includes(object)),
  );
});

const sharedObject = memoBy(
  1000,
  (a: string, aSpecifiers: string[], b: string, bSpecifiers: string[]) => `${a} ${aSpecifiers.join()} ${b} ${bSpecifiers.join()}`,
  (a, aSpecifiers, b, bSpecifiers): string | undefined => {
    const own = new Set(objectsOf(a, versionsWithin(a, aSpecifiers)));
    return objectsOf(b, versionsWithin(b, bSpecifiers)).find((object) => own.has(object));
  },
);

/** The state with one more build, or why it cannot be. */
export function extend(state: State, build: Build, place: Place): State | Reason {
  let pythons = state.pythons.filter((python) => build.pythons.includes(python));
  if (pythons.length === 0)
    return {
      kind: "python",
      says: `has no wheel for Python ${state.pythons.join(", ")}`,
      sources: [`the files of ${build.package} ${build.version} on PyPI`],
      among: state.narrowing,
    };
  const narrowing = new Set(state.narrowing);
  if (pythons.length < state.pythons.length) narrowing.add(build.package);
  const among = (name: string) => [...narrowing, ...bindingOn(state, name), ...(state.chosen.has(name) ? [name] : [])];
  for (const { specifier, by, owner, need } of state.bounds.get(build.package) ?? []) {
    if (isIn(build.version, specifier)) continue;
    // What is asked for on some Pythons only rules out those.
    pythons = without(pythons, need);
    const says = `is not within \`${specifier}\`, which ${by} asks for`;
    if (pythons.length === 0) return { kind: "package", says, sources: [], about: build.package, among: among(build.package) };
    narrowing.add(build.package).add(owner ?? build.package);
  }
  const bounds = new Map(state.bounds);
  const extras = new Map(state.extras);
  const by = `${build.package} ${build.version}`;
  const wanted = [...(extras.get(build.package) ?? [])];
  for (const need of withExtra(build.needs(), ...wanted)) {
    const { name, specifier } = need;
    const own = state.chosen.get(name);
    if (own && !isIn(own.version, specifier)) {
      pythons = without(pythons, need);
      if (pythons.length === 0) return unmet(need, "package", among(name));
      narrowing.add(build.package).add(name);
    }
    if (0 < need.extras.length) extras.set(name, new Set([...(extras.get(name) ?? []), ...need.extras]));
    const all = [...(bounds.get(name) ?? []), { specifier, by, owner: build.package, need }];
    bounds.set(name, all);
    if (need.marker || isChosen(name)) continue;
    const specifiers = all.filter((bound) => !bound.need?.marker).map((bound) => bound.specifier);
    if (!isPossible(name, specifiers)) return unmet(need, "package", among(name));
    const within = versionsWithin(name, specifiers);
    if (within && !within.some((version) => isFitting(name, version, specifiers, place)))
      return unmet(need, name.includes("cudnn") ? "cudnn" : "package", among(name));
    const collision = place.mayCollide ? undefined : collisionOf(state, need, specifiers);
    if (collision) return collision;
  }
  // What is asked of the same package on one Python and on another may leave none of them.
  for (const need of withExtra(build.needs(), ...wanted)) {
    const { name, marker } = need;
    // Told of the newest Python that it counts for.
    if (!marker?.(pythons[0]!) || isChosen(name) || state.chosen.has(name)) continue;
    const own = { ...state, bounds: new Map([[name, bounds.get(name)!]]) };
    const left = pythons.filter((python) => blockedOn(python, own, true) === undefined);
    if (left.length === 0) return unmet(need, "package", among(name));
    if (left.length < pythons.length) for (const each of [build.package, ...bindingOn(state, name)]) narrowing.add(each);
    pythons = left;
  }
  return { chosen: new Map(state.chosen).set(build.package, build), bounds, extras, pythons, narrowing: [...narrowing] };
}

const unmet = ({ name, specifier, source }: Need, kind: Reason["kind"], among: string[]): Reason => ({
  kind,
  says: `needs ${name}${plainly(specifier)}`,
  sources: [source],
  about: name,
  among,
});

/** A package for another CUDA that is there already, and has a file of the same name. */
function collisionOf({ bounds }: State, { name, source }: Need, specifiers: string[]): Reason | undefined {
  for (const rival of rivalsOf(name)) {
    const others = bounds.get(rival)?.filter((bound) => !bound.need?.marker);
    const shared =
      others &&
      sharedObject(
        name,
        specifiers,
        rival,
        others.map((bound) => bound.specifier),
      );
    if (shared !== undefined)
      return { kind: "files", says: `brings ${name}, which overwrites ${shared} of ${rival}`, sources: [source], about: shared };
  }
  return undefined;
}

/** The Pythons on which a need does not count. */
const without = (pythons: string[], need: Need | undefined): string[] =>
  need?.marker ? pythons.filter((python) => !need.marker!(python)) : [];

const isPinned = (specifiers: string[]) => specifiers.some((specifier) => /^==[^*]+$/.test(specifier));

// Packages that chosen builds need, and that need others themselves.
const broughtIn = ({ chosen, bounds, pythons }: State, open: string[] = []): string[] =>
  [...bounds].flatMap(([name, all]) =>
    !chosen.has(name) &&
    !open.includes(name) &&
    isChosen(name) &&
    publishedPackage(name) &&
    pythons.every((python) => all.some(({ need }) => !need?.marker || need.marker(python)))
      ? [name]
      : [],
  );

function finish(state: State, place: Place, preferences: Preferences): Omit<Found, "age"> | Blame {
  const usual = [preferences.python, commonPython()];
  const pythons = [...usual.filter((python) => python !== undefined && state.pythons.includes(python)), ...state.pythons] as string[];
  const mayCompile = preferences.asPip !== undefined;
  const all = [...new Set(pythons)];
  // A Python for which all is there as a wheel comes before one for which something has to be compiled.
  const python =
    all.find((each) => isPossibleOn(each, state) && hasWheels(each, state)) ??
    (mayCompile ? all.find((each) => isPossibleOn(each, state, true)) : undefined);
  if (python === undefined) return blamedAtEnd(state, place, preferences);
  const libraries = chooseLibraries(state, place, preferences);
  if (!("blocked" in libraries)) return { ...state, place, python, libraries };
  const withCuda = libraries.byToolkit ? [...state.chosen.values()].flatMap((build) => (build.cuda ? [build.package] : [])) : [];
  return new Set([...libraries.blocked.flatMap((name) => askersOf(state, name)), ...withCuda]);
}

const hasWheels = (python: string, { chosen }: State): boolean =>
  [...chosen.values()].every(({ withWheel }) => withWheel === undefined || withWheel.includes(python));

/** The newest Python that the newest release of every framework has wheels for: a good one to begin with. */
const commonPython = once(() => {
  const newest = frameworkBuilds.flatMap(({ wheel }) => {
    const release = releasesOf(wheel).at(-1);
    return release ? [pythonsOf(release)] : [];
  });
  return allPythons.find((python) => newest.every((pythons) => pythons.includes(python)));
});

/** pip compiles these where there is no wheel. */
const compilable = new Set(["numpy", "ml-dtypes"]);

// On one Python every requirement counts or does not, and a package has wheels or has none.
export const isPossibleOn = (python: string, state: State, mayCompile = false): boolean =>
  blockedOn(python, state, mayCompile) === undefined;

/** The first package that is asked for in versions which are not there. */
function blockedOn(python: string, { bounds, chosen }: State, mayCompile: boolean): string | undefined {
  for (const [name, all] of bounds) {
    const counted = all.filter(({ need }) => !need?.marker || need.marker(python));
    const specifier = counted
      .map((bound) => bound.specifier)
      .filter((each) => each !== "")
      .join(",");
    const own = chosen.get(name);
    if (own) {
      if (!isIn(own.version, specifier)) return name;
      continue;
    }
    const releases = weighedReleases(name);
    if (counted.length === 0) continue;
    if (!releases) {
      if (!isPossible(name, [specifier])) return name;
      continue;
    }
    const serves = releases.some(
      (release) =>
        isIn(release.version, specifier) &&
        (release.pythons === undefined || release.pythons.includes(python) || (mayCompile && compilable.has(name))) &&
        (release.python === undefined || isIn(`${python}.99`, release.python)),
    );
    if (!serves && !(mayCompile && isUnknownThere(name, specifier))) return name;
  }
  return undefined;
}
