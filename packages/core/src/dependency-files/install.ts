// What would be installed, from what is known of packages: pip's commands one after the other, each solved as pip would.
import { finalOf, holdsFrameworks, isOfFramework, publishedPackage } from "../knowledge/published.ts";
import { published } from "../knowledge/texts/published.generated.ts";
import { lightlyAsked } from "../knowledge/light-packages.ts";
import { noSuchPackage } from "../knowledge/no-such-packages.ts";
import { isUnrelated } from "../knowledge/unrelated.ts";
import { once } from "../lib/memo.ts";
import { markerHolds, normalName, parseRequirement } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import type { Place } from "../model/finding.ts";
import type { PublishedRelease } from "../model/knowledge.ts";
import type { Unknown } from "../model/snapshot.ts";
import type { DeclaredPackage, Install, DeclaredStep } from "../model/dependency-file.ts";
import { allPythons, isOffered, pythonsOf, type Build } from "../builds/build.ts";
import type { Requirement } from "../solve/requirement.ts";
import { naturalChoice } from "../solve/leaves.ts";
import { newMemory, search, type Found, type Preferences, type SearchMemory } from "../solve/search.ts";
import { spanOf } from "../solve/fit.ts";
import { isIn } from "../builds/specifier.ts";
import { clashesIn } from "./clashes.ts";
import { condaChoices, type CondaChoice } from "./conda-choice.ts";
import { isForeign, isNeverBuilt } from "./labels.ts";
import { linux } from "./locked.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { allNames, labelledFramework } from "../model/frameworks.ts";

export interface Installed {
  name: string;
  /** Absent where it is not known which. */
  version?: string;
  /** `cu118`, `cpu`. */
  variant?: string;
  /** Of what an image has: what stands behind the plus sign, where it tells more than pip compares. */
  label?: string;
  /** Of a build that only the image has: what it calls itself, where that is known. */
  ownVersion?: string;
  extras: string[];
  manager: "pip" | "conda" | "apt" | "image";
  /** No exact version is asked for: it is the newest that fits. */
  isAssumed: boolean;
  /** Where it is asked for; absent for what others bring. */
  asked?: DeclaredPackage;
  place: Place;
  /** Which installation brought it; 0 is what was there before. */
  step: number;
  build?: Build;
  /** Of conda: what it would take. */
  conda?: CondaChoice;
}

/** Requirements of one installation that cannot be met together. */
export interface Clash {
  requirements: Requirement[];
  /** Which Pythons it is for. */
  pythons: Requirement[];
  preferences: Preferences;
  asked: Map<Requirement, DeclaredPackage>;
  place: Place;
}

export interface Installation {
  packages: Map<string, Installed>;
  clashes: Clash[];
  /** Packages that were named, in every step; those of markers that do not hold are left out. */
  named: { declared: DeclaredPackage; step: Install }[];
  /** Numbers of the installations that pip would refuse, and what they are. */
  failed: Map<number, Install>;
  unknown: Unknown[];
  /** Packages that come in a release that old code takes on some Pythons only, where nobody tells the Python. */
  byPython: Map<string, ByPython>;
  python?: string;
  /** Where several Pythons are let in and none is named. */
  range?: PythonRange;
}

interface ByPython {
  /** With the newest of the Pythons that it may be, and with the newest of those that get a release from before. */
  newest: { python: string; version: string };
  before: { python: string; version: string };
  place: Place;
}

/** Pythons of which any may be the one. */
export interface PythonRange {
  /** As it is written. */
  text: string;
  /** The same for a search: with what else is ruled out. */
  specifier: string;
  /** Newest first; never empty. */
  pythons: string[];
  place: Place;
}

export interface Base {
  python?: string;
  /** Where several may be meant. */
  range?: PythonRange;
  packages: Installed[];
}

/** What is installed so far, while one command after the other is done. */
interface Installing {
  /** What its searches have worked out. */
  memory: SearchMemory;
  readonly result: Installation;
  /** Images with frameworks have a NumPy, too, and pip leaves it there: packages of which it is not known which release is there. */
  readonly untold: ReadonlySet<string>;
  /** Where the Python of the result is asked for. */
  pythonPlace: Place | undefined;
}

/** One command of pip. */
interface PipCommand {
  readonly step: Install;
  /** Its number among the installations, from 1. */
  readonly count: number;
  /** What it names: whatever its marker lets in; and of that, what is installed for sure and in one version. */
  readonly counted: DeclaredPackage[];
  readonly sure: DeclaredPackage[];
}

