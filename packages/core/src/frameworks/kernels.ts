import { isElf, type View } from "../resolve/view.ts";
import type { Kernels } from "./framework.ts";

/** What the fat binaries of an object hold: none where it has none, or it cannot be read. */
export function kernelsIn(view: View, path: string): Kernels | undefined {
  const at = view.lookup(path);
  if (!("found" in at) || at.entry.kind !== "file" || at.entry.unreadable !== undefined) return undefined;
  const object = view.object(at.found, at.entry);
  if (!isElf(object)) return undefined;
  if (object.architectures === undefined) view.need(at.found, "architectures");
  return object.architectures && 0 < object.architectures.length
    ? { architectures: object.architectures, evidence: at.found, certain: true }
    : undefined;
}

/** Whether an object is for the processors that the published wheels of x86-64 are for: what is known of those is known of it. */
export function isX86(view: View, path: string): boolean {
  const at = view.lookup(path);
  const object = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  return isElf(object) && object.machine === 62;
}
