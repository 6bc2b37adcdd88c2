// Which release and which build conda would take: from what its channels have, in the order in which they are named.
import { isPlainlyIn, isIn } from "../builds/specifier.ts";
import { pythonsOf } from "../builds/build.ts";
import { condaBuilds, condaPackages } from "../knowledge/conda.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import type { CondaNames } from "../model/framework-names.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { isAmong } from "../model/frameworks.ts";
import type { CondaBuild } from "../model/knowledge.ts";
import type { DeclaredPackage, Install } from "../model/dependency-file.ts";
import { hasNoFrameworks, minorOf } from "./conda.ts";

/** What conda would take of a package. */
export interface CondaChoice {
  version: string;
  channel: string;
  /** The CUDAs that the build may be for, and whether it may be one without. */
  cuda: string[];
  withoutCuda: boolean;
  /** There may be builds with CUDA of which it is not known which. */
  mayHaveOthers: boolean;
  /** With CUDA only where there is a driver when it is installed. */
  needsDriver: boolean;
  /** No version is named: it is the newest that fits. */
  isNewest: boolean;
}

/** What an environment of conda asks for. */
interface Asking {
  step: Install;
  /** What of it the step names. */
  named: DeclaredPackage[];
  /** The same, and what earlier steps named. */
  there: (name: string) => DeclaredPackage | undefined;
  python: string | undefined;
}

type Answer = { choice: CondaChoice } | { reason: string };

/**
 * For each package of a step that has builds with and without CUDA: what conda would take, or why that cannot be told. The last is its name, or
 * that of the framework which it brings along.
 */
export function condaChoices(asking: Asking): [asked: DeclaredPackage, answer: Answer, name: string][] {
  const answers: [DeclaredPackage, Answer, string][] = [];
  for (const family of families()) {
    const members = asking.named.filter(({ name }) => namesIn(family).includes(name));
    if (members.length === 0) continue;
    const answer = chosen(asking, family, members);
    for (const member of members)
      answers.push([
        member,
        isFollower(family, member) ? followed(member, family, answer, followerChannel(asking, family, members)) : answer,
        member.name,
      ]);
    const [first] = members;
    if (first && members.every((member) => isFollower(family, member)) && !asking.there(family.package))
      answers.push([first, answer, family.package]);
  }
  return answers;
}

const alone = (name: string): CondaNames => ({ package: name, withGpu: [], withoutGpu: [], choosesNone: [], follow: [], upon: [] });

/** Packages that decide about one another. */
function families(): CondaNames[] {
  const known = frameworkNames.flatMap(({ condaBuilds: names }) => names ?? []);
  return [...known, ...condaPackages().flatMap((name) => (known.some((each) => each.package === name) ? [] : [alone(name)]))];
}

const namesIn = (family: CondaNames) => [family.package, ...family.withGpu, ...family.withoutGpu, ...family.follow];

const isFollower = (family: CondaNames, { name }: DeclaredPackage) => family.follow.includes(name);

/** What is made for one release of a framework comes in the release that was made for the one that is taken. */
function followed(member: DeclaredPackage, family: CondaNames, answer: Answer, usual: string | undefined): Answer {
  if ("reason" in answer) return answer;
  const { version, channel } = answer.choice;
  // Each channel builds them with its own (github:conda-forge/torchvision-feedstock:recipe/meta.yaml; github:pytorch/builder).
  const from = member.channel ?? usual;
  if (from !== undefined && from !== channel)
    return {
      reason: `${member.name} of ${from} is built with that channel's own ${family.package}, and here ${family.package} comes from ${channel}: whether the two go together is not known here`,
    };
  const releases = publishedPackage(member.name)?.releases ?? [];
  const fitting = releases.findLast(
    (release) =>
      isIn(release.version, member.specifier) &&
      requirementsOn(distributionOf(family), release.requires).some((specifier) => isIn(version, specifier)),
  );
  const own = /^==(\d+\.\d+\.\d+)(?:\.\*)?$/.exec(member.specifier)?.[1] ?? fitting?.version;
  return own === undefined
    ? { reason: `which ${member.name} goes with ${family.package} ${version} is not known here` }
    : { choice: { ...answer.choice, version: own, isNewest: !member.specifier.startsWith("==") } };
}

/** Where conda looks first for what names no channel, beside a framework that names one. */
const followerChannel = ({ step }: Asking, family: CondaNames, members: DeclaredPackage[]): string | undefined =>
  members.some((member) => !isFollower(family, member) && member.channel !== undefined) && step.channels !== undefined
    ? channelsOf(step, family, [])[0]
    : undefined;

/** The name on PyPI that its packages ask for. */
const distributionOf = (family: CondaNames): string =>
  frameworkNames.find(({ condaBuilds: names }) => names === family)?.conda?.[family.package] ?? family.package;