/** Every installation of the steps, one upon the other. */
export function install(steps: DeclaredStep[], base: Base = { packages: [] }): Installation {
  const packages = new Map(base.packages.map((each) => [keyOf(each.manager, each.name), each]));
  const result: Installation = {
    packages,
    clashes: [],
    named: [],
    failed: new Map(),
    unknown: [],
    byPython: new Map(),
    ...(base.python === undefined ? (base.range ? { range: base.range } : {}) : { python: base.python }),
  };
  const installing: Installing = {
    result,
    untold: new Set(0 < base.packages.length ? Object.keys(heldByOthers).filter((name) => !packages.has(name)) : []),
    pythonPlace: undefined,
    memory: newMemory(),
  };
  let number = 0;
  for (const step of steps) {
    if (step.kind === "python") choosePython(installing, step);
    else if (step.kind === "uninstall") for (const name of step.names) packages.delete(keyOf("pip", name));
    else if (step.kind === "install") {
      number += 1;
      addInstall(installing, step, number);
    }
  }
  return result;
}

/** The one Python, or the range that is left of those before. */
function choosePython(installing: Installing, { specifier: written, environments, place }: DeclaredStep & { kind: "python" }): void {
  const { result } = installing;
  const specifier = written.replace(/\s+/g, "");
  const choose = (python: string) => {
    [result.python, installing.pythonPlace] = [python, place];
    delete result.range;
  };
  const exact = exactPython(specifier);
  const before = result.range?.pythons ?? allPythons;
  if (exact !== undefined) {
    // uv goes by what the project lets in, whatever lies beside it.
    if (before.includes(exact)) choose(exact);
    return;
  }
  if (result.python !== undefined) return;
  const within = before.filter((python) => isIn(`${python}.0`, specifier) || isIn(`${python}.99`, specifier));
  const served = environments ? within.filter((python) => environments.some((marker) => holdsOn(marker, python) !== false)) : within;
  const [only, ...others] = served;
  if (only === undefined || served.length === allPythons.length) return;
  if (others.length === 0) choose(only);
  else {
    const excluded = within.filter((python) => !served.includes(python)).map((python) => `!=${python}.*`);
    const bounds = [result.range?.specifier ?? "", specifier, ...excluded].filter((each) => each !== "");
    result.range = { text: excluded.length === 0 ? specifier : spanOf(served), specifier: bounds.join(","), pythons: served, place };
  }
}

function addInstall(installing: Installing, step: Install, count: number): void {
  const { result } = installing;
  const served = servedBy(step, result);
  const { counted, open } = countedIn(step, served);
  for (const declared of open) result.unknown.push({ subject: placeWords(declared.place), reason: dependsOnPython(declared) });
  for (const declared of counted) result.named.push({ declared, step });
  if (step.manager === "pip") {
    const command: PipCommand = { step, count, counted, sure: surely(step, counted, served) };
    for (const declared of command.sure)
      if (step.reinstalls || !isThere(result.packages, declared)) put(result.packages, declared, "pip", count, step.reinstalls);
    if (step.noDependencies) addNewest(result, command);
    else if (!step.isLocked) addDependencies(installing, command);
    return;
  }
  for (const declared of counted) put(result.packages, declared, step.manager, count);
  if (step.manager === "conda") addChoices(result, step, counted);
}

/** What conda would take of the packages that have builds with and without CUDA. */
function addChoices(result: Installation, step: Install, named: DeclaredPackage[]): void {
  const there = (name: string) => result.packages.get(keyOf("conda", name))?.asked;
  const told = new Set<unknown>();
  for (const [declared, answer, name] of condaChoices({ step, named, there, python: result.python })) {
    const key = keyOf("conda", name);
    const { asked: _asked, ...brought } = result.packages.get(keyOf("conda", declared.name))!;
    const installed = result.packages.get(key) ?? { ...brought, name };
    if ("choice" in answer)
      result.packages.set(key, { ...installed, version: answer.choice.version, isAssumed: answer.choice.isNewest, conda: answer.choice });
    // Of packages that are no frameworks only those are told that hint at a GPU.
    else if (!step.isLocked && Object.hasOwn(condaNames, declared.name) && !told.has(answer)) {
      told.add(answer);
      const reason = `what conda would choose for \`${declared.text}\` is not predicted: ${answer.reason}`;
      result.unknown.push({ subject: placeWords(declared.place), reason });
    }
  }
}

/** Whether a package is meant for this Python on Linux; undefined where that cannot be told. */
function holds({ marker }: DeclaredPackage, { python, range }: Pick<Installation, "python" | "range">): boolean | undefined {
  if (marker === undefined) return true;
  if (python === undefined && range) {
    const [first, ...others] = range.pythons.map((each) => holdsOn(marker, each));
    return others.every((each) => each === first) ? first : undefined;
  }
  const version = python === undefined ? {} : { python_version: python, python_full_version: `${python}.0` };
  return markerHolds(marker, { ...linux, extra: "", ...version });
}

/** Whether a marker lets something in on no Python that it may be. */
export const isForNone = (marker: string, { python, range }: Installation): boolean =>
  (python === undefined ? (range?.pythons ?? allPythons) : [python]).every((each) => holdsOn(marker, each) === false);

