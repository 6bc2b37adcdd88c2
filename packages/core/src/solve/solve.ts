import { beginsWith } from "../knowledge/dotted.ts";
import { knownBadOn } from "../knowledge/known-bad.ts";
import { isUponFrameworks, publishedDay } from "../knowledge/published.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { knowledgeDay } from "../knowledge/settled.ts";
import { driverFloor, driverFloorSources } from "../knowledge/toolkits.ts";
import { driverRuns, leastDriver, openModuleOnly } from "../knowledge/goes-together.ts";
import type { Answer, Solution } from "../model/solve.ts";
import { explainConflict, patience } from "./conflict.ts";
import { fitOf } from "../knowledge/gpu-code.ts";
import { torchName } from "../knowledge/built-for-torch.ts";
import { builtUponTorch, cudaDataValue, linesOf, pathFolders, pathValue } from "./lines.ts";
import type { Requirement } from "./requirement.ts";
import {
  buildsNamed,
  canBorrow,
  domainOf,
  newMemory,
  packagesIn,
  releasesWithBuilds,
  search,
  type Found,
  type Preferences,
} from "./search.ts";
import { isIn } from "../builds/specifier.ts";
import type { Need } from "../builds/build.ts";
import { allNames } from "../model/frameworks.ts";
import { misfit } from "./fit.ts";

export interface Question {
  requirements: Requirement[];
  unknown: Solution["unknown"];
  /** The Python of the environment that is active, and where that is. */
  environment?: { python: string; prefix: string };
  /** Versions to keep if they will do. */
  installed?: Map<string, string>;
}

/** Releases before the first that is known here may well be what is asked for: then nothing can be said, not that it cannot be. */
export function beforeAllKnown({ text, wish }: Requirement): string | undefined {
  if (wish.kind !== "package" || wish.specifier === "") return undefined;
  const releases = releasesWithBuilds(wish.name);
  const oldest = releases.at(-1)?.version;
  if (oldest === undefined || releases.some(({ version }) => isIn(version, wish.specifier))) return undefined;
  const named = [...wish.specifier.matchAll(/[\d][\w.]*/g)].map(([version]) => version.replace(/\.$/, ""));
  return named.every((version) => comparePythonVersions(version, oldest) < 0)
    ? `of ${wish.name} nothing before ${oldest} is known here, so \`${text}\` cannot be answered`
    : undefined;
}

/** The newest that fits together, or why nothing does. */
export function solve({ requirements, unknown, environment, installed }: Question): Solution {
  const librariesAlone = !requirements.some(({ wish }) => wish.kind === "package");
  const preferences: Preferences = {
    memory: newMemory(),
    ...(librariesAlone ? { librariesAlone } : {}),
    ...(environment ? { python: environment.python } : {}),
    ...(installed ? { installed } : {}),
  };
  const solution: Solution = {
    schema: "culprit/solve@1",
    knowledge: knowledgeDay(),
    requirements: requirements.map(({ text, from }) => ({ requirement: text, from })),
    unknown,
    answers: [],
  };
  const asked = packagesIn(requirements, preferences);
  // What PyPI has can be had with one plain line; other indexes are worth it only for something newer.
  const own = findBest(requirements, preferences);
  // Where the libraries that each brings exclude each other, one may use those of the other.
  const { plain, any, isSpent } =
    own.any || !canBorrow(requirements, preferences) ? own : findBest(requirements, { ...preferences, mayBorrow: true });
  const isNewer = plain && any && any.age < plain.age;
  const describe = (found: Found, title: string, options: Preferences) =>
    describeAnswer(found, title, asked, requirements, options, environment, installed !== undefined);
  if (plain) solution.answers.push(describe(plain, "from PyPI", { ...preferences, onlyPypi: true }));
  if (any && (!plain || isNewer))
    solution.answers.push(describe(any, plain ? "newer, with another index" : "with another index", preferences));
  if (0 < solution.answers.length) return solution;
  if (own.isSpent || isSpent)
    solution.unknown.push({
      subject: "search",
      reason: "given up before it was known whether all of this fits together; a pin on one of them helps",
    });
  else solution.conflict = explainConflict(requirements, preferences);
  return solution;
}

