// What the metadata of a release let in, and a documented defect rules out.
import { isWithin } from "../lib/pep440.ts";
import { once } from "../lib/memo.ts";
import { knownBadCombinations, sourcesOfCombination } from "../knowledge/known-bad.ts";
import { publishedPackage } from "../knowledge/published.ts";
import type { KnownBadCombination } from "../model/knowledge.ts";
import type { Need } from "./build.ts";
import { isIn } from "./specifier.ts";

/** The releases that are left, where one bound is what is bad. */
const opposite: { [sign: string]: string } = { ">=": "<", ">": "<=", "<": ">=", "<=": ">" };

/** Combinations of two packages, by each of them. One that merely costs time or memory is nobody's reason for another release. */
const inPairs = once(() => {
  const found = new Map<string, { own: string; other: string; bad: string; left: string; combination: KnownBadCombination }[]>();
  for (const combination of knownBadCombinations()) {
    const { packages = {}, libraries, architectures, gpus, absent, severity } = combination;
    const pair = Object.entries(packages);
    if (pair.length !== 2 || libraries || architectures || gpus !== undefined || absent !== undefined || severity === "info") continue;
    for (const [[name, own], [other, bad]] of [pair, pair.toReversed()] as [[string, string], [string, string]][]) {
      const [, sign, bound] = /^(>=?|<=?)([\d.]+)$/.exec(bad) ?? [];
      if (sign === undefined) continue;
      found.set(name, [...(found.get(name) ?? []), { own, other, bad, left: `${opposite[sign]}${bound}`, combination }]);
    }
  }
  return found;
});

/** Bounds on what a release asks for itself: what nobody asks for need not come because of a defect. */
export const boundsOfDefects = (name: string, version: string, stated: Need[]): Need[] =>
  (inPairs().get(name) ?? []).flatMap(({ own, other, bad, left, combination }) => {
    const asked = stated.find((need) => need.name === other && need.extra === undefined);
    if (!asked || isWithin(version, own) !== true) return [];
    const mayCome = publishedPackage(other)?.releases.some((each) => isIn(each.version, bad) && isIn(each.version, asked.specifier));
    if (mayCome !== true) return [];
    return [
      { name: other, specifier: left, extras: [], because: combination.says, source: sourcesOfCombination(combination)[0] ?? "memory" },
    ];
  });