/** Whether a marker holds for one Python on Linux, whatever its patch. */
function holdsOn(marker: string, python: string): boolean | undefined {
  const [first, last] = ["0", "99"].map((patch) =>
    markerHolds(marker, { ...linux, extra: "", python_version: python, python_full_version: `${python}.${patch}` }),
  );
  return first === last ? first : undefined;
}

/**
 * What a step names for this Python. Where none is told and all goes by Python, as in lists that Poetry exports, a package with one line is
 * there if one Python lets all of them in; else what goes by Python is open.
 */
function countedIn({ packages }: Install, chosen: Installation): { counted: DeclaredPackage[]; open: DeclaredPackage[] } {
  const wanted = packages
    .map((declared) => ({ declared, name: normalName(declared.name), isSure: holds(declared, chosen) }))
    .filter(({ declared, isSure }) => isSure ?? isForSome(declared, chosen));
  const lines = new Map<string, number>();
  for (const { name } of wanted) lines.set(name, (lines.get(name) ?? 0) + 1);
  const alone = wanted.filter(({ name, isSure }) => isSure === undefined && lines.get(name) === 1);
  const deciding = wanted.filter(({ name }) => publishedPackage(name));
  const isTogether =
    deciding.every(({ isSure }) => isSure === undefined) &&
    (chosen.range?.pythons ?? allPythons).some((each) =>
      deciding.every(({ declared: { marker = "" }, name }) => lines.get(name) !== 1 || holdsOn(marker, each) === true),
    );
  const likely = new Set(isTogether ? alone : []);
  const counted = wanted.filter((each) => each.isSure === true || likely.has(each));
  const taken = new Set(counted);
  const open = wanted.filter((each) => !taken.has(each) && isJudged(each.name)).map(({ name, declared }) => [name, declared] as const);
  return { counted: counted.map(({ declared }) => declared), open: [...new Map(open).values()] };
}

/** Nobody told the Python, but what a lock has for all of them has wheels for some only: it is one of those. */
function servedBy(step: Install, chosen: Installation): Installation {
  const { python, range } = chosen;
  if (!step.isLocked || python !== undefined) return chosen;
  const pinned = step.packages.flatMap(({ name, specifier, marker }) => {
    const version = marker === undefined ? /^==([^*,+]+)/.exec(specifier)?.[1] : undefined;
    const release = publishedPackage(normalName(name))?.releases.find((each) => each.version === version);
    return release ? [pythonsOf(release)] : [];
  });
  const all = range?.pythons ?? allPythons;
  const pythons = all.filter((each) => pinned.every((served) => served.includes(each)));
  if (pythons.length === 0 || pythons.length === all.length) return chosen;
  return { ...chosen, range: { text: spanOf(pythons), specifier: range?.specifier ?? "", place: step.place, pythons } };
}

const isForSome = ({ marker }: DeclaredPackage, { python, range }: Installation) =>
  python === undefined && marker !== undefined && (range?.pythons ?? allPythons).some((each) => holdsOn(marker, each) === true);

/** What neither is a framework nor holds one to some releases decides nothing. */
const isJudged = (name: string) => isOfFramework(name) || holdsFrameworks(name);

const dependsOnPython = ({ name }: DeclaredPackage) =>
  `which \`${name}\` is installed depends on the Python, and none is told; --python-version tells it`;

/** One of several versions is chosen by a marker that asks for what is not known, or by an extra: which is not sure. */
function surely(step: Install, counted: DeclaredPackage[], chosen: Installation): DeclaredPackage[] {
  const taken = new Set(counted);
  const isDoubted = (each: DeclaredPackage) => !taken.has(each) && holds(each, chosen) === undefined;
  const doubted = new Set(step.packages.filter(isDoubted).map(({ name }) => normalName(name)));
  const names = counted.map(({ name }) => normalName(name));
  const several = new Set(step.isLocked ? names.filter((name, index) => names.indexOf(name) !== index) : []);
  return counted.filter(({ name }) => !doubted.has(normalName(name)) && !several.has(normalName(name)));
}

/** Without what they require, packages come in their newest release that is let in; of those with builds by labels an index decides. */
function addNewest({ packages, python }: Installation, command: PipCommand): void {
  for (const { name, specifier, url } of command.sure) {
    const own = normalName(name);
    const isOpen = packages.get(own)?.version === undefined && packages.get(own)?.manager === "pip";
    if (!isOpen || url !== undefined || labelledFramework(own) || command.step.allowsPreReleases) continue;
    const fits = (release: PublishedRelease) =>
      isIn(release.version, specifier) && (python === undefined || pythonsOf(release).includes(python));
    const version = publishedPackage(own)?.releases.findLast(fits)?.version;
    if (version !== undefined) setVersion(packages, command, own, version);
  }
}