interface Best {
  plain?: Found | undefined;
  any?: Found | undefined;
  /** The looking was given up: that nothing was found says nothing. */
  isSpent: boolean;
}

function findBest(requirements: Requirement[], preferences: Preferences): Best {
  const budgets = [{ left: patience }, { left: patience }] as const;
  const plain = search(requirements, { ...preferences, onlyPypi: true, budget: budgets[0] });
  const any = plain?.age === 0 ? plain : (search(requirements, { ...preferences, budget: budgets[1] }) ?? plain);
  return { plain, any, isSpent: budgets.some(({ left }) => left < 0) };
}

function describeAnswer(
  found: Found,
  title: string,
  asked: string[],
  requirements: Requirement[],
  preferences: Preferences,
  environment: Question["environment"],
  keeps: boolean,
): Answer {
  const { chosen, bounds, libraries, place, python } = found;
  // As they were asked for; then the frameworks and libraries that they bring.
  const brought = [...chosen.values()].filter(({ package: name, cuda }) => !asked.includes(name) && (cuda || !isUponFrameworks(name)));
  const builds = [...asked.map((name) => chosen.get(name)!), ...brought];
  const doubts = new Set(builds.filter(({ package: name }) => name !== "cuda-toolkit").flatMap((build) => doubtsOf(build, place)));
  const sources = new Set<string>();
  for (const { package: name, version, cuda, architectures } of builds) {
    if (!cuda) continue;
    if (cuda.isWorkedOut) doubts.add(`whether ${name} ${version} is built for CUDA ${cuda.version}, as the wheels that it brings`);
    const floor = driverFloor(cuda.version);
    if (floor && !floor.certain) doubts.add(`the least driver for CUDA ${cuda.version}`);
    for (const source of [cuda.source, ...driverFloorSources(cuda.version)]) sources.add(source);
    if (architectures && 0 < place.gpus.length) sources.add(architectures.source);
  }
  const least = leastDriver(
    builds.map(({ cuda, architectures }) => ({ cuda: cuda?.version, architectures: architectures?.list })),
    place.gpus.map(({ sm }) => sm),
  )?.driver;
  for (const { sm, name } of place.gpus) {
    const first = leastDriver([], [sm]);
    if (place.driver === undefined && first && !first.certain && first.driver === least) doubts.add(`the first driver for ${name}`);
  }
  for (const { package: name, version, borrows } of builds)
    if (borrows) doubts.add(`whether ${name} ${version} does well with libraries that it was not released with`);
  const majors = [...new Set(builds.flatMap(({ cuda }) => cuda?.version.split(".")[0] ?? []))];
  if (1 < majors.length) doubts.add(`whether CUDA ${majors.join(" and ")} do well side by side in one process`);
  if (place.driver !== undefined && least !== undefined && beginsWith(least, place.driver) && place.driver !== least)
    doubts.add(`whether driver ${place.driver} is ${least} or newer`);
  for (const { wish } of requirements) if (wish.kind === "gpu" && !wish.certain) doubts.add(`the architecture of ${wish.name}`);
  if ((place.driver !== undefined || 0 < place.gpus.length) && !builds.some(({ cuda }) => cuda))
    doubts.add(`which CUDA ${asked.map((name) => chosen.get(name)!.install).join(", ")} would use`);
  const isHere = environment?.python === python;
  const notes = notesOf(found, environment);
  return {
    title,
    certainty: doubts.size === 0 ? "certain" : "likely",
    python,
    driver: { least: least ?? "", ...(place.driver === undefined ? {} : { given: place.driver }) },
    gpus: place.gpus.map(({ name }) => name),
    packages: builds
      .filter(({ package: name }) => name !== "cuda-toolkit")
      .map(({ package: name, version, cuda, index }) => {
        const alone =
          asked.includes(name) && 1 < asked.length && !keeps ? aloneVersion(name, version, requirements, preferences) : undefined;
        return {
          name,
          version,
          ...(cuda ? { cuda: cuda.version } : {}),
          ...(index ? { index: index.url } : {}),
          ...(alone === undefined || alone === version ? {} : { alone }),
        };
      }),
    libraries: [...libraries.versions].map(([name, version]) => ({ name, version, because: becauseOf(name, found) })),
    settings: settingsOf(found),
    lines: linesOf(found, asked, isHere),
    notes,
    doubts: [...doubts],
    sources: [`the files and metadata on PyPI as of ${publishedDay()}`, ...sources].filter((source) => source !== ""),
  };

  function becauseOf(name: string, { place: where }: Found): string {
    const all = bounds.get(name) ?? [];
    const exact = all.find(({ specifier }) => /^==[^*]+$/.test(specifier));
    if (exact) return `${exact.by} pins it`;
    const by = [...new Set(all.map((bound) => `${bound.by} needs ${bound.specifier === "" ? "one" : bound.specifier}`))].join("; ");
    const ours = all.find(({ need }) => need?.because !== undefined)?.need?.because;
    const limit =
      libraries.pinned.has(name) && 0 < where.gpus.length && /cudnn/.test(name) ? ", and newer ones leave this GPU out or do not fit" : "";
    return `${ours ?? by}${limit}`;
  }
}

