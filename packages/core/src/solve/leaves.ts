// Packages that only others ask for: NVIDIA's libraries, NumPy. They ask for nothing that counts here.
import { packageNamed } from "../knowledge/packages.ts";
import { placeholdersOf, publishedPackage } from "../knowledge/published.ts";
import type { PublishedRelease } from "../model/knowledge.ts";
import { memo, memoBy, once } from "../lib/memo.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { cudnnRunsOn, type Place } from "./fit.ts";
import { isOffered, needsOf, releasesOf } from "../builds/build.ts";
import { canMeet, isIn } from "../builds/specifier.ts";

/**
 * The releases that a search weighs. Of protobuf many are within nearly everything that is asked: to weigh each on each Python would
 * take too long, and only what comes of it is looked up.
 */
export const weighedReleases = (name: string): PublishedRelease[] | undefined =>
  name === "protobuf" ? undefined : publishedPackage(name)?.releases;

/** Every release that holds something, newest first; undefined when it is not known what there is. */
export const versionsOf = memo(1000, (name: string): string[] | undefined => {
  const empty = placeholdersOf(name);
  const releases = weighedReleases(name)?.map(({ version }) => version);
  return releases?.filter((version) => !empty.includes(version)).reverse();
});

/** Releases within all specifiers, newest first; undefined, too, where one asks for a release before or after all that are known. */
export function versionsWithin(name: string, specifiers: string[]): string[] | undefined {
  if (!versionsOf(name)) return undefined;
  const found = within(name, specifiers.filter((specifier) => specifier !== "").join(","));
  return found.length === 0 && specifiers.some((specifier) => isBeyond(name, specifier)) ? undefined : found;
}

function isBeyond(name: string, specifier: string): boolean {
  const [first, last] = [publishedPackage(name)?.releases[0]?.version, publishedPackage(name)?.releases.at(-1)?.version];
  // A package without a release: nothing to come and nothing gone is left out.
  if (first === undefined || last === undefined) return false;
  return namedVersions(specifier).some(
    (version) => isIn(version, specifier) && (comparePythonVersions(version, first) < 0 || isOfLaterMajor(version, last)),
  );
}

/** A patch after the newest that is known may never have been; a later major tells that what is known has ended early. */
export const isOfLaterMajor = (version: string, newest: string): boolean =>
  Number.parseInt(newest.split(".")[0]!) < Number.parseInt(version.split(".")[0]!);

/** The releases that a specifier names, such as `10.13.3` of `~=10.13.3`. */
export const namedVersions = (specifier: string): string[] => specifier.match(/\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?/g) ?? [];

const within = memoBy(
  5000,
  (name: string, joined: string) => `${name} ${joined}`,
  (name, joined): string[] => {
    const all = versionsOf(name) ?? [];
    // A pin leaves one to look at.
    const pin = /(?:^|,)==([^,*]+)(?:,|$)/.exec(joined)?.[1];
    const candidates = pin !== undefined && all.includes(pin) ? [pin] : all;
    return candidates.filter((version) => isIn(version, joined));
  },
);

/** Whether a release can meet all specifiers. */
export const isPossible = (name: string, specifiers: string[]): boolean => {
  const left = versionsWithin(name, specifiers);
  return left === undefined ? canMeet(specifiers) : 0 < left.length;
};

/** What pip would take by itself: the newest, be it empty. */
export function naturalChoice(name: string, specifiers: string[]): string | undefined {
  const joined = specifiers.filter((specifier) => specifier !== "").join(",");
  return publishedPackage(name)?.releases.findLast((release) => isIn(release.version, joined) && isOffered(release, specifiers))?.version;
}

/** The CUDA major that a package of NVIDIA is for; of those that serve any (`nvidia-ml-py`, `nvidia-cudnn-frontend`) none. */
export function majorOf(name: string): string | undefined {
  if (!name.startsWith("nvidia-")) return undefined;
  const named = /-cu(\d\d)$/.exec(name)?.[1];
  return named ?? (partsWithoutMajor().has(name) ? "13" : undefined);
}

/** From CUDA 13 on the parts of a toolkit have no major in their names: the metapackage lists them. */
const partsWithoutMajor = once(
  () => new Set(releasesOf("cuda-toolkit").flatMap((release) => needsOf("cuda-toolkit", release).map(({ name }) => name))),
);

export const isCudnn = (name: string) => /^nvidia-cudnn-cu\d\d$/.test(name);

/** Whether a release of a library does in a place. */
export function leafFits(name: string, version: string, place: Place): boolean {
  if (!isCudnn(name)) return true;
  return (
    place.cudnn.every((specifier) => isIn(version, specifier)) && place.gpus.every(({ sm }) => cudnnRunsOn(version, majorOf(name)!, sm))
  );
}

const wheelNamed = memo(1000, (name: string) => packageNamed(name, "pypi"));

/**
 * The objects that a package installs whichever of these releases it is. Two packages with the same one overwrite each other.
 */
export function objectsOf(name: string, versions: string[] | undefined): string[] {
  const known = wheelNamed(name);
  const folder = [known?.folder ?? []].flat()[0];
  if (!known || folder === undefined) return [];
  const majors = isCudnn(name) && versions ? new Set(versions.map((version) => version.split(".")[0])) : undefined;
  if (majors && majors.size !== 1) return [];
  return known.provides
    .filter((soname) => !soname.includes("*") && (!majors || soname.endsWith(`.so.${[...majors][0]}`)))
    .map((soname) => `${folder}/${soname}`);
}
