import { ownFacts, ownLibraries, type OwnLibraries } from "../../diagnose/own-libraries.ts";
import { wantedFact } from "../../diagnose/facts.ts";
import { pipAdvice } from "../../diagnose/pip.ts";
import { goneWords } from "../../diagnose/search-paths.ts";
import { libraryOf } from "../../knowledge/libraries.ts";
import { placeholdersOf, versionWithin } from "../../knowledge/published.ts";
import { cudaMajorAmong, supplyOf, systemSupply, type Supply } from "../../knowledge/suppliers.ts";
import { folderOf, nameOf } from "../../lib/path.ts";
import type { Advice, PackageFact } from "../../model/finding.ts";
import { namesOf } from "../../model/frameworks.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Run, Stack, Stop } from "../../diagnose/stack.ts";
import { copiesOf, cudaMajorOf, fileWords, isInstalled, stopName, triedWords, unique, withFolders } from "../../diagnose/words.ts";

export default machineSide(page, {
  absence: true,
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    if (failed.reason !== "not-found" || stop.failure.refusal?.kind === "version") return undefined;
    const name = nameOf(failed.name);
    const missing = [name, ...(stop.others ?? [])].filter((each) => !isInstalled(stack, each));
    const all = missing.length === 0 ? [name] : missing;
    const own = ownLibraries(stack, run, stop.program, name);
    // What the search did look at failed for another reason.
    const elsewhere = copiesOf(stack, name).find(({ file, names }) => ![file, ...names].some((path) => failed.tried.includes(path)));
    const supplies = suppliesOf(stack, run, stop, all);
    const wheels = unique(supplies.flatMap(({ wheel }) => (wheel ? [requirementOf(wheel, 1 < all.length)] : [])));
    const prefix = run.environment?.prefix;
    const packages = own && prefix !== undefined ? ownFacts(own, prefix) : 1 < all.length ? wheelFacts(supplies, prefix) : [];
    return {
      specificity: 1,
      subject: all[0]!,
      ...saying(all, stopName(run, stop), missing.length === 0 && elsewhere ? own : undefined),
      because: [
        ...(3 < all.length ? [`missing are ${all.join(", ")}`] : []),
        elsewhere
          ? `${name} is there, at ${fileWords(stack, elsewhere.file)}, but nothing leads to it, and it is not enough`
          : `${failed.requestedBy} asks for ${all.length === 1 ? "it" : "them"}`,
        ...goneWords(run, failed.requestedBy),
        ...(own ? [whyNotThere(own)] : []),
      ],
      evidence: [failed.message, ...triedWords(failed)],
      advice: otherRelease(stack, run, stop) ?? adviceFor(stack, run, stop, { own, supplies, wheels, name }),
      facts: { wanted: { ...wantedFact(failed), ...(1 < all.length ? { others: all.slice(1) } : {}) }, packages },
    };
  },
});

/** `tooFew`: what was asked for first is there, but not what the framework asks for beside it. */
function saying(all: string[], who: string, tooFew: OwnLibraries | undefined): { short: string; message: string } {
  const [first] = all as [string];
  if (tooFew)
    return {
      short: "its NVIDIA libraries are not installed",
      message: `${who} needs NVIDIA's wheels, and ${tooFew.wheels.length} of them are not installed`,
    };
  return all.length === 1
    ? { short: `${first} is not installed`, message: `${first} is not installed, and ${who} needs it` }
    : {
        short: `${first} and ${all.length === 2 ? all[1] : `${all.length - 1} more libraries`} are not installed`,
        message: `${who} needs ${all.length} libraries that are not installed: ${shortened(all)}`,
      };
}

interface Missing {
  own: OwnLibraries | undefined;
  supplies: Supply[];
  wheels: string[];
  name: string;
}

function adviceFor(stack: Stack, run: Run, stop: Stop, { own, supplies, wheels, name }: Missing): Advice[] {
  if (own) return [pipAdvice(run.environment, "install it with its own libraries", "install", ...own.words)];
  return run.environment ? inEnvironment(run, stop, supplies, wheels, name) : forProgram(stack, stop, supplies, wheels, name);
}

/** Where the library is there in another major: a release of the program that is for that one. */
function otherRelease({ inventory }: Stack, { environment }: Run, { failure }: Stop): Advice[] | undefined {
  const asker = namesOf(failure.requestedBy);
  const library = libraryOf(nameOf((failure.underlying ?? failure).name))?.id;
  const own = inventory.copies.filter(({ file, stub }) => !stub && environment?.sites.some((site) => file.startsWith(`${site}/nvidia/`)));
  const there = own.find((copy) => copy.library === library && copy.version !== undefined);
  const fitting = asker?.releasesFor?.find((each) => each.library === library && each.major === there?.version?.split(".")[0]);
  if (!asker || !fitting || !there) return undefined;
  return [
    pipAdvice(
      environment,
      `install a release of it for the ${libraryOf(nameOf(there.file))?.name} ${fitting.major} that is there`,
      "install",
      `${asker.packages[0]}${fitting.releases}`,
    ),
    { ...withFolders(unique(own.map(({ file }) => folderOf(file)))), words: "and for the command" },
  ];
}

const shortened = (names: string[]) =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;