function doubtsOf(
  { doubts, architectures, package: name, version, variant, cuda, needs }: Found["chosen"] extends Map<string, infer B> ? B : never,
  place: Found["place"],
): string[] {
  // What is not known of architectures does not matter where no GPU was named.
  const counted = doubts.filter((doubt) => 0 < place.gpus.length || !doubt.startsWith("the architectures"));
  const hasKernels = cuda !== undefined || (!isCompanion(name) && needs().some(isOneTorch));
  const isBlind = 0 < place.gpus.length && !architectures && hasKernels && buildsNamed(name)?.compilesKernels === undefined;
  const built = variant === "" ? "" : ` (${variant})`;
  const compiled = place.gpus.filter(({ sm }) => architectures && fitOf(sm, architectures.list) === "ptx");
  return [
    ...counted,
    ...(isBlind ? [`whether ${name} ${version}${built} has kernels for this GPU`] : []),
    ...compiled.map((gpu) => `whether ${name} ${version} does well on ${gpu.name}, for which it has PTX only`),
  ];
}

/** What asks for one torch alone was compiled for it, and has kernels of its own; torch's companions have those for the GPUs of torch. */
const isOneTorch = ({ name, specifier }: Need) => name === torchName && /^==[^*]+$/.test(specifier);
const isCompanion = (name: string) => allNames("companions").includes(name);

function aloneVersion(name: string, version: string, requirements: Requirement[], preferences: Preferences): string | undefined {
  // What is already the newest that its own requirements leave could not be newer alone.
  const newest = domainOf(name, requirements, preferences)[0];
  if (newest?.version === version) return undefined;
  const mine = requirements.filter(({ wish }) => (wish.kind === "package" ? wish.name === name : wish.kind !== "dependency"));
  return search(mine, preferences)?.chosen.get(name)?.version;
}

function settingsOf(found: Found): Answer["settings"] {
  const builds = [...found.chosen.values()];
  const blind = builds.filter(({ onPath }) => 0 < onPath().length);
  const settings: Answer["settings"] = [];
  if (0 < pathFolders(found).length)
    settings.push({
      name: "LD_LIBRARY_PATH",
      value: pathValue,
      because: `${blind.map(({ package: name, version }) => `${name} ${version}`).join(" and ")} does not look into NVIDIA's wheels by itself: the loader has to be told where ${blind[0]!.onPath().slice(0, 3).join(", ")} and the others are`,
    });
  if (builds.some(({ needsCudaData }) => needsCudaData))
    settings.push({ name: "XLA_FLAGS", value: cudaDataValue, because: "XLA looks for ptxas and libdevice there" });
  return settings;
}

