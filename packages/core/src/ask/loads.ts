import { absolute } from "../lib/path.ts";
import type { Loads } from "../model/loads.ts";
import { keyOfNeeds, type Need } from "../model/need.ts";
import { loadsOf } from "../resolve/loads.ts";
import { tellUnseen } from "../resolve/unseen.ts";
import type { Examination } from "./examination.ts";
import { fetchAhead } from "./settle.ts";
import { withVersions } from "./versions.ts";

/** What each program would load, in its own process; answers come in the order of the paths. */
export async function* loadsOfEach({ view, collector }: Examination, paths: Iterable<string>): AsyncGenerator<Loads> {
  for (const batch of batches(paths, 64)) {
    const answers = new Map<string, Loads>();
    // With the programs and what they need at hand, most answers come at the first asking.
    if (collector)
      await fetchAhead(
        view,
        collector,
        batch.map((path) => ({ path: absolute(path, view.cwd), as: "object" })),
      );
    let open = batch;
    let before = "";
    while (0 < open.length) {
      const needs: Need[] = [];
      const still: string[] = [];
      for (const path of open) {
        view.wishes.clear();
        answers.set(path, loadsOf(view, path));
        if (view.needs.size + view.wishes.size === 0) continue;
        still.push(path);
        needs.push(...view.needs.values(), ...view.wishes.values());
      }
      const key = keyOfNeeds(needs);
      if (!collector || key === before) break;
      before = key;
      await fetchAhead(view, collector, needs);
      open = still;
    }
    for (const path of batch) yield tellUnseen(view, withVersions(answers.get(path)!, view.snapshot));
  }
}

function* batches(paths: Iterable<string>, size: number): Generator<string[]> {
  let batch: string[] = [];
  for (const path of paths) {
    batch.push(path);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (0 < batch.length) yield batch;
}
