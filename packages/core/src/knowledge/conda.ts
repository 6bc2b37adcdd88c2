import type { CondaBuild, CondaPin } from "../model/knowledge.ts";
import { conda } from "./texts/conda.generated.ts";

/** A package that only says which CUDA is meant, of those whose last version is out. */
export const condaPin = (name: string): CondaPin | undefined => conda().pins.find((pin) => pin.name === name);

/** Releases on a channel with the CUDA of their builds, oldest first. */
export const condaBuilds = (name: string, channel: string): CondaBuild[] =>
  conda().builds.filter((row) => row.package === name && row.channel === channel);

/** Where a row, or one of its fields, is from. */
export const condaSources = ({ source, from }: CondaPin | CondaBuild, field = ""): string[] =>
  [from?.[field] ?? source].flat().map((key) => conda().sources[key]!);