function suppliesOf(stack: Stack, run: Run, { program }: Stop, names: string[]): Supply[] {
  const { compiledFor = {} } = run.programs.find(({ id }) => id === program) ?? {};
  const major = cudaMajorOf(run, program);
  const cuda = compiledFor["cuda"]?.version ?? cudaMajorAmong(names) ?? (major === undefined ? undefined : String(major));
  const driver = stack.inventory.driver.kernel;
  const built = compiledFor["cudnn"]?.version.split(".");
  return names.map((name): Supply => {
    // ptxas is a program: its wheel lists no library by which it could be found.
    if (name === "ptxas") return { wheel: { name: `nvidia-cuda-nvcc${major === 13 ? "" : `-cu${major}`}`, specifier: "" } };
    const supply = supplyOf(name, { ...(cuda === undefined ? {} : { cuda }), ...(driver === undefined ? {} : { driver }) });
    // Of cuDNN no older minor will do than the one of the build; headers of another major say nothing of this one.
    if (!supply.wheel || built?.[1] === undefined || name !== `libcudnn.so.${built[0]}`) return supply;
    return { ...supply, wheel: { ...supply.wheel, specifier: `>=${built[0]}.${built[1]},<${Number(built[0]) + 1}` } };
  });
}

/** Of some wheels the release that sorts highest holds nothing, and pip would take it. */
function requirementOf({ name, specifier }: NonNullable<Supply["wheel"]>, isExact: boolean): string {
  const version = isExact || 0 < placeholdersOf(name).length ? versionWithin(name, specifier) : undefined;
  return `${name}${version === undefined ? specifier : `==${version}`}`;
}

const wheelFacts = (supplies: Supply[], environment: string | undefined): PackageFact[] => {
  const wheels = new Map(supplies.flatMap(({ wheel }) => (wheel ? [[wheel.name, wheel.specifier] as const] : [])));
  if (environment === undefined || supplies.some(({ wheel }) => !wheel)) return [];
  return [...wheels].map(([name, wants]) => ({ role: "install", name, wants, environment }));
};

function whyNotThere({ by, extras, wheels }: OwnLibraries): string {
  const [first] = wheels;
  const what = wheels.length === 1 ? `the wheel ${first!.name}, which is not` : `${wheels.length} of NVIDIA's wheels that are not`;
  const when = extras.length === 0 ? "" : `, but only with its extra [${extras.join(",")}]`;
  return `${by.name} ${by.version} asks for ${what} installed${when}`;
}

function inEnvironment(run: Run, { program }: Stop, supplies: Supply[], wheels: string[], name: string): Advice[] {
  const site = run.environment?.sites[0];
  const folders = unique(supplies.flatMap(({ wheel }) => wheel?.folder ?? []));
  const { lacks = [] } = run.programs.find(({ id }) => id === program) ?? {};
  // Most likely one of these brings it.
  if (wheels.length === 0 && 0 < lacks.length)
    return [pipAdvice(run.environment, "install what it asks for and is missing", "install", ...lacks)];
  const debian = aptOf(supplies);
  return [
    ...(0 < wheels.length
      ? [
          pipAdvice(
            run.environment,
            `install the ${wheels.length === 1 ? "wheel that brings it" : "wheels that bring them"}`,
            "install",
            ...wheels,
          ),
        ]
      : []),
    ...(namesOf(program)?.needsPath && site !== undefined && 0 < folders.length
      ? [{ ...withFolders(folders.map((folder) => `${site}/${folder}`)), words: "and for the command" }]
      : []),
    ...(0 < debian.length ? [apt(debian, `${0 < wheels.length ? "or, " : ""}for the whole system`)] : []),
    ...(wheels.length === 0 && debian.length === 0 ? [outside(name)] : []),
  ];
}

const outside = (name: string): Advice => {
  const system = systemSupply(name);
  return system
    ? apt(
        [system.apt],
        `install ${system.what} for the whole system${system.isOfRelease ? ", in a release that it has a library for" : ""}`,
      )
    : { words: `install the package that brings ${name}` };
};

/** A program of one's own: it looks where the system's packages put things, and into no wheel by itself. */
function forProgram({ variables }: Stack, { program }: Stop, supplies: Supply[], wheels: string[], name: string): Advice[] {
  const debian = aptOf(supplies);
  const folders = unique(supplies.flatMap(({ wheel }) => wheel?.folder ?? []));
  const it = supplies.length === 1 ? "it" : "them";
  const home = variables["HOME"];
  const target = `${home?.startsWith("/") ? home : folderOf(program)}/cuda-libraries`;
  return [
    ...(0 < debian.length ? [apt(debian, `install ${it} from NVIDIA's repository, for the whole system`)] : []),
    ...(supplies.every(({ wheel }) => wheel?.folder !== undefined)
      ? [
          {
            words: `${0 < debian.length ? "or " : ""}bring ${it} with pip into a folder of ${supplies.length === 1 ? "its" : "their"} own`,
            command: ["python3", "-m", "pip", "install", "--target", target, ...wheels],
            scope: "install" as const,
          },
          { ...withFolders(folders.map((folder) => `${target}/${folder}`)), words: "and for the command" },
        ]
      : []),
    ...(debian.length === 0 && wheels.length === 0 ? [{ words: `install the package that brings ${name}` }] : []),
  ];
}

const aptOf = (supplies: Supply[]) =>
  supplies.every(({ apt: name }) => name !== undefined) ? unique(supplies.flatMap(({ apt: name }) => name ?? [])) : [];

const apt = (names: string[], words: string): Advice => ({ words, command: ["sudo", "apt", "install", ...names], scope: "install" });