/** What pip would install beside what is named, and in which versions. */
function addDependencies(installing: Installing, command: PipCommand): void {
  const { result } = installing;
  const { count, step, sure } = command;
  const asked = requirementsOf(result, command);
  if (![...asked.keys()].some(({ wish }) => wish.kind === "package")) return;
  if (most < count || most < asked.size) {
    const reason = `which versions fit together is not found out: more than ${most} ${most < count ? "installations" : "requirements"}`;
    if (!result.unknown.some((each) => each.reason === reason)) result.unknown.push({ subject: placeWords(step.place), reason });
    return;
  }
  const variants = variantsOf(step, sure);
  // An index of nightly builds, or one that nothing is known about, may have anything.
  if (variants === undefined) return;
  const pythons = requiredPython(installing, asked);
  const requirements = [...asked.keys(), ...pythons];
  const before = versionsBefore(result.packages, command);
  const budget = { left: enough };
  const known: Preferences = {
    asPip: variants,
    budget,
    memory: installing.memory,
    ...(0 < before.size ? { installed: before } : {}),
  };
  const preferences: Preferences = 0 < variants.variants.length ? { ...known, asPip: { ...variants, guesses: true, isNeverBuilt } } : known;
  const found = search(requirements, known) ?? (preferences === known ? undefined : search(requirements, preferences));
  if (found) {
    setFound(result.packages, found, command);
    if (!variants.onlyThese) addHeldByOthers(installing, found, command, before);
  } else if (budget.left < 0) {
    result.unknown.push({ subject: placeWords(step.place), reason: tooLong });
  } else if (!isMetOnSome(result, command, asked, requirements, preferences)) {
    result.failed.set(count, step);
    // Whom to blame is a question of its own.
    const blaming = { ...preferences, budget: { left: enough } };
    const cores = clashesIn(requirements, blaming);
    for (const core of cores) result.clashes.push({ requirements: core, pythons, preferences, asked, place: step.place });
    if (cores.length === 0 && blaming.budget.left < 0) result.unknown.push({ subject: placeWords(step.place), reason: tooLong });
  }
}

/** What only lines for some Pythons exclude may never come up: which Python it is, nobody told. */
function isMetOnSome(
  result: Installation,
  command: PipCommand,
  asked: Map<Requirement, DeclaredPackage>,
  requirements: Requirement[],
  preferences: Preferences,
): boolean {
  const open = new Map([...asked].filter(([, declared]) => holds(declared, result) !== true || standInFor(declared) !== undefined));
  const rest = requirements.filter((each) => !open.has(each));
  const found = open.size === 0 || rest.length === 0 ? undefined : search(rest, preferences);
  if (!found) return false;
  setFound(result.packages, found, command);
  for (const declared of open.values()) {
    const reason = standInFor(declared) === undefined ? dependsOnPython(declared) : `what \`${declared.text}\` asks for is not known here`;
    result.unknown.push({ subject: placeWords(declared.place), reason });
  }
  return true;
}

/** What the command asks for that something is known about, with its constraints. */
function requirementsOf(result: Installation, { step, sure }: PipCommand): Map<Requirement, DeclaredPackage> {
  const asked = new Map<Requirement, DeclaredPackage>();
  const texts = new Set<string>();
  for (const declared of sure) {
    // What is written twice is asked for once.
    if (texts.has(declared.text)) continue;
    texts.add(declared.text);
    const read = !step.reinstalls && isThere(result.packages, declared) ? undefined : asRequirement(declared);
    if (read) asked.set(read, declared);
  }
  addLightlyAsked(result, sure, asked);
  for (const declared of step.constraints) {
    const read = holds(declared, result) === true ? asRequirement(declared) : undefined;
    if (
      read &&
      (read.wish.kind === "dependency" ||
        [...asked.keys()].some(({ wish }) => wish.kind === "package" && "name" in read.wish && wish.name === read.wish.name))
    )
      asked.set(read, declared);
  }
  return asked;
}

/** What packages ask for that take any release of it: as if its bare name stood in their line. */
function addLightlyAsked({ packages }: Installation, sure: DeclaredPackage[], asked: Map<Requirement, DeclaredPackage>): void {
  const names = new Set([...asked.keys()].flatMap(({ wish }) => ("name" in wish ? [wish.name] : [])));
  for (const { name, text, place } of sure)
    for (const needed of lightlyAsked(normalName(name)) ?? []) {
      const bare: DeclaredPackage = { name: needed, extras: [], specifier: "", text, place };
      if (names.has(needed) || isThere(packages, bare) || packages.get(needed)?.manager === "image") continue;
      names.add(needed);
      const read = asRequirement(bare);
      if (read) asked.set(read, bare);
    }
}

/** The Python, as a requirement; where it was asked for is noted, too. */
function requiredPython({ result, pythonPlace }: Installing, asked: Map<Requirement, DeclaredPackage>): Requirement[] {
  const { python, range } = result;
  if (python === undefined && !range) return pythonOfPins(result);
  const specifier = python === undefined ? range!.specifier : `==${python}.*`;
  const text = `Python ${python ?? range!.text}`;
  const required: Requirement = { text, from: "machine", wish: { kind: "python", specifier } };
  const place = python === undefined ? range!.place : pythonPlace;
  if (place) asked.set(required, { name: "python", extras: [], specifier, text, place });
  return [required];
}

