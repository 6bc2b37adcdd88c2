import type { Failure } from "../model/loads.ts";
import { checkVersions, mapDependencies, mapObject, triedOf } from "./glibc.ts";
import { mapMuslObject } from "./musl.ts";
import { nameOfObject, type LoadedObject, type Process } from "./process.ts";
import { relocationOrder } from "./relocation-order.ts";
import { checkSymbols } from "./symbols.ts";

export interface OpenMode {
  /** RTLD_LAZY leaves functions unbound until they are called; Python and most frameworks use RTLD_NOW. */
  lazy?: boolean;
  /** RTLD_NOLOAD: only an object that is there already. */
  onlyLoaded?: boolean;
  global?: boolean;
}

export type Opened = { object: LoadedObject } | { failure: Failure } | { absent: true } | { pending: true };

/** dlopen by code inside `requester`. When it fails, everything it brought is gone again. glibc elf/dl-open.c. */
export function dlopen(process: Process, requester: LoadedObject, name: string, mode: OpenMode = {}): Opened {
  return process.loader.fact.flavour === "musl" ? openMusl(process, name, mode) : openGlibc(process, requester, name, mode);
}

function openGlibc(process: Process, requester: LoadedObject, name: string, mode: OpenMode): Opened {
  const before = process.objects.length;
  const pendingBefore = process.pending;
  process.pending = false;

  const mapped = mapObject(process, requester, name, { opening: true, root: true });
  process.heard?.(requester, name, mapped);
  if ("pending" in mapped) {
    process.pending = true;
    return { pending: true };
  }
  if ("failure" in mapped) {
    process.pending = pendingBefore;
    return mode.onlyLoaded ? { absent: true } : mapped;
  }
  const { object } = mapped;
  if (!mapped.fresh) {
    process.reused?.push({
      name,
      file: object.file,
      requestedBy: nameOfObject(process, requester),
      by: mapped.by ?? "name",
      tried: triedOf(mapped.steps),
    });
    process.pending = pendingBefore;
    return { object };
  }
  if (mode.onlyLoaded) {
    rollBack(process, before, false);
    process.pending = pendingBefore;
    return { absent: true };
  }

  const { order, failure: missing } = mapDependencies(process, object, [], { opening: true }, () => false);
  const pending = process.pending;
  process.pending ||= pendingBefore;
  if (pending) return { pending: true };
  object.scope = order;
  const fresh = process.objects.slice(before);
  let failure = missing ?? fresh.flatMap((added) => checkVersions(process, added))[0];
  if (!failure) {
    const bindsNow = !mode.lazy || (process.environment["LD_BIND_NOW"] ?? "") !== "";
    const isLazy = ({ fact }: LoadedObject) => !bindsNow && !fact.flags?.includes("now");
    const global = [...(process.executable.scope ?? []), ...process.objects.filter((other) => other.global)];
    const scope = [...new Set([...global, ...order])];
    const added = new Set(fresh);
    for (const next of relocationOrder(process, order)) if (added.has(next)) failure ??= checkSymbols(process, next, scope, isLazy(next));
    if (process.pending && !failure) return { pending: true };
  }
  for (const added of fresh) if (added.load) process.loads.push(added.load);
  if (failure) {
    rollBack(process, before, true);
    return { failure };
  }
  if (mode.global) for (const member of order) member.global = true;
  return { object };
}

// Names that objects from before were given on the way stay with them.
function rollBack(process: Process, before: number, mark: boolean): void {
  const gone = new Set(process.objects.splice(before));
  for (const object of gone) if (mark && object.load) object.load.unmapped = true;
  for (const [name, object] of process.byName) if (gone.has(object)) process.byName.delete(name);
}

// musl: the requester is always the executable, and nothing is ever unloaded once it is in.
function openMusl(process: Process, name: string, mode: OpenMode): Opened {
  const { executable } = process;
  const before = process.objects.length;
  const mapped = mapMuslObject(process, executable, name);
  process.heard?.(executable, name, mapped);
  if ("pending" in mapped) {
    process.pending = true;
    return { pending: true };
  }
  if ("failure" in mapped) {
    if (mode.onlyLoaded) return { absent: true };
    // Nobody needs it: the message ends with the reason.
    return { failure: { ...mapped.failure, message: mapped.failure.message.replace(/ \(needed by [^)]*\)$/, "") } };
  }
  if (mode.onlyLoaded && mapped.fresh) {
    rollBack(process, before, false);
    return { absent: true };
  }
  const order = [mapped.object];
  for (let index = 0; index < order.length; index += 1) {
    const object = order[index]!;
    for (const needed of object.fact.needed) {
      const dependency = mapMuslObject(process, object, needed);
      process.heard?.(object, needed, dependency);
      if ("pending" in dependency) process.pending = true;
      else if ("failure" in dependency) {
        rollBack(process, before, true);
        return dependency;
      } else if (!order.includes(dependency.object)) order.push(dependency.object);
    }
  }
  if (process.pending) return { pending: true };
  for (const added of process.objects.slice(before)) if (added.load) process.loads.push(added.load);
  return { object: mapped.object };
}
