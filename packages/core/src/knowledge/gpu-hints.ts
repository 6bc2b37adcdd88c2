import { once } from "../lib/memo.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { isAmong } from "../model/frameworks.ts";
import { isPlain } from "./plain-packages.ts";
import { gpuHints } from "./texts/gpu-hints.generated.ts";

const words = once(() => gpuHints().words.map(({ word }) => word));

/** Whether the name of a package hints that a GPU, or a framework's release, matters to it. */
export function hintsAtGpu(name: string): boolean {
  if (isPlain(name)) return false;
  const parts = name.split("-");
  return isAmong(name, distributions) || parts.some((part) => ids.has(part) || isAmong(part, words()));
}

const ids = new Set(frameworkNames.map(({ id }) => id));
const distributions = frameworkNames.flatMap(({ packages, companions = [] }) => [...packages, ...companions]);
