import { runLdconfig } from "../resolve/ldconfig.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";

/** The cache that ldconfig would write takes the place of the one that is there; false where the facts do not tell what it would write. */
export async function rebuildCache(examination: Examination, only?: string[]): Promise<boolean> {
  const run = await settle(examination, (view) => runLdconfig(view, only));
  if (!run) return false;
  const { files } = examination.view.snapshot;
  for (const { path, to } of run.links) files[path] = { kind: "link", to };
  const place = await settle(examination, (view) => view.lookup("/etc/ld.so.cache"));
  files["found" in place ? place.found : "/etc/ld.so.cache"] = { kind: "file", size: 1, cache: run.cache };
  return true;
}
