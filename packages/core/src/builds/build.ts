import { once } from "../lib/memo.ts";
import { markerHolds, normalName, parseRequirement } from "../lib/pep508.ts";
import type { PublishedRelease } from "../model/knowledge.ts";
import { isIn } from "./specifier.ts";
import { needsNumpyOne, publishedPackage } from "../knowledge/published.ts";
import { boundsOfDefects } from "./known-defects.ts";

/** The Pythons that anything here was built for, newest first. */
export const allPythons = Array.from({ length: 10 }, (_, index) => `3.${15 - index}`);

/** A requirement of one build on another package. */
export interface Need {
  name: string;
  specifier: string;
  extras: string[];
  /** It counts only with this extra of the package that needs it. */
  extra?: string;
  /** It counts only on some Pythons. */
  marker?: (python: string) => boolean;
  /** Its metadata does not say so: why it is needed all the same. */
  because?: string;
  /** Nobody has read which version it is held to: a build that is alike is. */
  isGuessed?: true;
  source: string;
}

/** One installable build: a release, and for which CUDA. */
export interface Build {
  package: string;
  version: string;
  /** Tells builds of one release apart: `cu126`, `cuda12`. */
  variant: string;
  /** The requirement to write: `torch==2.10.0`, `jax[cuda12]==0.7.2`. */
  install: string;
  /** An index beside PyPI that has it. */
  index?: { option: "--extra-index-url" | "--find-links"; url: string };
  pythons: string[];
  /** Those of them that there is a wheel for, where pip would build it for the others. */
  withWheel?: string[];
  /** Worked out when first asked for: most builds are ruled out before. */
  needs: () => Need[];
  /** The CUDA it is built for, major and minor, or only the major. */
  cuda?: { version: string; source: string; isWorkedOut?: true };
  /** The CUDA libraries are inside; it needs none from outside. */
  inside?: { cudnn?: string };
  architectures?: { list: string[]; source: string };
  /** Names of libraries that the loader must find though nothing says where. */
  onPath: () => string[];
  /** XLA looks for ptxas and libdevice where this variable says. */
  needsCudaData?: true;
  /** It is installed without the libraries that its extra would bring, and uses those of others. */
  borrows?: true;
  doubts: string[];
}

/** A release, and the builds of it. */
export interface BuiltRelease {
  version: string;
  builds: () => Build[];
  /** The Pythons that it has no wheel for and pip would build it for. */
  fromSource?: string[];
  /** It was taken back: only a pin still gets it. */
  yanked?: true;
  /** Beside others that bring the same libraries in other versions; only where nothing else goes. */
  borrowing?: () => Build[];
}

/** The releases of a package, newest first, each with its builds. */
export const builtReleases = (
  name: string,
  builds: (release: PublishedRelease) => Build[],
  borrowing?: (release: PublishedRelease) => Build[],
): BuiltRelease[] =>
  releasesOf(name)
    .map((release) => ({
      version: release.version,
      builds: once(() => builds(release)),
      ...(release.sdist ? { fromSource: sourcePythons(release) } : {}),
      ...(release.yanked ? { yanked: true as const } : {}),
      ...(borrowing ? { borrowing: once(() => borrowing(release)) } : {}),
    }))
    .reverse();

/** Where requirements come from, as a text. */
export const metadataOf = (name: string, version: string) => `the metadata of ${name} ${version} on PyPI`;

/** The requirements of a release, read once. */
export function needsOf(name: string, { version, requires = [] }: PublishedRelease): Need[] {
  const source = metadataOf(name, version);
  const old = needsNumpyOne(name, version);
  const because = `${name} before ${old?.first} is not built for NumPy 2`;
  const numpy: Need[] = old ? [{ name: "numpy", specifier: "<2", extras: [], because, source: old.source }] : [];
  const stated = requires.flatMap((text): Need[] => {
    // Nearly all are of this form, and there are thousands.
    const [, plain, range, only] = /^([a-z0-9-]+)((?:(?:==|>=|<=|<|>)[0-9.*]+,?)*)(?:; extra == "([a-z0-9-]+)")?$/.exec(text) ?? [];
    if (plain !== undefined)
      return [{ name: plain, specifier: range!, extras: [], ...(only === undefined ? {} : { extra: only }), source }];
    const parsed = parseRequirement(text);
    if ("problem" in parsed) return [];
    const extra = /\bextra == "([^"]+)"/.exec(text)?.[1];
    const isBound = /\bpython_version\b/.test(text);
    const { name: needed, specifier, extras, marker } = parsed;
    return [
      {
        name: needed,
        specifier,
        extras,
        ...(extra === undefined ? {} : { extra: normalName(extra) }),
        ...(isBound && marker !== undefined ? { marker: (python: string) => holdsOn(marker, python, extra) } : {}),
        source,
      },
    ];
  });
  return [...stated, ...numpy, ...boundsOfDefects(name, version, stated)];
}

/** The Pythons that a release has wheels for, newest first. */
export function pythonsOf({ pythons, python }: PublishedRelease): string[] {
  if (pythons) return allPythons.filter((each) => pythons.includes(each));
  return python === undefined ? allPythons : allPythons.filter((each) => isIn(`${each}.99`, python));
}

const sourcePythons = ({ pythons, python }: PublishedRelease): string[] =>
  allPythons.filter((each) => !pythons?.includes(each) && (python === undefined || isIn(`${each}.99`, python)));

/** Whether a release may be taken: one that was taken back only where it is pinned. */
export const isOffered = ({ version, yanked }: Pick<BuiltRelease, "version" | "yanked">, specifiers: string[]): boolean =>
  !yanked || specifiers.some((specifier) => /^===?[^*,]+$/.test(specifier) && isIn(version, specifier));

/** Requirements that count whatever the extras are, and those of one extra. */
export const withExtra = (needs: Need[], ...extras: string[]) =>
  needs.filter(({ extra }) => extra === undefined || extras.includes(extra)).map(({ extra: _extra, ...need }) => need);

export const releasesOf = (name: string): PublishedRelease[] => publishedPackage(name)?.releases ?? [];

const holdsOn = (marker: string, python: string, extra = "") =>
  markerHolds(marker, { python_version: python, python_full_version: `${python}.0`, extra }) === true;

/** What is known of a release; else the last one listed of the same minor stands for it. */
export function nearestRow<Row extends { version: string }>(rows: Row[], version: string): Row | undefined {
  const minor = `${version.split(".").slice(0, 2).join(".")}.`;
  return rows.find((row) => row.version === version) ?? rows.findLast((row) => `${row.version}.`.startsWith(minor));
}