/** Nobody told the Python, but what was pinned and installed before has wheels for some only: it is one of those. */
function pythonOfPins({ packages }: Installation): Requirement[] {
  const pinned = [...packages.values()].flatMap(({ asked, isAssumed, build, manager }) =>
    asked && !isAssumed && build && manager === "pip" ? [build.pythons] : [],
  );
  const served = allPythons.filter((python) => pinned.every((pythons) => pythons.includes(python)));
  if (served.length === 0 || served.length === allPythons.length) return [];
  const others = allPythons.filter((python) => !served.includes(python)).map((python) => `!=${python}.*`);
  return [{ text: `Python ${spanOf(served)}`, from: "machine", wish: { kind: "python", specifier: others.join(",") } }];
}

/** What earlier installations left for pip to see; of that, `--upgrade` gives up only what is named. */
function versionsBefore(packages: Map<string, Installed>, { count, step }: PipCommand): Map<string, string> {
  if (step.reinstalls) return new Map();
  const upgraded = new Set(step.upgrades ? step.packages.map(({ name }) => normalName(name)) : []);
  return new Map(
    [...packages.values()].flatMap((each) => {
      const seen = each.step < count ? seenByPip(each) : undefined;
      return seen === undefined || upgraded.has(seen[0]) ? [] : [seen];
    }),
  );
}

function seenByPip({ manager, name, version, variant, asked }: Installed): [name: string, version: string] | undefined {
  if (manager === "apt") return undefined;
  if (manager !== "conda") return version === undefined ? undefined : [name, variant === undefined ? version : `${version}+${variant}`];
  const own = condaNames[name];
  if (own === undefined) return undefined;
  // `pytorch=2.5` is any that begins so: what pip compares is mostly the same for all of them.
  const releases = publishedPackage(own)?.releases.filter((each) => isIn(each.version, asked?.specifier ?? "")) ?? [];
  const found = version ?? releases.at(-1)?.version;
  return found === undefined ? undefined : [own, found];
}

/** A release that is older than what is known of a package: whether it will do cannot be told, and so it is not replaced. */
const isUnknown = (name: string, version: string | undefined): boolean =>
  version !== undefined && !publishedPackage(name)?.releases.some((each) => each.version === version);

/** What conda has and will do stays conda's, and asks pip for no library. */
function setFound(packages: Map<string, Installed>, found: Found, command: PipCommand): void {
  const conda = [...packages.values()].filter(({ manager }) => manager === "conda");
  // Of releases that conda may choose, one must do.
  const isOfConda = (build: Build) =>
    !packages.has(build.package) &&
    conda.some(
      ({ name, version, asked }) =>
        condaNames[name] === build.package &&
        (isIn(build.version, version === undefined ? (asked?.specifier ?? "") : `==${version}`) || isUnknown(build.package, version)),
    );
  const chosen = [...found.chosen.values()];
  const own = chosen.filter((build) => !isOfConda(build));
  for (const build of own) setVersion(packages, command, build.package, build.version, build);
  if (own.length < chosen.length) return;
  for (const [name, version] of found.libraries.versions) setVersion(packages, command, name, version);
  addBrought(packages, found, command);
}

/** Libraries of NVIDIA ask for each other: what nothing else named comes in the newest release that they let in. */
function addBrought(packages: Map<string, Installed>, found: Found, command: PipCommand): void {
  const queue = [...found.libraries.versions];
  const asked = new Map<string, string[]>();
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [owner, release] = next;
    for (const text of publishedPackage(owner)?.releases.find(({ version }) => version === release)?.brings ?? []) {
      const read = parseRequirement(text);
      if ("problem" in read || found.libraries.versions.has(read.name) || found.chosen.has(read.name)) continue;
      const specifiers = [...(asked.get(read.name) ?? []), read.specifier];
      const isNew = !asked.has(read.name);
      asked.set(read.name, specifiers);
      const version = naturalChoice(read.name, specifiers);
      if (version === undefined) continue;
      if (!packages.get(read.name)?.asked) setVersion(packages, command, read.name, version);
      if (isNew) queue.push([read.name, version]);
    }
  }
}

/** Popular packages that have nothing to do with frameworks take NumPy as it comes, unless an old release is asked for. */
const isFree = (name: string, specifier: string) => isUnrelated(name) && isUnbound(specifier);
const isLight = (name: string, specifier: string) => lightlyAsked(name) !== undefined && isUnbound(specifier);
const isUnbound = (specifier: string) => !/[=<~]/.test(specifier.replaceAll(">=", ">"));

/**
 * Packages that hardly anybody names, and how the releases begin that were there before the one that old code does not take. `onEvery`: old
 * Pythons get such a release, and are what old code is installed into: where nobody tells the Python, nothing is said.
 */
