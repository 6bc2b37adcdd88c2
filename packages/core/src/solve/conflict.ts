import { driverRuns } from "../knowledge/goes-together.ts";
import { gpus } from "../knowledge/texts/gpus.generated.ts";
import { isUponFrameworks, publishedDay } from "../knowledge/published.ts";
import { sourcesOf } from "../knowledge/certainty.ts";
import { driverFloor, driverFloorSources } from "../knowledge/toolkits.ts";
import type { Conflict } from "../model/solve.ts";
import type { Build, Need } from "../builds/build.ts";
import { isIn, plainly } from "../builds/specifier.ts";
import { cudnnReleases } from "./bare-libraries.ts";
import { gpuSays, misfit, spanOf, unknownToDriver, type Place, type Reason } from "./fit.ts";
import type { Requirement } from "./requirement.ts";
import {
  releasesWithBuilds,
  disagreement,
  canBorrow,
  domainOf,
  extend,
  letsOlderIn,
  packagesIn,
  placeOf,
  search,
  whyIncomplete,
  type Found,
  type Preferences,
} from "./search.ts";
import { allNames, isAmong, labelledFramework } from "../model/frameworks.ts";

/** The smallest set of requirements that cannot be met together. */
export function smallestConflict(requirements: Requirement[], isPossible: (some: Requirement[]) => boolean): Requirement[] {
  for (let size = 1; size < requirements.length; size += 1)
    for (const some of subsets(requirements, size)) if (!isPossible(some)) return some;
  return requirements;
}

function* subsets<T>(items: T[], size: number, from = 0): Generator<T[]> {
  if (size === 0) yield [];
  else
    for (let index = from; index <= items.length - size; index += 1)
      for (const rest of subsets(items, size - 1, index + 1)) yield [items[index]!, ...rest];
}

/** What a way out of a conflict is tried with. */
export interface Surroundings {
  /** What cannot be changed: the Python that is there. */
  always: Requirement[];
  /** What else is asked for; it counts where it leaves a way. */
  others: Requirement[];
}

/** How many builds are tried for one answer: nearly all need less than a thousand, and a few seconds is what anybody waits. */
export const patience = 20_000;

export function explainConflict(
  requirements: Requirement[],
  preferences: Preferences,
  { always, others }: Surroundings = { always: [], others: [] },
): Conflict {
  // Borrowing counts for what is possible; why not is told of what people would install.
  const find = (some: Requirement[], budget = { left: patience }) =>
    search(some, { ...preferences, budget }) ??
    (canBorrow(some, preferences) ? search(some, { ...preferences, mayBorrow: true, budget }) : undefined);
  // What was not found out in time may well be possible.
  const mayBe = (some: Requirement[]) => {
    const budget = { left: patience };
    return find(some, budget) !== undefined || budget.left < 0;
  };
  const asked = packagesIn(requirements, preferences);
  const core = strangers(requirements) ?? smallestConflict(requirements, mayBe);
  const without = (all: Requirement[], left: Requirement) => all.filter((each) => each !== left);
  const explained = core.map((requirement) => ({ requirement: requirement.text, ...explain(requirement, core, preferences) }));
  return {
    certainty: explained.some(({ isWorkedOut }) => isWorkedOut) || core.some(reachesBack) ? "likely" : "certain",
    requirements: explained.map(({ requirement, says, sources }) => ({ requirement, says, sources })),
    ways: core.flatMap((requirement) => {
      if (core.length < 2) return [];
      // Whatever else is left out, the rest of what clashes stays: the Python, too, which no line asks for.
      const kept = [...without(core, requirement), ...always];
      const rest = (all: Requirement[]) => [...without(all, requirement), ...kept.filter((each) => !all.includes(each))];
      const agreed = 0 < others.length ? search(rest(others), { ...preferences, budget: { left: patience } }) : undefined;
      const whole = agreed ?? find(rest(requirements));
      const found = whole ?? find(rest(core));
      if (!found || found.chosen.size === 0) return [];
      // There is more that clashes: who has that machine is not to think that this runs on it.
      const passed = whole ? [] : requirements.filter((each) => isOfMachine(each) && !core.includes(each)).map(({ text }) => text);
      const aside = passed.length === 0 ? "" : `; whether with ${passed.join(" and ")} is another question`;
      return [{ without: requirement.text, possible: `${inShort(found, asked)}${aside}` }];
    }),
  };
}

const isOfMachine = ({ wish }: Requirement): boolean => wish.kind === "driver" || wish.kind === "gpu";

/** Releases that are older than the first known one might do. */
function reachesBack({ wish }: Requirement): boolean {
  const oldest = wish.kind === "package" ? releasesWithBuilds(wish.name).at(-1)?.version : undefined;
  return wish.kind === "package" && oldest !== undefined && letsOlderIn(wish.name, wish.specifier, oldest);
}

