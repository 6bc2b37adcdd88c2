import type { PublishedPackage } from "../model/knowledge.ts";
import { once } from "../lib/memo.ts";
import { compareDotted } from "./dotted.ts";
import { numpyTwo } from "./texts/numpy-two.generated.ts";
import { packages } from "./texts/packages.generated.ts";
import { published } from "./texts/published.generated.ts";

const byName = once(() => new Map<string, PublishedPackage>(published().packages.map((row) => [row.name, row])));

/** What PyPI has of a package, oldest release first. */
export const publishedPackage = (name: string): PublishedPackage | undefined => byName().get(name);

/** When PyPI was last looked at. */
export const publishedDay = () => published().packages.reduce((newest, { checked }) => (newest < checked ? checked : newest), "");

/** Releases that hold nothing, though they sort above real ones. */
export const placeholdersOf = (name: string): string[] =>
  packages().packages.find((row) => row.ecosystem === "pypi" && row.name === name)?.placeholders ?? [];

/** Whether a version is one that was given out: `2.2.2`, `2.2.2+cu121`; not `2.2.0a0+81ea7a4`, which somebody built. */
export const isPublicRelease = (version: string): boolean => /^\d+(?:\.\d+)*(?:\+(?:cu\d+|cpu))?$/.test(version);

/** The first release that was built for NumPy 2, where this one was not. */
export function needsNumpyOne(name: string, version: string): { first: string; source: string } | undefined {
  const { packages: rows, sources } = numpyTwo();
  const row = rows.find((each) => each.name === name);
  if (!row || compareDotted(row.first, version.replace(/\.?[^\d.].*$/, "")) <= 0) return undefined;
  return { first: row.first, source: [row.source].flat().map((key) => sources[key]!)[0]! };
}
