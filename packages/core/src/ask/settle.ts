import type { Collector } from "../collect/collect.ts";
import { keyOfNeeds, type Need } from "../model/need.ts";
import { needAhead } from "../resolve/ahead.ts";
import type { View } from "../resolve/view.ts";
import type { Examination } from "./examination.ts";

/** Asks a question over and over, fetching what it lacks, until nothing is missing or nothing more can be had. */
export async function settle<T>({ view, collector }: Examination, ask: (view: View) => T): Promise<T> {
  let before = "";
  for (;;) {
    view.needs.clear();
    view.wishes.clear();
    const answer = ask(view);
    const needs = [...view.needs.values(), ...view.wishes.values()];
    const key = keyOfNeeds(needs);
    // Needs that a fetch did not meet (a file that changes under us) would be asked for ever.
    if (needs.length === 0 || !collector || key === before) return answer;
    before = key;
    await fetchAhead(view, collector, needs);
  }
}

// Fetches what is needed, and then what the new objects need in turn, without asking the whole question again for each level.
export async function fetchAhead(view: View, collector: Collector, needs: Need[]): Promise<void> {
  const asked = new Set<string>();
  const fetchLevel = async (level: Need[]): Promise<void> => {
    const objects = await collector.fetch(level);
    view.needs.clear();
    needAhead(view, objects, asked);
    await fetchAll([...view.needs.values()].filter(({ as }) => as === "object"));
  };
  // From far away nothing waits for what it does not rest on.
  const fetchAll = async (level: Need[]): Promise<void> => {
    if (collector.isDistant) await Promise.all(level.map(async (need) => fetchLevel([need])));
    else if (0 < level.length) await fetchLevel(level);
  };
  await fetchAll(needs);
}