/** A driver and a GPU that never go together come first: what else is asked for makes no difference, and a driver that only does for that would be no help. */
function strangers(requirements: Requirement[]): Requirement[] | undefined {
  const driver = requirements.find(({ wish }) => wish.kind === "driver");
  const gpu = driver && requirements.find((each) => each.wish.kind === "gpu" && unknownToDriver(placeOf([driver, each])));
  return gpu ? requirements.filter((each) => each === driver || each === gpu) : undefined;
}

/** `torch 2.10.0 for CUDA 12.8, Python 3.14`: what was asked for, and the frameworks that it brings. */
export function inShort({ chosen, python, place }: Found, asked: string[]): string {
  const packages = [...chosen.values()]
    .filter(
      ({ package: name }) =>
        name !== "cuda-toolkit" && (asked.includes(name) || (!isAmong(name, allNames("parts")) && !isUponFrameworks(name))),
    )
    .map(({ package: name, version, cuda }) => `${name} ${version}${cuda && name !== "cuda" ? ` for CUDA ${cuda.version}` : ""}`);
  return [...packages, ...(place.pythons.length === 1 && packages.length === 0 ? [] : [`Python ${python}`])].join(", ");
}

function explain(
  requirement: Requirement,
  core: Requirement[],
  preferences: Preferences,
): Pick<Reason, "says" | "sources" | "isWorkedOut"> {
  const { wish } = requirement;
  const others = core.filter((each) => each !== requirement);
  switch (wish.kind) {
    case "driver": {
      const stranger = unknownToDriver(placeOf(core));
      if (stranger) return { ...stranger, says: `${stranger.says}; there is ${wish.version}` };
      const needed = [
        ...new Set(
          packagesIn(core, preferences).flatMap((name) =>
            domainOf(name, core, preferences).map(({ cuda }) => cuda?.version.split(".")[0] ?? ""),
          ),
        ),
      ];
      const floors = needed
        .filter((major) => major !== "")
        .sort((a, b) => Number(a) - Number(b))
        .flatMap((major) => {
          const floor = driverFloor(major);
          return floor && driverRuns(wish.version, major) === false ? [{ major, driver: floor.driver }] : [];
        });
      const sources = [...new Set(floors.flatMap(({ major }) => driverFloorSources(major)))];
      if (floors.length === 0) return { says: `driver ${wish.version} compiles no PTX of a newer CUDA than its own`, sources };
      return {
        says: `driver ${wish.version} is too old for ${floors.map(({ major, driver }) => `CUDA ${major} (needs ${driver} or newer)`).join(" and ")}`,
        sources,
      };
    }
    case "gpu": {
      const file = gpus();
      const row = file.gpus.find(({ sm }) => sm === wish.sm);
      return { says: `${wish.name} ${gpuSays(wish.sm)}`, sources: row ? sourcesOf(file, row, "sm") : [] };
    }
    case "python": {
      const { pythons } = placeOf([requirement]);
      return {
        says: pythons.length === 0 ? "no package here was ever built for such a Python" : `only Python ${spanOf(pythons)} will do`,
        sources: [],
      };
    }
    case "cuda":
    case "cudnn":
      if (preferences.librariesAlone) return explainPackage(wish.kind, core, others, preferences);
      if (wish.kind === "cudnn" && !cudnnReleases().some(({ version }) => isIn(version, wish.specifier)))
        return withoutWheel(wish.specifier);
      return { says: `only ${wish.kind === "cuda" ? "CUDA" : "cuDNN"} ${wish.specifier.replace(/^==/, "")} will do`, sources: [] };
    case "dependency":
      return { says: `only ${wish.name}${plainly(wish.specifier)} will do`, sources: [] };
    default:
      return explainPackage(wish.name, core, others, preferences);
  }
}

/** Nothing that pip could install is such a cuDNN, whoever takes it. */
function withoutWheel(specifier: string): Pick<Reason, "says" | "sources"> {
  const oldest = cudnnReleases().at(-1);
  return {
    says: `PyPI has no wheel of cuDNN ${specifier.replace(/^==/, "")}${oldest ? `: the oldest is ${oldest.version}` : ""}`,
    sources: ["the files of nvidia-cudnn-cu11, nvidia-cudnn-cu12 and nvidia-cudnn-cu13 on PyPI"],
  };
}