const heldByOthers: { [name: string]: { before: string; onEvery?: true } } = {
  numpy: { before: "1." },
  protobuf: { before: "3.", onEvery: true },
};

/** What the others bring of them, unless something keeps it back: packages that are not known here may, and another index need not have the newest. */
function addHeldByOthers({ untold, result }: Installing, found: Found, command: PipCommand, installed: Map<string, string>): void {
  const { counted, sure } = command;
  const isWhole =
    counted.length === sure.length &&
    sure.every(
      ({ name, specifier }) =>
        publishedPackage(normalName(name)) !== undefined ||
        // Where there is nothing of that name, nothing of it holds them back.
        noSuchPackage(normalName(name)) !== undefined ||
        isFree(normalName(name), specifier) ||
        isLight(normalName(name), specifier),
    );
  if (!isWhole) return;
  const mayBring = [...result.packages.values()].some(mayBringThem);
  for (const name of Object.keys(heldByOthers)) {
    const version = versionOf(name, found, result.python, installed.get(name), mayBring || untold.has(name));
    if (typeof version === "string") setVersion(result.packages, command, name, version);
    else if (version) result.byPython.set(name, { ...version, place: command.step.place });
  }
}

/** What the search chose, unless it is there already. */
function setVersion(packages: Map<string, Installed>, { count, step }: PipCommand, name: string, version: string, build?: Build): void {
  const key = keyOf("pip", name);
  const known = packages.get(key);
  const label = build && labelledFramework(build.package) ? build.variant : undefined;
  const before = step.reinstalls ? undefined : known;
  if (before && before.step < count && isSame(before, version, label)) return;
  const own = known?.step === count ? known : undefined;
  const declared = own?.asked;
  packages.set(key, {
    name,
    version: own?.version !== undefined && finalOf(name, own.version) === version ? own.version : version,
    ...labelOfBuild(label, own, version),
    extras: own?.extras ?? [],
    manager: "pip",
    isAssumed: !isPin(declared),
    ...(declared ? { asked: declared } : {}),
    place: declared?.place ?? step.place,
    step: count,
    ...(build ? { build } : {}),
  });
}

/** Of what has no builds by labels here, the label of a pin is all that tells the build: `jaxlib==0.4.23+cuda12.cudnn89`. */
function labelOfBuild(label: string | undefined, own: Installed | undefined, version: string): { variant?: string } {
  const variant = label ?? (own?.version === version ? own.variant : undefined);
  return variant === undefined ? {} : { variant };
}

const isPin = (declared: DeclaredPackage | undefined): boolean => declared !== undefined && /^==[^*,]+$/.test(declared.specifier);

/** Whether what an earlier installation left is this; in a version that is not known, it will do or not. */
const isSame = (known: Installed, version: string, label: string | undefined): boolean =>
  known.version === undefined ||
  // Of a release that nothing is known of it cannot be told that it would not do.
  (known.manager === "pip" && publishedPackage(known.name)?.releases.every((each) => each.version !== known.version) === true) ||
  (known.version === version && (label === undefined || known.variant === undefined || known.variant === label));

// pip leaves what conda has installed, unless it is another release that is asked for.
function isFromConda(packages: Map<string, Installed>, { name, specifier }: DeclaredPackage): boolean {
  const own = Object.keys(condaNames).find((each) => condaNames[each] === normalName(name) && packages.has(`conda:${each}`));
  const there = own === undefined ? undefined : packages.get(`conda:${own}`)!.version;
  return own !== undefined && (!/^==[^*,]+$/.test(specifier) || (there !== undefined && isIn(there, specifier)));
}

const isThere = (packages: Map<string, Installed>, declared: DeclaredPackage): boolean =>
  isFromConda(packages, declared) || isOwnBuild(packages.get(normalName(declared.name)), declared);

/** What is named is installed, in the version that is named, if one is. */
function put(
  packages: Map<string, Installed>,
  declared: DeclaredPackage,
  manager: Installed["manager"],
  step: number,
  reinstalls = false,
): void {
  const { name, extras, place } = declared;
  const exact = exactVersion(declared, manager);
  const [version, label] = exact?.split("+") ?? [];
  const key = keyOf(manager, name);
  const known = packages.get(key);
  if (known && manager === "pip" && known.step < step && !reinstalls && willDo(known, declared, label)) {
    packages.set(key, { ...known, extras: [...new Set([...known.extras, ...extras])] });
    return;
  }
  packages.set(key, {
    name: manager === "pip" ? normalName(name) : name,
    ...(version === undefined ? {} : { version }),
    ...(label === undefined ? {} : { variant: label }),
    extras: [...new Set([...extras, ...(known?.step === step ? known.extras : [])])],
    manager,
    isAssumed: exact === undefined,
    asked: declared,
    place,
    step,
  });
}

