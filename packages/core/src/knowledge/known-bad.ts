import { isWithin } from "../lib/pep440.ts";
import type { KnownBadCombination } from "../model/knowledge.ts";
import { sourcesOf } from "./certainty.ts";
import { knownBad } from "./texts/known-bad.generated.ts";

/** Releases and combinations with a documented defect. */
export const knownBadCombinations = (): KnownBadCombination[] => knownBad().combinations;

export const sourcesOfCombination = (combination: KnownBadCombination) => sourcesOf(knownBad(), combination, "says");

/** The defect that a release has on a GPU whatever else is there. */
export const knownBadOn = (name: string, version: string, sm: string): KnownBadCombination | undefined =>
  knownBadCombinations().find(
    ({ packages = {}, libraries, architectures }) =>
      !libraries &&
      architectures?.includes(sm) &&
      Object.keys(packages).join() === name &&
      isWithin(version.replace(/\+.*/, ""), packages[name]!) === true,
  );
