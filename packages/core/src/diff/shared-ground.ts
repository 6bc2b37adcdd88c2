// Two targets that are alike in most things: what was worked out for the one need not be worked out again for the other.
import { isEqual } from "../lib/compare.ts";
import { pathsIn } from "../model/overlay.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { settleGround } from "../resolve/ground.ts";
import { viewOf } from "../resolve/view.ts";
import type { Examination } from "../ask/examination.ts";

/** Layers over a ground cost something at each answer: below this share of equal facts that is more than what is spared. */
const worthwhile = 0.9;

/** The same examinations over the facts that both have; as they are where facts may still grow, or where the two have little in common. */
export function onSharedGround(a: Examination, b: Examination): [Examination, Examination] {
  if (a.collector || b.collector) return [a, b];
  const [first, second] = [a.view.snapshot.files, b.view.snapshot.files];
  const [paths, others] = [pathsIn({ files: first }), pathsIn({ files: second })];
  const shared = new Set(paths.filter((path) => isEqual(first[path], second[path])));
  if (shared.size < Math.max(paths.length, others.length) * worthwhile) return [a, b];
  const ground = settleGround(Object.fromEntries([...shared].map((path) => [path, first[path]!])));
  const over = (examination: Examination, own: string[]): Examination => {
    const { snapshot } = examination.view;
    const files = Object.create(ground) as Snapshot["files"];
    for (const path of own) if (!shared.has(path)) files[path] = snapshot.files[path]!;
    return { ...examination, view: viewOf({ ...snapshot, files }) };
  };
  return [over(a, paths), over(b, others)];
}