// Conda's `=2.2.1` means what begins so: with three numbers, that release.
const exactVersion = ({ specifier }: DeclaredPackage, manager: Installed["manager"]): string | undefined =>
  (/^===?([^*,]+)$/.exec(specifier) ?? (manager === "conda" ? /^==(\d+\.\d+\.\d+)\.\*$/.exec(specifier) : undefined))?.[1];

/** What is there already and will do stays. */
const willDo = (known: Installed, { specifier }: DeclaredPackage, label: string | undefined): boolean =>
  known.version !== undefined &&
  isIn(known.version, specifier.replace(/\+[\w.]+/g, "")) &&
  (label === undefined || known.variant === label);

/** Whether pip leaves the build of an image there; one whose version is not known is taken to be new enough. */
export function isOwnBuild(known: Installed | undefined, { specifier, url }: DeclaredPackage): boolean {
  if (known?.manager !== "image" || known.version !== undefined || url !== undefined || specifier.startsWith("==")) return false;
  return specifier === "" || known.ownVersion === undefined || isIn(known.ownVersion, specifier);
}

/** Whether they may be there because of it, from conda or apt; pip then leaves them there. */
const mayBringThem = ({ manager, name }: Installed): boolean =>
  manager === "conda"
    ? !/^(?:python|pip|setuptools|wheel|git|cmake|ninja|ffmpeg|gcc.*|gxx.*|cuda.*|cudnn|nccl|cupti|lib.*)$/.test(name)
    : manager === "apt" && /^python3-(?!pip$|dev$|venv$|distutils$|setuptools$|wheel$|apt$)/.test(name);

/** The release that pip would take, where something asks for one; of two, where the Python decides. */
function versionOf(
  name: string,
  { bounds, pythons }: Found,
  given: string | undefined,
  installed: string | undefined,
  hasSome: boolean,
): string | Omit<ByPython, "place"> | undefined {
  // Of the Pythons that all have wheels for, the newest is the likeliest.
  const python = given ?? pythons[0];
  const all = bounds.get(name)?.filter(({ need }) => !need?.marker || (python !== undefined && need.marker(python)));
  if (!all) return undefined;
  const specifier = all
    .map((bound) => bound.specifier)
    .filter((each) => each !== "")
    .join(",");
  if (installed !== undefined && isIn(installed, specifier)) return installed;
  const releases = publishedPackage(name)?.releases ?? [];
  const { before, onEvery } = heldByOthers[name]!;
  const newestOn = (each: string | undefined) =>
    releases.findLast(
      (release) =>
        isIn(release.version, specifier) && isOffered(release, [specifier]) && each !== undefined && pythonsOf(release).includes(each),
    )?.version;
  if (onEvery && given === undefined) {
    const spared = pythons.find((each) => newestOn(each)?.startsWith(before));
    if (spared !== undefined) return hasSome ? undefined : decidedBy(spared, pythons, newestOn);
  }
  const mayBeOlder = releases.some(({ version }) => version.startsWith(before) && isIn(version, specifier));
  if (installed === undefined && hasSome && mayBeOlder) return undefined;
  return newestOn(python);
}

function decidedBy(
  spared: string,
  pythons: string[],
  newestOn: (python: string) => string | undefined,
): Omit<ByPython, "place"> | undefined {
  const before = { python: spared, version: newestOn(spared)! };
  const [newest] = pythons.flatMap((python) => newestOn(python) ?? []);
  return newest === undefined || newest === before.version ? undefined : { newest: { python: pythons[0]!, version: newest }, before };
}

/** Packages that conda has under another name than PyPI; both fill one folder. */
export const condaNames: { [name: string]: string } = Object.assign({}, ...frameworkNames.map(({ conda }) => conda ?? {})) as {
  [name: string]: string;
};

/** What an import of a package of PyPI finds: pip's own, that of the image, or conda's. */
export function installedNamed({ packages }: Pick<Installation, "packages">, name: string): Installed | undefined {
  const own = packages.get(name);
  if (own) return own;
  const conda = Object.keys(condaNames).find((each) => condaNames[each] === name && packages.has(keyOf("conda", each)));
  return conda === undefined ? undefined : packages.get(keyOf("conda", conda));
}

/** pip and what images bring share one folder; conda and apt have names of their own. */
export const keyOf = (manager: Installed["manager"], name: string) =>
  manager === "apt" || manager === "conda" ? `${manager}:${name}` : normalName(name);

/** Why a Python cannot be asked about, where that is so. */
export const unknownPython = (version: string): string | undefined =>
  allPythons.includes(version) ? undefined : `nothing is known of Python ${version}; known are ${allPythons.at(-1)} to ${allPythons[0]}`;

/** The one Python that a specifier leaves, of those that anything here was built for. */
function exactPython(specifier: string): string | undefined {
  const found = /^(?:===?|=)?(3\.\d+)(?:\.\d+)?(?:\.\*)?$/.exec(specifier.trim())?.[1];
  return found !== undefined && allPythons.includes(found) ? found : undefined;
}