// What the builds that the requirement leaves need, as far as the others do not let it be.
function explainPackage(
  name: string,
  core: Requirement[],
  others: Requirement[],
  preferences: Preferences,
): Pick<Reason, "says" | "sources" | "isWorkedOut"> {
  const domain = domainOf(name, core, preferences);
  if (domain.length === 0) {
    const mine = core.flatMap(({ wish, text }) => (wish.kind === "package" && wish.name === name ? [{ ...wish, text }] : []));
    if (1 < mine.length) return { says: `no release of ${name} is within all of ${mine.map(({ text }) => text).join(", ")}`, sources: [] };
    const all = releasesWithBuilds(name);
    const release = all.find(({ version }) => isIn(version, mine[0]?.specifier ?? ""));
    const variants = all
      .filter(({ version }) => version === release?.version)
      .flatMap(({ builds }) => builds().map(({ variant }) => variant));
    if (0 < variants.length)
      return {
        says: `${name} ${release!.version} is there as ${variants.join(", ")}, and as nothing else`,
        sources: [`the files of ${name} on its indexes`],
      };
    const span = all.length === 0 ? "none" : `${all.at(-1)!.version} to ${all[0]!.version}`;
    return {
      says: `there is no such release of ${name} that was built for CUDA; known on ${publishedDay()} are ${span}`,
      sources: [`the files of ${name} on PyPI`],
    };
  }
  const place = placeOf(others, preferences);
  const witness = search(
    others.filter(({ wish }) => !(wish.kind === "package" && wish.name === name)),
    { ...preferences, budget: { left: patience } },
  );
  const reasons = domain.map((build) => ({ build, reason: whyNot(build, place, others, witness, preferences) }));
  const groups = new Map<string, { builds: Build[]; reason: Reason }>();
  for (const { build, reason } of reasons) {
    if (!reason) continue;
    const group = groups.get(reason.says) ?? { builds: [], reason };
    group.builds.push(build);
    groups.set(reason.says, group);
  }
  const shown = [...groups.values()].sort((a, b) => b.builds.length - a.builds.length).slice(0, 3);
  if (shown.length === 0) {
    // What is needed on some Pythons only, and is what another requirement speaks of.
    const spoken = new Set(others.flatMap(({ wish }) => (wish.kind === "dependency" ? [wish.name] : [])));
    const counts = ({ pythons }: Build, { extra, marker, name: needed }: Need) =>
      spoken.has(needed) && extra === undefined && (!marker || pythons.some(marker));
    const needs = domain.flatMap((build) => build.needs().filter((need) => counts(build, need)));
    const texts = [...new Set(needs.map((need) => `${need.name}${plainly(need.specifier)}`))];
    if (0 < texts.length && texts.length < 4)
      return { says: `${named(domain)} ${domain.length === 1 ? "needs" : "need"} ${texts.join(" or ")}`, sources: [needs[0]!.source] };
  }
  if (shown.length === 0)
    return {
      says: `${named(domain)} ${domain.length === 1 ? "does" : "do"} not go with all the others at once`,
      sources: [`the metadata of ${name} on PyPI`],
    };
  const says = shown.map(({ builds, reason }) => `${named(builds)} ${agreeing(reason.says, builds)}`).join("; ");
  const isWorkedOut = shown.some(({ reason }) => reason.isWorkedOut);
  return { says, sources: [...new Set(shown.flatMap(({ reason }) => reason.sources))], ...(isWorkedOut ? { isWorkedOut } : {}) };
}

function whyNot(
  build: Build,
  place: Place,
  others: Requirement[],
  witness: Found | undefined,
  preferences: Preferences,
): Reason | undefined {
  const alone = misfit(build, place);
  if (alone) return alone;
  for (const name of packagesIn(others, preferences)) {
    if (name === build.package) continue;
    const fitting = domainOf(name, others, preferences).filter((other) => misfit(other, place) === undefined);
    const first = fitting[0];
    const between =
      first && fitting.every((other) => disagreement(build, other, place.mayCollide) !== undefined)
        ? disagreement(build, first, place.mayCollide)
        : undefined;
    if (between) {
      const other = `${first!.package} ${first!.version}${labelOf(first!)}`;
      const { mine } = between;
      const says = between.other.isItself
        ? mine.says
        : mine.isItself
          ? `is not what ${other} takes: that ${between.other.says}`
          : `${mine.says}, but ${other} ${between.other.says}`;
      return { ...mine, says, sources: [...mine.sources, ...between.other.sources] };
    }
  }
  if (!witness) return undefined;
  const extended = extend(witness, build, place);
  return "kind" in extended ? extended : whyIncomplete(extended, place);
}

// Several releases are, need, have and bring.
function agreeing(says: string, builds: Build[]): string {
  if (builds[0]!.version === builds.at(-1)!.version) return says;
  return says.replace(/^(is|needs|has|brings)\b/, (verb) => ({ is: "are", needs: "need", has: "have", brings: "bring" })[verb]!);
}

/** `torch 2.4.0 to 2.6.0 for CUDA 12.1 and 12.4`. */
function named(builds: Build[]): string {
  const newest = builds[0]!;
  const oldest = builds.at(-1)!;
  const span = newest.version === oldest.version ? newest.version : `${oldest.version} to ${newest.version}`;
  // What holds only for builds of another index is not said of the one that PyPI has.
  const labels = [...new Set(builds.map(labelOf))];
  return `${newest.package} ${span}${labels.includes("") ? "" : labels.length === 1 ? labels[0] : ` (${labels.join(", ")})`}`;
}

const labelOf = ({ index, variant, package: name }: Build): string => (index && labelledFramework(name) ? `+${variant}` : "");
