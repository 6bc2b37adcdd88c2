import type { Snapshot } from "../model/snapshot.ts";

export async function readSnapshot(text: string): Promise<{ snapshot: Snapshot } | { problem: string }> {
  return { snapshot: JSON.parse(text) as Snapshot };
}
