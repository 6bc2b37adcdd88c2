// What would be installed, from what is known of packages: pip's commands one after the other, each solved as pip would.
import { publishedPackage } from "../knowledge/published.ts";
import { published } from "../knowledge/texts/published.generated.ts";
import { markerHolds, normalName, parseRequirement } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import type { Place } from "../model/finding.ts";
import type { Unknown } from "../model/snapshot.ts";
import type { DeclaredPackage, Install, DeclaredStep } from "../model/dependency-file.ts";
import { allPythons, pythonsOf, type Build, type Need } from "../builds/build.ts";
import type { Requirement } from "../solve/requirement.ts";
import { linux } from "./locked.ts";
import { letsOlderIn, releasesWithBuilds, search, type Found, type Preferences } from "../solve/search.ts";
import { isIn } from "../builds/specifier.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { allNames, isAmong, labelledFramework, solveName } from "../model/frameworks.ts";

export interface Installed {
  name: string;
  /** Absent where it is not known which. */
  version?: string;
  /** `cu118`, `cpu`. */
  variant?: string;
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
}

/** Requirements of one installation that cannot be met together. */
export interface Clash {
  requirements: Requirement[];
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
  python?: string;
}

export interface Base {
  python?: string;
  packages: Installed[];
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
    ...(base.python === undefined ? {} : { python: base.python }),
  };
  // Images with frameworks have a NumPy, too, and pip leaves it there; which one is not written in what is known of them.
  const hasSomeNumpy = 0 < base.packages.length && !packages.has("numpy");
  let pythonPlace: Place | undefined;
  let number = 0;
  for (const step of steps) {
    if (step.kind === "python") {
      const exact = exactPython(step.specifier);
      if (exact !== undefined) [result.python, pythonPlace] = [exact, step.place];
    } else if (step.kind === "uninstall") for (const name of step.names) packages.delete(keyOf("pip", name));
    else if (step.kind === "install") {
      number += 1;
      addInstall(step, number);
    }
  }
  return result;

  function addInstall(step: Install, count: number): void {
    const holds = ({ marker }: DeclaredPackage) =>
      marker === undefined
        ? true
        : markerHolds(marker, {
            ...linux,
            extra: "",
            ...(result.python === undefined ? {} : { python_version: result.python, python_full_version: `${result.python}.0` }),
          });
    const counted = step.packages.filter((each) => holds(each) === true);
    for (const declared of counted) result.named.push({ declared, step });
    if (step.manager !== "pip") {
      for (const declared of counted) {
        put(declared, step.manager, count);
        const isExact = step.isLocked || (declared.build !== undefined && !declared.build.includes("*"));
        if (step.manager === "conda" && !isExact && Object.hasOwn(condaNames, declared.name))
          result.unknown.push({
            subject: placeWords(declared.place),
            reason: `what conda would choose for \`${declared.text}\` is not foreseen`,
          });
      }
      return;
    }
    // One of several versions is chosen by a marker that asks for what is not known, or by an extra.
    const doubted = new Set(step.packages.filter((each) => holds(each) === undefined).map(({ name }) => normalName(name)));
    const names = counted.map(({ name }) => normalName(name));
    const several = new Set(step.isLocked ? names.filter((name, index) => names.indexOf(name) !== index) : []);
    const sure = counted.filter(({ name }) => !doubted.has(normalName(name)) && !several.has(normalName(name)));
    for (const declared of sure) if (!isThere(declared)) put(declared, "pip", count);
    if (step.isLocked || step.noDependencies) return;
    const asked = new Map<Requirement, DeclaredPackage>();
    const texts = new Set<string>();
    for (const declared of sure) {
      // What is written twice is asked for once.
      if (texts.has(declared.text)) continue;
      texts.add(declared.text);
      const read = isThere(declared) ? undefined : asRequirement(declared);
      if (read) asked.set(read, declared);
    }
    for (const declared of step.constraints) {
      const read = holds(declared) === true ? asRequirement(declared) : undefined;
      if (
        read &&
        (read.wish.kind === "dependency" ||
          [...asked.keys()].some(({ wish }) => wish.kind === "package" && "name" in read.wish && wish.name === read.wish.name))
      )
        asked.set(read, declared);
    }
    if (![...asked.keys()].some(({ wish }) => wish.kind === "package")) return;
    if (most < count || most < asked.size) {
      const reason = `which versions fit together is not found out: more than ${most} ${most < count ? "installations" : "requirements"}`;
      if (!result.unknown.some((each) => each.reason === reason)) result.unknown.push({ subject: placeWords(step.place), reason });
      return;
    }
    const variants = variantsOf(step, sure);
    // An index of nightly builds, or one that nothing is known about, may have anything.
    if (variants === undefined) return;
    const requirements = [...asked.keys()];
    if (result.python !== undefined) {
      const python: Requirement = {
        text: `Python ${result.python}`,
        from: "machine",
        wish: { kind: "python", specifier: `==${result.python}.*` },
      };
      requirements.push(python);
      if (pythonPlace)
        asked.set(python, {
          name: "python",
          extras: [],
          specifier: `==${result.python}`,
          text: `Python ${result.python}`,
          place: pythonPlace,
        });
    }
    const before = new Map(
      [...packages.values()].flatMap(({ manager, name, version, variant, step: by }) =>
        manager !== "apt" && manager !== "conda" && by < count && version !== undefined
          ? [[name, variant === undefined ? version : `${version}+${variant}`] as [string, string]]
          : [],
      ),
    );
    const budget = { left: enough };
    const known: Preferences = { asPip: variants, budget, ...(0 < before.size && !step.upgrades ? { installed: before } : {}) };
    const preferences: Preferences = 0 < variants.variants.length ? { ...known, asPip: { ...variants, guesses: true } } : known;
    const found = search(requirements, known) ?? (preferences === known ? undefined : search(requirements, preferences));
    if (!found && budget.left < 0) {
      const reason = "which versions fit together takes too long to find out: too many are left open";
      result.unknown.push({ subject: placeWords(step.place), reason });
      return;
    }
    if (!found) {
      result.failed.set(count, step);
      result.clashes.push(
        ...clashesIn(requirements, preferences).map((core) => ({ requirements: core, preferences, asked, place: step.place })),
      );
      return;
    }
    const set = (name: string, version: string, build?: Build) => {
      const key = keyOf("pip", name);
      const known = packages.get(key);
      // What an earlier installation left there, in a version that is not known, will do or not.
      if (known && known.step < count && known.version === undefined) return;
      const declared = known?.step === count ? known.asked : undefined;
      const label = build && labelledFramework(build.package) ? build.variant : undefined;
      const isSame =
        known !== undefined &&
        known.step < count &&
        known.version === version &&
        (label === undefined || known.variant === undefined || known.variant === label);
      if (isSame) return;
      packages.set(key, {
        name,
        version,
        ...(label === undefined ? {} : { variant: label }),
        extras: known?.step === count ? known.extras : [],
        manager: "pip",
        isAssumed: declared === undefined || !/^==[^*,]+$/.test(declared.specifier),
        ...(declared ? { asked: declared } : {}),
        place: declared?.place ?? step.place,
        step: count,
        ...(build ? { build } : {}),
      });
    };
    for (const build of found.chosen.values()) set(build.package, build.version, build);
    for (const [name, version] of found.libraries.versions) set(name, version);
    // Packages that are not known here may keep NumPy back, and another index need not have the newest.
    const isWhole =
      !variants.onlyThese && counted.length === sure.length && sure.every(({ name }) => publishedPackage(normalName(name)) !== undefined);
    const hasSome = hasSomeNumpy || [...packages.values()].some(mayBringNumpy);
    const numpy = isWhole ? numpyOf(found, result.python, before.get("numpy"), hasSome) : undefined;
    if (numpy !== undefined) set("numpy", numpy);
  }

  // pip leaves what conda has installed, unless it is another release that is asked for.
  function isFromConda({ name, specifier }: DeclaredPackage): boolean {
    const own = Object.keys(condaNames).find((each) => condaNames[each] === normalName(name) && packages.has(`conda:${each}`));
    return own !== undefined && !/^==[^*,]+$/.test(specifier);
  }

  function isThere(declared: DeclaredPackage): boolean {
    return isFromConda(declared) || isOwnBuild(packages.get(normalName(declared.name)), declared);
  }

  function put(declared: DeclaredPackage, manager: Installed["manager"], step: number): void {
    const { name, extras, specifier, place } = declared;
    // Conda's `=2.2.1` means what begins so: with three numbers, that release.
    const exact = (/^===?([^*,]+)$/.exec(specifier) ?? (manager === "conda" ? /^==(\d+\.\d+\.\d+)\.\*$/.exec(specifier) : undefined))?.[1];
    const [version, label] = exact?.split("+") ?? [];
    const key = keyOf(manager, name);
    const known = packages.get(key);
    // What is there already and will do stays.
    if (
      manager === "pip" &&
      known?.version !== undefined &&
      known.step < step &&
      isIn(known.version, specifier.replace(/\+[\w.]+/g, "")) &&
      (label === undefined || known.variant === label)
    ) {
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
}

/** Whether pip leaves the build of an image there; one whose version is not known is taken to be new enough. */
export function isOwnBuild(known: Installed | undefined, { specifier, url }: DeclaredPackage): boolean {
  if (known?.manager !== "image" || known.version !== undefined || url !== undefined || specifier.startsWith("==")) return false;
  return specifier === "" || known.ownVersion === undefined || isIn(known.ownVersion, specifier);
}

/** Whether NumPy may be there because of it, from conda or apt; pip then leaves it there. */
const mayBringNumpy = ({ manager, name }: Installed): boolean =>
  manager === "conda"
    ? !/^(?:python|pip|setuptools|wheel|git|cmake|ninja|ffmpeg|gcc.*|gxx.*|cuda.*|cudnn|nccl|cupti|lib.*)$/.test(name)
    : manager === "apt" && /^python3-(?!pip$|dev$|venv$|distutils$|setuptools$|wheel$|apt$)/.test(name);

/** The NumPy that pip would take, where something asks for one. */
function numpyOf(
  { bounds, pythons }: Found,
  given: string | undefined,
  installed: string | undefined,
  hasSome: boolean,
): string | undefined {
  // Of the Pythons that all have wheels for, the newest is the likeliest.
  const python = given ?? pythons[0];
  const all = bounds.get("numpy")?.filter(({ need }) => !need?.marker || (python !== undefined && need.marker(python)));
  if (!all) return undefined;
  const specifier = all
    .map((bound) => bound.specifier)
    .filter((each) => each !== "")
    .join(",");
  if (installed !== undefined && isIn(installed, specifier)) return installed;
  const releases = publishedPackage("numpy")?.releases ?? [];
  if (installed === undefined && hasSome && releases.some(({ version }) => version.startsWith("1.") && isIn(version, specifier)))
    return undefined;
  return releases.findLast((release) => isIn(release.version, specifier) && python !== undefined && pythonsOf(release).includes(python))
    ?.version;
}

/** Packages that conda has under another name than PyPI; both fill one folder. */
export const condaNames: { [name: string]: string } = Object.assign({}, ...frameworkNames.map(({ conda }) => conda ?? {})) as {
  [name: string]: string;
};

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
  if (declared.url !== undefined && declared.specifier === "") return undefined;
  const specifier = declared.specifier.replace(/\+[\w.]+/g, "");
  const label = /\+(cu\d+|cpu)$/.exec(declared.specifier)?.[1];
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

/** Whether something is known of a package, or of what asks for it. */
export const isKnownPackage = (name: string): boolean => publishedPackage(name) !== undefined || mentioned().has(name);

let names: Set<string> | undefined;

/** Every package that a known one asks for. */
function mentioned(): Set<string> {
  names ??= new Set(
    published().packages.flatMap(({ releases }) =>
      releases.flatMap(({ requires = [] }) => requires.map((text) => normalName(/^[A-Za-z0-9._-]+/.exec(text)?.[0] ?? ""))),
    ),
  );
  return names;
}

/** The folder of an index that has builds by labels, `""` for the whole of it; undefined for addresses of others. */
function labelIn(url: string): string | undefined {
  for (const address of frameworkNames.flatMap(({ labelled }) => labelled?.addresses ?? [])) {
    const at = url.indexOf(address);
    if (0 <= at) return /^(?:\/([^/?#]*))?/.exec(url.slice(at + address.length))![1] ?? "";
  }
  return undefined;
}

/** Which builds of torch the indexes have; undefined where nobody here knows. */
export function variantsOf({ indexes, links, allowsPreReleases }: Install, packages: DeclaredPackage[]): Preferences["asPip"] | undefined {
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
  const onlyThese = indexes.some(({ url, only }) => only && labelIn(url) !== undefined);
  return { variants: [...new Set(variants)], onlyThese };
}

/** Builds that are tried at most for one installation: what takes longer is not known. */
const enough = 15_000;

/** More than people write: commands of one file, and known packages in one of them. */
const most = 500;

/** A few sets that cannot be met: each without what the one before was blamed for. */
function clashesIn(requirements: Requirement[], preferences: Preferences): Requirement[][] {
  const found: Requirement[][] = [];
  let left = requirements;
  while (found.length < 3) {
    const core = smallerConflict(left, preferences);
    if (!core) return found;
    found.push(core);
    // A pin of what a framework brings goes with none that brings it: said once.
    const last = core.findLast(({ wish }) => wish.kind === "dependency") ?? core.findLast(({ wish }) => wish.kind !== "python")!;
    left = left.filter((each) => each !== last);
    if (!left.some(({ wish }) => wish.kind === "package") || search(left, preferences) || isSpent(preferences)) return found;
  }
  return found;
}

/**
 * A small set of requirements that cannot be met, none of which can be left out; undefined where a release that is not known
 * here, older than the oldest that is, might meet them.
 */
function smallerConflict(requirements: Requirement[], preferences: Preferences): Requirement[] | undefined {
  // What is least sharp goes first: an exact pin is what people look for.
  let core = [...requirements].sort((a, b) => sharpness(a) - sharpness(b));
  for (const each of core) {
    const rest = core.filter((other) => other !== each);
    if (0 < rest.length && !search(rest, preferences) && !isSpent(preferences)) core = rest;
  }
  return isSpent(preferences) || core.some(reachesBack) ? undefined : core;
}

const isSpent = ({ budget }: Preferences) => budget !== undefined && budget.left < 0;

const sharpness = ({ wish }: Requirement) => ("specifier" in wish && wish.specifier !== "" ? (wish.specifier.startsWith("==") ? 2 : 1) : 0);

const reachesBack = ({ wish }: Requirement) => wish.kind === "package" && letsOlderIn(wish.name, wish.specifier);

/** Requirements of what is installed that what is installed does not meet. */
export function unmetRequirements(
  packages: Map<string, Installed>,
  python: string | undefined,
): { by: Installed; needs: Installed; specifier: string; source: string }[] {
  const unmet: { by: Installed; needs: Installed; specifier: string; source: string }[] = [];
  for (const by of packages.values()) {
    if (by.version === undefined || by.manager === "apt" || by.manager === "conda") continue;
    const all = by.build?.needs() ?? torchNeeds(by) ?? publishedNeeds(by);
    for (const { name, specifier, extra, marker, source } of all) {
      if (extra !== undefined && !by.extras.includes(extra)) continue;
      if (marker && (python === undefined || !marker(python))) continue;
      const needs = packages.get(name);
      if (needs?.version === undefined || needs.manager === "conda") continue;
      if (!isIn(needs.version, specifier.replace(/\+[\w.]+/g, ""))) unmet.push({ by, needs, specifier, source });
    }
  }
  return unmet;
}

/** Another build of torch asks for other libraries; where it is not sure which, nothing is said. */
function torchNeeds({ name, version, variant }: Installed): Need[] | undefined {
  const builder = variant === undefined ? undefined : labelledFramework(name);
  if (!builder) return undefined;
  const release = releasesWithBuilds(solveName(builder.id)).find((each) => each.version === version);
  const build = release?.builds().find((each) => each.variant === variant);
  return build?.doubts.some((doubt) => doubt.startsWith("what ")) ? [] : build?.needs();
}

function publishedNeeds({
  name,
  version,
  variant,
}: Installed): { name: string; specifier: string; extra?: string; marker?: (python: string) => boolean; source: string }[] {
  // Another build of torch asks for other libraries.
  const isOther = variant !== undefined;
  const release = publishedPackage(name)?.releases.find((each) => each.version === version);
  return (release?.requires ?? []).flatMap((text) => {
    const read = parseRequirement(text);
    if ("problem" in read || (isOther && isAmong(read.name, labelledFramework(name)?.labelled.varies))) return [];
    const extra = /\bextra == "([^"]+)"/.exec(text)?.[1];
    if (/python_version/.test(read.marker ?? "")) return [];
    return [
      {
        name: read.name,
        specifier: read.specifier,
        ...(extra === undefined ? {} : { extra: normalName(extra) }),
        source: `the metadata of ${name} ${version} on PyPI`,
      },
    ];
  });
}
