import { isWithin } from "../lib/pep440.ts";
import type { KnownBadCombination, ProfilerDefect, WithdrawnRelease } from "../model/knowledge.ts";
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

/** Whether this release was taken back, or came out with a defect that everybody meets. */
export const withdrawnRelease = (name: string, version: string): WithdrawnRelease[] =>
  knownBad().withdrawn.filter((row) => row.package === name && isWithin(version.replace(/\+.*/, ""), row.versions) === true);

/** Releases with a defect on one system alone. */
export const withdrawnOn = (platform: "windows" | "linux"): WithdrawnRelease[] =>
  knownBad().withdrawn.filter((row) => row.platform === platform);

/** Releases with which a profile lacks the GPU, or ends the program. */
export const profilerDefects = (): ProfilerDefect[] => knownBad().profilers;