/** A requirement that something is known about; undefined for all others, and for releases older than those that are known. */
function asRequirement(declared: DeclaredPackage): Requirement | undefined {
  const name = normalName(declared.name);
  const { text } = declared;
  if ((declared.url !== undefined && declared.specifier === "") || isForeign(ownLabel(declared))) return undefined;
  const stand = standInFor(declared);
  const specifier = stand === undefined ? declared.specifier.replace(/\+[\w.]+/g, "") : `==${stand}`;
  const label = labelOf(declared);
  const releases = publishedPackage(name)?.releases ?? [];
  if (0 < releases.length && !releases.some(({ version }) => isIn(version, specifier))) return undefined;
  if (specifier.startsWith("===")) return undefined;
  if (releases[0]?.requires !== undefined) {
    const variant = labelledFramework(name) && label !== undefined ? { variant: new RegExp(`^${label}$`) } : {};
    return {
      text,
      from: "asked",
      wish: { kind: "package", name, specifier, ...variant, ...(0 < declared.extras.length ? { extras: declared.extras } : {}) },
    };
  }
  return (specifier !== "" || name === "numpy") && mentioned().has(name)
    ? { text, from: "asked", wish: { kind: "dependency", name, specifier } }
    : undefined;
}

/** A pre-release is judged as the release that it led to. */
const standInFor = ({ name, specifier }: DeclaredPackage): string | undefined => {
  const pinned = /^==([^*,+\s]+)$/.exec(specifier)?.[1];
  return pinned === undefined ? undefined : finalOf(normalName(name), pinned);
};

/** What stands behind the plus sign of a pin. */
const ownLabel = ({ specifier }: DeclaredPackage): string | undefined => /^===?[^*,+]+\+([\w.]+)$/.exec(specifier)?.[1];

/** Which build is meant: by what stands behind the plus sign, or by the index that it alone is taken from. */
function labelOf({ specifier, index }: DeclaredPackage): string | undefined {
  const folder = index === undefined ? undefined : labelIn(index);
  return /\+(cu\d+|cpu)$/.exec(specifier)?.[1] ?? (folder !== undefined && /^(cu\d+|cpu)$/.test(folder) ? folder : undefined);
}

/** Whether something is known of a package, or of what asks for it. */
export const isKnownPackage = (name: string): boolean => publishedPackage(name) !== undefined || mentioned().has(name);

/** Every package that a known one asks for. */
const mentioned = once(
  () =>
    new Set(
      published().packages.flatMap(({ releases }) =>
        releases.flatMap(({ requires = [] }) => requires.map((text) => normalName(/^[A-Za-z0-9._-]+/.exec(text)?.[0] ?? ""))),
      ),
    ),
);

/** The folder of an index that has builds by labels, `""` for the whole of it; undefined for addresses of others. */
export function labelIn(url: string): string | undefined {
  for (const address of frameworkNames.flatMap(({ labelled }) => labelled?.addresses ?? [])) {
    const at = url.indexOf(address);
    if (0 <= at) return /^(?:\/([^/?#]*))?/.exec(url.slice(at + address.length))![1] ?? "";
  }
  return undefined;
}

/** Which builds of torch the indexes have; undefined where nobody here knows. */
export function variantsOf(step: Install, packages: DeclaredPackage[]): Preferences["asPip"] | undefined {
  const { indexes, links, allowsPreReleases } = step;
  if (allowsPreReleases) return undefined;
  const urls = [...indexes.map(({ url }) => url), ...links, ...packages.flatMap(({ index }) => index ?? [])];
  const variants: string[] = packages.flatMap(({ name, specifier }) =>
    labelledFramework(normalName(name)) ? (/\+(cu\d+|cpu)$/.exec(specifier)?.[1] ?? []) : [],
  );
  for (const url of urls) {
    const label = labelIn(url);
    if (label !== undefined) {
      if (/^(cu\d+|cpu)$/.test(label)) variants.push(label);
      else if (label !== "" && !/^\w+_stable/.test(label)) return undefined;
    } else if (
      !allNames("otherIndexes").some((word) => url.includes(word)) &&
      !/pypi\.org|pypi\.python\.org|pythonhosted|pypi\.nvidia\.com|pypi\.ngc\.nvidia\.com|data\.pyg\.org|mirrors?\.|tuna|aliyun|douban|mmcv|mmlab|dgl\.ai|huggingface|flashinfer/.test(
        url,
      )
    )
      return undefined;
  }
  // uv takes a package from the first index that has it, and asks PyPI last.
  const isFirst = step.by === "uv" && !step.comparesIndexes;
  const onlyThese = indexes.some(({ url, only }) => (only || isFirst) && labelIn(url) !== undefined);
  return { variants: [...new Set(variants)], onlyThese };
}

const tooLong = "which versions fit together takes too long to find out: too many are left open";

/** Builds that are tried at most for one installation: what takes longer is not known. */
const enough = 20_000;

/** More than people write: commands of one file, and known packages in one of them. */
const most = 500;
