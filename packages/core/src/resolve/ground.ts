// Facts that nobody changes any more: whatever is tried out lies over them, so what was worked out for them holds for as long as they do.
import { keptWith } from "../lib/memo.ts";
import type { Snapshot } from "../model/snapshot.ts";

type Files = Snapshot["files"];

const stateOf = keptWith((_files: Files) => ({ isSettled: false }));

/** Says of these facts that from now on they stay as they are. */
export function settleGround(files: Files): Files {
  stateOf(files).isSettled = true;
  return files;
}

/** The settled facts below all layers; undefined where facts may still grow. */
export function groundOf(files: Files): Files | undefined {
  for (let layer: Files | null = files; layer && layer !== Object.prototype; layer = Object.getPrototypeOf(layer) as Files | null)
    if (stateOf(layer).isSettled) return layer;
  return undefined;
}

/** Every path that a layer above the ground has something to say about. */
export function changedOver(ground: Files, files: Files): string[] {
  const paths: string[] = [];
  for (let layer = files; layer !== ground; layer = Object.getPrototypeOf(layer) as Files) {
    const own = Object.keys(layer);
    if (0 < own.length) paths.push(...own);
  }
  return paths;
}
