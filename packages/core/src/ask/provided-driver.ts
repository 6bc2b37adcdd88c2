// A driver that the host of a container brings, or that somebody assumes.
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";
import { isCompat } from "../frameworks/driver.ts";
import { exposedLibraries } from "../knowledge/container.ts";
import type { Inventory } from "../model/inventory.ts";
import type { CacheEntry } from "../model/snapshot.ts";
import type { UnknownThing } from "../model/unknown.ts";
import { cacheFlags } from "../resolve/cache-lookup.ts";
import { viewOf, type View } from "../resolve/view.ts";
import { overlay } from "../model/overlay.ts";
import { kindAt } from "../survey/python.ts";

/** Whether there is any sign of a driver or GPU; without one nothing about them can be wrong. */
export function showsDriver(inventory: Inventory): boolean {
  const { driver, gpus } = inventory;
  return driver.kernel !== undefined || 0 < gpus.length || driver.wsl === true || hasDriver(inventory);
}

// A compat library is no driver: it needs one below it.
export const hasDriver = ({ copies }: Inventory) =>
  copies.some(({ library, stub, file }) => library === "libcuda" && !stub && !isCompat(file));

// A container runtime puts the driver's libraries into a system folder, and into the loader's cache: so do we, in a copy of the facts.
export async function withDriver(given: Examination, isAssumed: boolean): Promise<Examination> {
  const snapshot = overlay(given.view.snapshot);
  const { files } = snapshot;
  const folder = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/lib"].find(
    (path) => files[path]?.kind === "folder",
  );
  const machine = await settle(given, machineOf);
  const flags = cacheFlags(machine, 64);
  const added: CacheEntry[] = [];
  // Where no container is asked about, what a variable would leave out of one is of no matter.
  for (const soname of exposedLibraries(isAssumed || snapshot.target.kind === "image" ? snapshot.environment : {})) {
    const path = `${folder}/${soname}`;
    const known = files[path];
    if (folder === undefined || (known && known.kind !== "absent")) continue;
    // Larger than any stub.
    files[path] = {
      kind: "file",
      size: 1 << 26,
      object: { kind: "elf", class: 64, order: "little", machine, type: 3, soname, needed: [], definesAll: true },
    };
    added.push({ name: soname, path, flags });
  }
  const cache = await settle(given, (view) => {
    const at = view.lookup("/etc/ld.so.cache");
    if ("found" in at && at.entry.kind === "file" && at.entry.cache === undefined) view.need(at.found, "cache");
    return at;
  });
  if ("found" in cache && cache.entry.kind === "file" && cache.entry.cache) {
    const others = cache.entry.cache.entries.filter(({ name }) => !added.some((each) => each.name === name));
    files[cache.found] = { ...cache.entry, cache: { ...cache.entry.cache, entries: [...added, ...others] } };
  }
  return { ...given, view: viewOf(snapshot) };
}

/** By the loaders that the ABIs name: Red Hat's /usr/lib64 says nothing, and a loader of another machine may lie beside the own. */
function machineOf(view: View): number {
  const isThere = (...paths: string[]) => paths.some((path) => kindAt(view, path) === "file");
  const isArm = isThere("/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-aarch64.so.1");
  return isArm && !isThere("/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1") ? 183 : 62;
}

/**
 * The same facts, with a driver where one is asked about and not there, or where nothing shows any: what is asked beyond the import would
 * end before it told anything. A check assumes the same.
 */
export async function withDriverIfNone(
  given: Examination,
  inventory: Inventory,
): Promise<{ examination: Examination; isAssumed: boolean }> {
  const { assumed } = given.view.snapshot;
  const isLacking = assumed ? !hasDriver(inventory) : !showsDriver(inventory);
  return { examination: isLacking ? await withDriver(given, assumed !== undefined) : given, isAssumed: isLacking && !assumed };
}

/** Said where nothing shows a driver, and none was asked about. */
export const driverUnknown: UnknownThing = {
  subject: "driver and GPU",
  kind: "driver",
  reason: "no driver found; assuming that the host provides one: `--driver V --gpu NAME` says which",
};
