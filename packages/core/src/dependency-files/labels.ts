// Indexes of builds by label, such as PyTorch's own for cu121: from which release to which there are any.
import { memoBy } from "../lib/memo.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { labelledFramework } from "../model/frameworks.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import type { Install } from "../model/dependency-file.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import type { FrameworkNames } from "../model/framework-names.ts";
import type { Clash } from "./install.ts";

const minorIn = (version: string) => version.split(".").slice(0, 2).join(".");

/**
 * The newest release of a package that was built with a label, where that label has ended: later releases are known with other labels, and
 * with this one no more. Undefined where a release that is not known here may still have it.
 */
export const endOfLabel = memoBy(
  200,
  (name: string, label: string) => `${name} ${label}`,
  (name, label): string | undefined => {
    const all = releasesWithBuilds(name);
    const last = all.findIndex(({ builds }) => builds().some(({ variant }) => variant === label));
    if (last < 0) return undefined;
    // Of a release of which one build is known, others may be there; and one minor alone may have gone without.
    const later = all.slice(0, last).filter(({ builds }) => 1 < builds().length);
    return 1 < new Set(later.map(({ version }) => minorIn(version))).size ? all[last]!.version : undefined;
  },
);

/**
 * A label that neither PyTorch nor those who build upon it write: somebody's own build (`+metax3.0.0.3`, `+git1a2b3c`), whose metadata need not
 * be those of the release of PyPI.
 */
export const isForeign = (label: string | undefined): boolean =>
  label !== undefined &&
  !/^(?:cu\d|cuda|cpu|rocm|xpu)/.test(label) &&
  !frameworkNames.some(({ labelled }) => labelled && new RegExp(labelled.compiledFor).test(label));

/** `cu126`, in whatever release. */
export const isForCuda = (label: string | undefined): boolean => label !== undefined && /^cu\d/.test(label);

/** Whether a release came after the last one with this label. */
export function isEnded(name: string, version: string, label: string): boolean {
  const end = endOfLabel(name, label);
  return end !== undefined && comparePythonVersions(end, version) < 0;
}

/**
 * The oldest release of a package that was built with a label, where releases before it are known with other labels alone. Undefined where
 * an older one that is not known here may have it.
 */
export const beginningOfLabel = memoBy(
  200,
  (name: string, label: string) => `${name} ${label}`,
  (name, label): string | undefined => {
    const all = releasesWithBuilds(name);
    const first = all.findLastIndex(({ builds }) => builds().some(({ variant }) => variant === label));
    const before = all.slice(first + 1).find(({ builds }) => 1 < builds().length);
    return first < 0 || !before ? undefined : all[first]!.version;
  },
);

/** Whether a release is of a minor before the first one with this label; its own builds are known. */
function isBeforeLabel(name: string, version: string, label: string): boolean {
  const first = beginningOfLabel(name, label);
  if (first === undefined || 0 <= comparePythonVersions(minorIn(version), minorIn(first))) return false;
  const own = releasesWithBuilds(name).find((each) => each.version === version);
  return own !== undefined && 1 < own.builds().length;
}

/** Whether a release was never built with this label: it is too new for it, or too old. */
export const isNeverBuilt = (name: string, version: string, label: string): boolean =>
  isEnded(name, version, label) || isBeforeLabel(name, version, label);

/** One package alone that is refused, because the only index that it may come from has no such release. */
export function emptyIndex({ requirements, preferences }: Clash): { name: string; labels: string[] } | undefined {
  const [only, ...others] = requirements;
  if (only?.wish.kind !== "package" || 0 < others.length || !labelledFramework(only.wish.name)) return undefined;
  const { name, variant } = only.wish;
  const { variants = [], onlyThese = false } = preferences.asPip ?? {};
  const labels = variant ? variants.filter((label) => variant.test(label)) : onlyThese ? variants : [];
  const isBounded = (label: string) => (endOfLabel(name, label) ?? beginningOfLabel(name, label)) !== undefined;
  return 0 < labels.length && labels.every(isBounded) ? { name, labels } : undefined;
}

/** The one index, where nothing but that of a framework is asked. */
export function onlyIndex({ indexes, links }: Install): FrameworkNames["labelled"] {
  const labelled = frameworkNames.find((each) => each.labelled)?.labelled;
  const isIts = (url: string) => labelled?.addresses.some((address) => url.includes(`${address}/`)) === true;
  const isOnly =
    indexes.some(({ only }) => only) && links.length === 0 && indexes.every(({ url }) => isIts(url) && !/nightly|test/.test(url));
  return isOnly ? labelled : undefined;
}

/** `cuda121`, `cu12.1`, `cu-121`: how its indexes are never called, and what is meant; undefined for all that may be one. */
export function misspelledLabel(folder: string): string | undefined {
  const [, major, minor] = /^cu(?:da)?[-_]?(\d{1,2})[._-]?(\d)$/.exec(folder) ?? [];
  const meant = major === undefined ? undefined : `cu${major}${minor}`;
  return meant === folder ? undefined : meant;
}