function requirementsOn(name: string, requires: string[] = []): string[] {
  return requires.flatMap((text) => {
    const read = parseRequirement(text);
    return "problem" in read || normalName(read.name) !== name || text.includes("extra ==") ? [] : [read.specifier];
  });
}

function chosen(asking: Asking, family: CondaNames, members: DeclaredPackage[]): Answer {
  const exact = exactBuild(members, family);
  if (exact) return exact;
  const channels = channelsOf(asking.step, family, members);
  if (channels.length === 0) return fromEither(asking, family, members);
  return fromChannels(channels, asking, family, members);
}

/** Without a channel it goes by how conda is set up: where both usual ways give the same release, that is told. */
function fromEither(asking: Asking, family: CondaNames, members: DeclaredPackage[]): Answer {
  const [one, other] = ["defaults", "conda-forge"].map((channel) => fromChannels([channel], asking, family, members)) as [Answer, Answer];
  if ("choice" in one && "choice" in other && one.choice.version === other.choice.version)
    return {
      choice: {
        ...one.choice,
        channel: "defaults or conda-forge",
        cuda: [...new Set([...one.choice.cuda, ...other.choice.cuda])],
        withoutCuda: one.choice.withoutCuda || other.choice.withoutCuda,
        mayHaveOthers: one.choice.mayHaveOthers || other.choice.mayHaveOthers,
        needsDriver: one.choice.needsDriver || other.choice.needsDriver,
      },
    };
  return { reason: "it goes by the channels that conda is set up with, and none is named here" };
}

/** The channels that may have it, first the one that conda prefers; those that have no frameworks do not count. */
function channelsOf({ channels = [] }: Install, family: CondaNames, members: DeclaredPackage[]): string[] {
  const main = members.filter((member) => !isFollower(family, member));
  const own = (0 < main.length ? main : members).flatMap(({ channel }) => channel ?? []);
  if (0 < own.length) return [...new Set(own)];
  const all = channels.filter((channel) => !hasNone(channel, family));
  if (all.length === 0 && channels.length === 0) return [];
  // What conda is set up with comes behind what is named.
  return [...new Set([...all, ...(channels.includes("nodefaults") ? [] : ["defaults"])])];
}

/** Whether a channel is known to have nothing of it. */
const hasNone = (channel: string, family: CondaNames): boolean =>
  isFramework(family) ? hasNoFrameworks(channel) : /^(?:nvidia(?:\/.*)?|bioconda|r|nodefaults)$/.test(channel);

const isFramework = (family: CondaNames) => frameworkNames.some(({ condaBuilds: names }) => names === family);

/** The first channel that has what is asked for; conda looks into the next one only where it finds no way with it. */
function fromChannels(channels: string[], asking: Asking, family: CondaNames, members: DeclaredPackage[]): Answer {
  for (const channel of channels) {
    const rows = condaBuilds(family.package, channel);
    if (rows.length === 0 && !(isFramework(family) && known.has(channel)))
      return { reason: `what the channel ${channel} has is not known here` };
    const fitting = fittingRows(rows, asking, family, members);
    if ("reason" in fitting) return fitting;
    const row = fitting.rows.at(-1);
    if (row) return { choice: ofRow(row, asking, family, members) };
    const own = members.filter((member) => !isFollower(family, member));
    if (0 < rows.length && !(isFramework(family) && isTold(rows, own)))
      return { reason: `not all that the channel ${channel} has is known here` };
  }
  return { reason: `none of the channels is known to have it for this Python and CUDA (${channels.join(", ")})` };
}

/** Channels of which is known what they have of these packages. */
const known = new Set(["pytorch", "conda-forge", "defaults"]);

/** Whether what is not among the rows of a channel is not there: releases between the first and the last one that is known. */
function isTold(rows: CondaBuild[], members: DeclaredPackage[]): boolean {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const isEnded = last.channel === "pytorch";
  return members.every(({ specifier }) => {
    const wanted = /^(?:==|>=|~=|>)(\d+(?:\.\d+)*)/.exec(specifier)?.[1];
    if (wanted === undefined) return true;
    const isAfter = isPlainlyIn(last.version, `<${wanted}`) === true;
    const isBefore = isPlainlyIn(first.version, `>${wanted}`) === true && specifier.startsWith("==");
    return isAfter ? isEnded : !isBefore;
  });
}