/** Frameworks that others bring in their build for the processor, where an extra would bring CUDA. */
const broughtWithoutCuda = ({ chosen, place }: Found): string[] =>
  [...chosen.values()].flatMap(({ package: name, version, cuda }) => {
    if (cuda || !buildsNamed(name)) return [];
    const builds =
      releasesWithBuilds(name)
        .find((release) => release.version === version)
        ?.builds() ?? [];
    const fitting = builds.find((build) => build.cuda && !build.index && misfit(build, place) === undefined);
    if (builds.length === 0) return [];
    return [`${name} ${version} comes without CUDA here${fitting ? `: ask for "${fitting.install}" as well` : ""}.`];
  });

function compiledNotes(found: Found): string[] {
  const torch = found.chosen.get(torchName);
  const toolkit = torch?.cuda === undefined ? "" : ` of CUDA ${torch.cuda.version}`;
  return builtUponTorch(found).map(
    ({ package: name, version }) =>
      `${name} ${version} comes as source, and is compiled for ${torchName} ${torch?.version ?? ""} where it is installed: that takes nvcc${toolkit}.`,
  );
}

const heldBackWords = ({ name, specifier, because }: Need): string =>
  `${name === "numpy" ? "NumPy" : name} stays below ${specifier.replace(/^<=?/, "")}: ${because}.`;

function notesOf(found: Found, environment: Question["environment"]): string[] {
  const { chosen, place, python, bounds } = found;
  const notes: string[] = [...compiledNotes(found)];
  for (const { package: name, version, architectures } of chosen.values()) {
    if (!architectures) continue;
    for (const gpu of place.gpus) {
      const defect = knownBadOn(name, version, gpu.sm);
      if (defect) notes.push(`${name} ${version} on ${gpu.name}: ${defect.says}.`);
      else if (fitOf(gpu.sm, architectures.list) === "ptx")
        notes.push(
          `${name} ${version} has no kernels for ${gpu.name} (${gpu.sm}): the driver compiles them from PTX when they are first used, which can take minutes.`,
        );
    }
  }
  for (const [name, all] of bounds)
    for (const { need } of all)
      if (need?.because !== undefined && need.specifier.startsWith("<") && !chosen.has(name)) notes.push(heldBackWords(need));
  for (const { package: name, borrows } of chosen.values())
    if (borrows)
      notes.push(
        `${name} is installed without its extra [and-cuda], whose versions the others exclude: it finds and uses their libraries.`,
      );
  for (const gpu of place.gpus) if (openModuleOnly(gpu.sm)) notes.push(`${gpu.name} needs the open flavor of the driver's kernel module.`);
  notes.push(...broughtWithoutCuda(found));
  for (const build of chosen.values()) notes.push(...[buildsNamed(build.package)?.note?.(build) ?? []].flat());
  if (environment && environment.python !== python)
    notes.push(`Not for ${environment.prefix}, which has Python ${environment.python}: make a new environment with Python ${python}.`);
  for (const url of new Set([...chosen.values()].flatMap(({ index }) => index?.url ?? [])))
    notes.push(`Not tried: ${url} was not asked. What it has is known from release notes and public lock files.`);
  const { driver } = place;
  if (driver !== undefined)
    for (const { package: name, version, cuda } of chosen.values())
      if (cuda && !cuda.version.includes(".") && driverRuns(driver, cuda.version) === false)
        notes.push(`${name} ${version} may need a newer driver.`);
  return [...new Set(notes)];
}
