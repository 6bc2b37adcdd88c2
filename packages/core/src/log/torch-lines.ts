import { compareDotted } from "../knowledge/dotted.ts";
import { torchBuilds } from "../knowledge/frameworks.ts";
import { fitOf } from "../knowledge/gpu-code.ts";
import { publishedPackage, releaseFitting } from "../knowledge/published.ts";
import { comparePythonVersions, isWithin } from "../lib/pep440.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import type { TorchRelease } from "../model/knowledge.ts";
import type { Facts } from "./fact.ts";
import { pythonIn } from "./installable.ts";

const indexOf = (variant: string) => `--index-url https://download.pytorch.org/whl/${variant}`;

/** Whether PyTorch's own index has this release for this CUDA (`2.2.0`, `cu121`). */
const isPublished = (version: string, variant: string): boolean =>
  torchBuilds().some((each) => each.version === version && each.variant === variant);

/** PyTorch in a very release and build (`2.2.0+cu121`), where there is one; the Python of the text must have wheels of it. */
export function exactTorchLine(labelled: string, facts: Facts): string | undefined {
  const [version = "", variant = ""] = labelled.split("+");
  return isPublished(version, variant) && hasWheels(version, facts) ? `pip install torch==${labelled} ${indexOf(variant)}` : undefined;
}

function hasWheels(version: string, facts: Facts): boolean {
  const python = pythonIn(facts);
  const release = publishedPackage("torch")?.releases.find((each) => each.version === version);
  return python === undefined || (release?.pythons?.includes(python) ?? true);
}

/** PyTorch and a companion of it from the index for one CUDA (`cu118`), where there is one: neither is taken from elsewhere. */
export const pairLine = (companion: string, variant: string): string | undefined =>
  torchBuilds().some((each) => each.variant === variant)
    ? `pip install --force-reinstall torch ${companion} ${indexOf(variant)}`
    : undefined;

/** The release of a package that was made for the PyTorch of a text, from where it lies for that build; nothing else is changed. */
export function madeForLine(name: string, torch: string, facts: Facts): { version: string; line: string } | undefined {
  const [release = "", variant] = torch.split("+");
  const version = releaseFitting(name, { name: "torch", version: release }, pythonIn(facts) ?? anyPython(name, release), isPin);
  if (version === undefined) return undefined;
  const index = variant !== undefined && isOnIndex(name, version) && isPublished(release, variant) ? ` ${indexOf(variant)}` : "";
  return { version, line: `pip install --force-reinstall --no-deps ${name}==${version}${index}` };
}

// A range says with which releases it is not at odds; only one that it names was it compiled for.
const isPin = (_name: string, specifier: string) => /^\s*==\s*\d/.test(specifier);

// Where a text names no Python, one for which there is such a release at all.
function anyPython(name: string, torch: string): string {
  const made = publishedPackage(name)?.releases.findLast(({ requires = [] }) => requires.some((each) => asksFor(each, torch)));
  return made?.pythons?.[0] ?? "3.10";
}

function asksFor(requirement: string, torch: string): boolean {
  const read = parseRequirement(requirement);
  return !("problem" in read) && normalName(read.name) === "torch" && isWithin(torch, read.specifier) === true;
}

/** xFormers lies on PyTorch's index since 0.0.23; before, PyPI alone had it. */
const isOnIndex = (name: string, version: string) => name !== "xformers" || 0 <= comparePythonVersions(version, "0.0.23");

/** The PyTorch that a release of a package asks for by number. */
export function torchAskedBy(name: string, version: string): string | undefined {
  const release = publishedPackage(name)?.releases.find((each) => each.version === version);
  for (const requirement of release?.requires ?? []) {
    const read = parseRequirement(requirement);
    const pinned = "problem" in read || normalName(read.name) !== "torch" ? undefined : /^\s*==\s*(\d[\d.]*\d)$/.exec(read.specifier)?.[1];
    if (pinned !== undefined) return pinned;
  }
  return undefined;
}

/** Of the recent builds of PyTorch with code for a GPU (`sm_120`) the one that most drivers run; where no recent one has it, the newest that has. */
export function torchForGpu(sm: string, facts: Facts): TorchRelease | undefined {
  const holds = torchBuilds().filter(
    ({ architectures = [], version }) => fitOf(sm, architectures) === "cubin" && hasWheels(version, facts),
  );
  const recent = holds.filter(({ version }) => recentMinors().has(minorOf(version)));
  const least = recent.map(({ cuda }) => cuda).toSorted(compareDotted)[0];
  return (least === undefined ? holds : recent.filter(({ cuda }) => cuda === least)).toSorted(newestFirst)[0];
}