/** The releases of a channel that all that is written lets in, oldest first. */
function fittingRows(
  all: CondaBuild[],
  asking: Asking,
  family: CondaNames,
  members: DeclaredPackage[],
): { rows: CondaBuild[] } | { reason: string } {
  const own = members.filter((member) => !isFollower(family, member));
  const written = all.filter(
    (row) =>
      own.every(({ specifier }) => isIn(row.version, specifier)) &&
      isForPython(row, distributionOf(family), asking.python) &&
      (0 < cudasOf(row, asking, family, members).length || mayBeWithout(row, asking, family, members)),
  );
  const beside = asking.named.filter(
    ({ name }) => isFollowing(family, name) || (isAmong(name, family.upon) && !choosers.has(name) && !namesIn(family).includes(name)),
  );
  const rows = written.filter((row) => beside.every((each) => goesWith(each, row, family) !== false));
  // conda-forge builds one release of these for several of the framework.
  const left = rows.length === 0 && all[0]?.channel === "conda-forge" ? written : rows;
  const open = beside.find((each) => left.some((row) => goesWith(each, row, family) === undefined));
  // What is made for a release is made for its minor.
  if (open && 1 < new Set(left.map(({ version }) => version.split(".").slice(0, 2).join("."))).size)
    return { reason: `${open.name} has a say in which release it is, and what it asks for is not known here` };
  return { rows: left };
}

const isFollowing = (family: CondaNames, name: string) => family.follow.includes(name);

/** Packages that choose a build, and have no say in the release. */
const choosers = new Set(["pytorch-cuda", "pytorch-mutex", "torchtriton", "tensorflow-estimator", "tensorflow-base"]);

const isForPython = ({ pythons, version }: CondaBuild, distribution: string, python: string | undefined): boolean => {
  if (python === undefined) return true;
  const release = publishedPackage(distribution)?.releases.find((each) => each.version === version);
  const served = pythons ?? (release && pythonsOf(release));
  return served === undefined || served.includes(python);
};

/** Packages that are made for one release of what is asked for, and are asked for in releases that were made for none of these. */
export function madeForOthers({ named, asked, rows }: { named: DeclaredPackage[]; asked: string; rows: CondaBuild[] }): DeclaredPackage[] {
  const family = families().find((each) => each.package === asked);
  if (!family || rows.length === 0) return [];
  return named.filter((each) => isFollower(family, each) && rows.every((row) => goesWith(each, row, family) === false));
}

/** Whether a release of another package that is asked for was made for this one; undefined where nobody knows. */
function goesWith({ name, specifier }: DeclaredPackage, row: CondaBuild, family: CondaNames): boolean | undefined {
  const releases = publishedPackage(normalName(name))?.releases;
  if (!releases) return undefined;
  // Conda has numbers that PyPI has not: torchvision 0.15.0.
  const minor = /^==(\d+\.\d+)\.\d+(?:\.\*)?$/.exec(specifier)?.[1];
  const asked = releases.filter(({ version }) => isIn(version, specifier) || (minor !== undefined && isIn(version, `==${minor}.*`)));
  if (asked.length === 0) return undefined;
  return asked.some(({ requires }) =>
    requirementsOn(distributionOf(family), requires).every((wanted) => isIn(row.version, wanted.replace(/^==(\d+\.\d+)\.\d+$/, "==$1.*"))),
  );
}

/** What a build's name says of CUDA: `py3.9_cuda11.3_cudnn8.2.0_0`, `cuda112py39h_0`, `cpu_generic_py311h_1`, `*cuda*`. */
function saidByBuild(build: string | undefined): { cuda?: RegExp; isWithout?: true; isWith?: true } {
  if (build === undefined) return {};
  const [, digits, rest] = /cuda_?(\d+(?:\.\d+)?)(\*?)/.exec(build) ?? [];
  // `cuda12*` leaves the minor open, `cuda92py36h_0` does not.
  const isMajor = digits !== undefined && /^1\d$/.test(digits) && rest === "*";
  if (digits !== undefined) return { cuda: asCuda(isMajor ? `${digits}.` : digits), isWith: true };
  if (/cuda|gpu/.test(build)) return { isWith: true };
  return /cpu|mkl|eigen/.test(build) ? { isWithout: true } : {};
}

/** `11.8`, `118` and `12.` for any minor. */
const asCuda = (text: string): RegExp => {
  const [, major, minor] = /^(\d+)\.(\d*)$/.exec(text) ?? /^(\d{1,2})(\d)$/.exec(text) ?? ["", text, ""];
  return new RegExp(`^${major}\\.${minor === "" ? "\\d+" : minor}$`);
};

const isWhole = (build: string) => !build.includes("*");

/** The CUDA that the name of a whole build tells: `py3.8_cuda11.1_cudnn8.0.5_0`, `cuda112py310he87a039_0`. */
function cudaOfBuild(build: string): string | undefined {
  const [, digits] = /cuda_?(\d+(?:\.\d+)?)/.exec(build) ?? [];
  return digits?.includes(".") === false ? `${digits.slice(0, -1)}.${digits.slice(-1)}` : digits;
}

