import type { LoaderFact } from "../model/snapshot.ts";
import type { View } from "./view.ts";

const usual = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"];

/** The loader that the system's own programs use; undefined when there is none of the usual ones, or facts are missing. */
export function systemInterpreter(view: View): string | undefined {
  return usual.find((path) => "found" in view.lookup(path));
}

/** What that loader says about its rules. */
export function systemLoader(view: View): LoaderFact | undefined {
  const path = systemInterpreter(view);
  const at = path === undefined ? undefined : view.lookup(path);
  if (!at || !("found" in at) || at.entry.kind !== "file") return undefined;
  if (at.entry.loader === undefined && at.entry.unreadable === undefined) view.need(at.found, "loader");
  return at.entry.loader;
}