/** The index in a line that names no release, where the newest PyTorch on it has no code for the GPU of the text: one that has. */
export function forItsGpu(line: string, sm: string | undefined, facts: Facts): string {
  const index = /\/whl\/(cu\d+)/.exec(line)?.[1];
  if (sm === undefined || index === undefined || /\btorch==/.test(line) || isServedOn(index, sm)) return line;
  const build = torchForGpu(sm, facts);
  return build && isServedOn(build.variant, sm) ? line.replace(`/whl/${index}`, `/whl/${build.variant}`) : line;
}

/** Whether the newest PyTorch on an index has code for a GPU; where its architectures were not read, nothing speaks against it. */
export function isServedOn(variant: string | undefined, sm: string): boolean {
  const newest = torchBuilds().findLast((each) => each.variant === variant && each.architectures !== undefined);
  return newest?.architectures === undefined || fitOf(sm, newest.architectures) === "cubin";
}

const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");
const newestFirst = (a: TorchRelease, b: TorchRelease) => comparePythonVersions(b.version, a.version) || compareDotted(a.cuda, b.cuda);

/** Two years of releases. */
const recentMinors = () => new Set([...new Set(torchBuilds().map(({ version }) => minorOf(version)))].slice(-8));

/**
 * The line for a build. Without `--force-reinstall` pip keeps a newer release that is there, and the same one in another build. The release is
 * named where its index has newer ones, which are not meant.
 */
export function torchBuildLine({ version, variant }: TorchRelease): string {
  const newest = torchBuilds().findLast((each) => each.variant === variant)?.version ?? version;
  const torch = minorOf(newest) === minorOf(version) ? "torch" : `torch==${version}`;
  return `pip install --force-reinstall ${torch} ${indexOf(variant)}`;
}

/** The newest PyTorch for a driver's CUDA: since 11 a driver runs the builds for every release of its major. */
export function torchForDriver(cuda: string, facts: Facts): TorchRelease | undefined {
  const major = cuda.split(".")[0]!;
  const runs = torchBuilds().filter(
    (each) =>
      hasWheels(each.version, facts) && (Number(major) < 11 ? compareDotted(each.cuda, cuda) <= 0 : each.cuda.split(".")[0] === major),
  );
  return runs.toSorted(newestFirst)[0];
}

/** What there is of a release of PyTorch where the build that somebody asked for is not (`2.0.1`, `cu121`): other builds of it, and the first release of that build. */
export function otherTorchBuilds(version: string, variant: string | undefined, facts: Facts): { text: string; line: string }[] {
  const builds = torchBuilds().filter((each) => each.version === version && each.variant.startsWith("cu"));
  const [nearest] = builds.toSorted((a, b) => compareDotted(b.cuda, a.cuda));
  const labels = builds.map(({ variant: label }) => label).join(", ");
  const first = variant === undefined ? undefined : torchBuilds().find((each) => each.variant === variant);
  return [
    ...(nearest && hasWheels(version, facts)
      ? [
          {
            text: `PyTorch ${version} was built for ${labels}: take one of these`,
            line: `pip install torch==${version} ${indexOf(nearest.variant)}`,
          },
        ]
      : []),
    ...(first && first.version !== version && hasWheels(first.version, facts)
      ? [
          {
            text: `${nearest ? "or take " : ""}the first release that was built for ${variant}: ${first.version}`,
            line: `pip install torch==${first.version} ${indexOf(first.variant)}`,
          },
        ]
      : []),
  ];
}

/** The Pythons for which a release has wheels (`3.8 to 3.11`). */
export function pythonsOf(version: string): string | undefined {
  const pythons = publishedPackage("torch")
    ?.releases.find((each) => each.version === version)
    ?.pythons?.toSorted(compareDotted);
  return pythons === undefined || pythons.length === 0
    ? undefined
    : pythons.length === 1
      ? pythons[0]
      : `${pythons[0]} to ${pythons.at(-1)}`;
}

/** A release of PyTorch in its newest build of the major of a CUDA that is not above it, or the first above: a driver runs every release of its major. */
export function torchInMajor(version: string, cuda: string, facts: Facts): string | undefined {
  const same = torchBuilds()
    .filter((each) => each.version === version && each.cuda.split(".")[0] === cuda.split(".")[0])
    .toSorted((a, b) => compareDotted(a.cuda, b.cuda));
  const build = same.findLast((each) => compareDotted(each.cuda, cuda) <= 0) ?? same[0];
  return build && hasWheels(version, facts) ? `pip install torch==${version} ${indexOf(build.variant)}` : undefined;
}