/** A list of what was installed names the build itself. */
function exactBuild(members: DeclaredPackage[], family: CondaNames): Answer | undefined {
  const main = members.find(({ name, build }) => name === family.package && build !== undefined && isWhole(build));
  const version = main && /^===?([^*,]+)$/.exec(main.specifier)?.[1];
  if (!main || version === undefined) return undefined;
  const said = saidByBuild(main.build);
  const [first] = main.channel === undefined ? [] : condaBuilds(family.package, main.channel).filter((row) => row.version === version);
  return {
    choice: {
      version,
      channel: main.channel ?? (/^py3\.\d+_(?:cuda|cpu)/.test(main.build!) ? "pytorch" : ""),
      cuda: said.cuda === undefined ? (said.isWithout ? [] : (first?.cuda ?? [])) : [cudaOfBuild(main.build!)!],
      withoutCuda: said.isWithout === true || said.isWith !== true,
      mayHaveOthers: said.isWithout === undefined && said.cuda === undefined,
      needsDriver: false,
      isNewest: false,
    },
  };
}

/** A package, or the name of the build, that is there to choose one without CUDA. */
const isWithoutOnPurpose = ({ there }: Asking, family: CondaNames, members: DeclaredPackage[]): boolean =>
  [...family.withoutGpu, ...family.choosesNone].some((name) => there(name)) || members.some(({ build }) => saidByBuild(build).isWithout);

/** The CUDAs of a release that its pins and its build's name leave. */
function cudasOf(row: CondaBuild, asking: Asking, family: CondaNames, members: DeclaredPackage[]): string[] {
  if (isWithoutOnPurpose(asking, family, members)) return [];
  const { there } = asking;
  const builds = members.map(({ build }) => saidByBuild(build));
  const said = builds.find(({ cuda }) => cuda !== undefined)?.cuda;
  const pins = pinsFor(row).flatMap((name) => {
    const pin = there(name);
    const minor = pin && minorOf(pin);
    return minor === undefined ? [] : [minor];
  });
  // What chooses CUDA 12 lets no cudatoolkit in: that ended before.
  const isOld = row.channel !== "pytorch" && there("cudatoolkit") !== undefined;
  const left = row.cuda.filter(
    (cuda) =>
      !(isOld && 12 <= Number(cuda.split(".")[0])) && (said === undefined || said.test(cuda)) && pins.every((pin) => takes(row, cuda, pin)),
  );
  if (pins.length === 0) return left;
  // Of several builds for one CUDA the newest one is taken; what takes any minor gets the libraries that are named.
  return row.anyMinor && 0 < left.length ? pins.slice(0, 1) : left.slice(-1);
}

/** On the channel pytorch one package chooses; elsewhere both ways of naming a CUDA do. */
const pinsFor = ({ channel, chosenBy }: CondaBuild): string[] => (channel === "pytorch" ? [chosenBy] : ["cuda-version", "cudatoolkit"]);

/** A build for CUDA 11.2 or later takes any later one of the same major. */
function takes({ channel, anyMinor }: CondaBuild, cuda: string, pin: string): boolean {
  if (cuda === pin) return true;
  const [[major, minor], [wanted, least]] = [cuda, pin].map((each) => each.split(".").map(Number)) as [number[], number[]];
  const isWide = 11 < major! || (major === 11 && 2 <= minor!);
  return channel !== "pytorch" && major === wanted && isWide && (anyMinor === true || minor! <= least!);
}

function mayBeWithout(row: CondaBuild, asking: Asking, family: CondaNames, members: DeclaredPackage[]): boolean {
  const { there } = asking;
  if (row.onlyCuda) return false;
  if (family.withGpu.some((name) => there(name)) || members.some(({ build }) => saidByBuild(build).isWith)) return false;
  if (isWithoutOnPurpose(asking, family, members)) return true;
  // Who names the package that only chooses a build with CUDA gets one, where no driver is asked for.
  return row.needsDriver === true || row.cuda.length === 0 || !pinsFor(row).some((name) => there(name));
}

function ofRow(row: CondaBuild, asking: Asking, family: CondaNames, members: DeclaredPackage[]): CondaChoice {
  const own = members.filter((member) => !isFollower(family, member));
  return {
    version: row.version,
    channel: row.channel,
    cuda: cudasOf(row, asking, family, members),
    withoutCuda: mayBeWithout(row, asking, family, members),
    mayHaveOthers: row.cuda.length === 0 && row.inferred !== undefined && !isWithoutOnPurpose(asking, family, members),
    needsDriver: row.needsDriver === true,
    isNewest: !own.some(({ specifier }) => /^==\d+\.\d+\.\d+/.test(specifier)),
  };
}
