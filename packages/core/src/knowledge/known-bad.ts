import type { KnownBadCombination } from "../model/knowledge.ts";
import { sourcesOf } from "./certainty.ts";
import { knownBad } from "./texts/known-bad.generated.ts";

/** Releases and combinations with a documented defect. */
export const knownBadCombinations = (): KnownBadCombination[] => knownBad().combinations;

export const sourcesOfCombination = (combination: KnownBadCombination) => sourcesOf(knownBad(), combination, "says");
