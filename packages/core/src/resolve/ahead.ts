import { folderOf } from "../lib/path.ts";
import type { ElfFact } from "../model/snapshot.ts";
import { cacheQueryOf, lookupInCache } from "./cache-lookup.ts";
import { processorsOf } from "./hwcaps.ts";
import { systemInterpreter } from "./interpreter.ts";
import { splitSearchPath } from "./tokens.ts";
import type { View } from "./view.ts";

/**
 * Needs that resolving will most likely have next: what new objects need, where their own search paths or the cache put it.
 * Only a guess that saves rounds, so it is made where it is nearly always right: without LD_LIBRARY_PATH, and leaving out
 * what objects before this one were found to have asked for by the same name.
 */
export function needAhead(view: View, objects: Iterable<{ path: string; object: ElfFact }>, asked: Set<string>): void {
  if (view.snapshot.environment["LD_LIBRARY_PATH"]) return;
  const interpreter = systemInterpreter(view);
  const at = interpreter === undefined ? undefined : view.lookup(interpreter);
  const loader = at && "found" in at && at.entry.kind === "file" ? at.entry : undefined;
  if (loader?.object?.kind !== "elf" || loader.loader?.cache === undefined) return;
  const place = view.lookup(loader.loader.cache);
  const cache = "found" in place && place.entry.kind === "file" ? place.entry.cache : undefined;
  if (!cache) return;
  const [processor] = processorsOf(loader.object.machine, view.snapshot.cpu, loader.loader);
  const query = cacheQueryOf(view, loader.object, loader.loader, processor);
  for (const { path, object } of objects) {
    const own = object.runpath ?? object.rpath ?? "";
    const folders = splitSearchPath(own, ":", { origin: folderOf(path), lib: loader.loader.lib, platform: processor.platform });
    for (const name of object.needed) {
      if (asked.has(name) || name.includes("/")) continue;
      asked.add(name);
      if (folders.some((folder) => folder.startsWith("/") && isOrMayBe(view, folder + name))) continue;
      const cached = lookupInCache(cache, name, query);
      if (cached !== undefined) view.need(cached, "object");
    }
  }
}

/** Whether a library is at a path, as far as is known. Where that is open, it is asked for; most of a search path's folders do not hold it. */
function isOrMayBe(view: View, path: string): boolean {
  const at = view.lookup(path);
  if ("error" in at) return false;
  if ("ask" in at || (at.entry.kind === "file" && at.entry.object === undefined)) view.need(path, "object");
  return "found" in at;
}
