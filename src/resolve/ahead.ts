import type { ElfFact } from "../model/snapshot.ts";
import { cacheQueryOf, lookupInCache } from "./cache-lookup.ts";
import { systemInterpreter } from "./interpreter.ts";
import type { View } from "./view.ts";

/**
 * Needs that resolving will most likely have next: what new objects need, where the cache puts it. Only a guess that saves
 * rounds, so it is made where it is nearly always right: no search paths of the object's own and no LD_LIBRARY_PATH.
 */
export function needAhead(view: View, objects: Iterable<ElfFact>, asked: Set<string>): void {
  if (view.snapshot.environment["LD_LIBRARY_PATH"]) return;
  const interpreter = systemInterpreter(view);
  const at = interpreter === undefined ? undefined : view.lookup(interpreter);
  const loader = at && "found" in at && at.entry.kind === "file" ? at.entry : undefined;
  if (loader?.object?.kind !== "elf" || loader.loader?.cache === undefined) return;
  const place = view.lookup(loader.loader.cache);
  const cache = "found" in place && place.entry.kind === "file" ? place.entry.cache : undefined;
  if (!cache) return;
  const query = cacheQueryOf(view, loader.object, loader.loader);
  for (const { needed, rpath, runpath } of objects) {
    if (rpath !== undefined || runpath !== undefined) continue;
    for (const name of needed) {
      if (asked.has(name)) continue;
      asked.add(name);
      const path = name.includes("/") ? undefined : lookupInCache(cache, name, query);
      if (path !== undefined) view.need(path, "object");
    }
  }
}
