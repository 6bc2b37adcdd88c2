// Indexes of builds by label, such as PyTorch's own for cu121: when a label was given up.
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

/** Whether a release came after the last one with this label. */
export function isEnded(name: string, version: string, label: string): boolean {
  const end = endOfLabel(name, label);
  return end !== undefined && comparePythonVersions(end, version) < 0;
}

/** One package alone that is refused, because the only index that it may come from has no more of its releases. */
export function endedIndex({ requirements, preferences }: Clash): { name: string; labels: string[] } | undefined {
  const [only, ...others] = requirements;
  if (only?.wish.kind !== "package" || 0 < others.length || !labelledFramework(only.wish.name)) return undefined;
  const { name, variant } = only.wish;
  const { variants = [], onlyThese = false } = preferences.asPip ?? {};
  const labels = variant ? variants.filter((label) => variant.test(label)) : onlyThese ? variants : [];
  return 0 < labels.length && labels.every((label) => endOfLabel(name, label) !== undefined) ? { name, labels } : undefined;
}

/** The one index, where nothing but that of a framework is asked. */
export function onlyIndex({ indexes, links }: Install): FrameworkNames["labelled"] {
  const labelled = frameworkNames.find((each) => each.labelled)?.labelled;
  const isIts = (url: string) => labelled?.addresses.some((address) => url.includes(`${address}/`)) === true;
  const isOnly =
    indexes.some(({ only }) => only) && links.length === 0 && indexes.every(({ url }) => isIts(url) && !/nightly|test/.test(url));
  return isOnly ? labelled : undefined;
}
