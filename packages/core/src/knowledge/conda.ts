import type { CondaBuild, CondaPin } from "../model/knowledge.ts";
import { once } from "../lib/memo.ts";
import { conda } from "./texts/conda.generated.ts";

/** A package that only says which CUDA is meant, of those whose last version is out. */
export const condaPin = (name: string): CondaPin | undefined => conda().pins.find((pin) => pin.name === name);

/** Releases on a channel with the CUDA of their builds, oldest first. */
export const condaBuilds = (name: string, channel: string): CondaBuild[] =>
  conda().builds.filter((row) => row.package === name && row.channel === channel);

/** Where a row, or one of its fields, is from. */
export const condaSources = ({ source, from }: CondaPin | CondaBuild, field = ""): string[] =>
  [from?.[field] ?? source].flat().map((key) => conda().sources[key]!);

/** Packages of conda whose builds are known. */
export const condaPackages = once((): string[] => [...new Set(conda().builds.map((row) => row.package))]);

/** Where it is from that a release on a channel has these builds. */
export function condaSource(name: string, channel: string, version: string): string {
  const row = condaBuilds(name, channel).find((each) => each.version === version);
  return (row && condaSources(row)[0]) ?? "the name of the build";
}
