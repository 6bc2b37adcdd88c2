// What a search could not look at: a folder that may not be entered is not one that is empty.
import { reasonOfCode } from "../lib/reason.ts";
import { absolute, folderOf } from "../lib/path.ts";
import type { Failure, Loads } from "../model/loads.ts";
import type { View } from "./view.ts";

/** Why something cannot be seen, as the end of a sentence. */
export const whyUnseen = (code: string) =>
  code === "EACCES" || code === "EPERM"
    ? "may not be read: run as its owner"
    : code === "EFBIG"
      ? "is too large to be read"
      : `cannot be read: ${reasonOfCode(code)}`;

/** The first of the places that a failed search went through and that could not be seen. */
export function unseenOnTheWay(view: View, { tried, file, underlying }: Failure): string | undefined {
  const path = [...tried, ...(file === undefined ? [] : [file])].find((each) => view.blind.has(absolute(each, view.cwd)));
  if (path !== undefined) return blockedAt(view, absolute(path, view.cwd));
  // Whoever searches asks the cache, too.
  if (0 < tried.length && view.blind.has(cache)) return blockedAt(view, cache);
  return underlying && unseenOnTheWay(view, underlying);
}

/** Says of an answer what it could not look at: failures of a system that others start, and a preload file that was not read. */
export function tellUnseen(view: View, answer: Loads): Loads {
  const tell = (subject: string, code: string) => {
    if (!answer.unknown.some((each) => each.subject === subject)) answer.unknown.push({ subject, kind: "file", reason: whyUnseen(code) });
  };
  if (view.snapshot.target.kind === "root")
    for (const failure of answer.failures) {
      const place = unseenOnTheWay(view, failure);
      if (place !== undefined) tell(place, "EACCES");
    }
  // Whoever may not read this file is not disturbed by it.
  const preload = view.blind.get("/etc/ld.so.preload");
  if (preload !== undefined && preload !== "EACCES") {
    tell("/etc/ld.so.preload", preload);
    for (const load of answer.loads) load.certainty = "possible";
  }
  return answer;
}

const cache = "/etc/ld.so.cache";

/** The folder that may not be entered, where that is why a path cannot be seen. */
export function blockedAt(view: View, path: string): string {
  let at = path;
  for (let above = folderOf(at); at !== "/" && at !== ""; above = folderOf(at)) {
    const here = view.lookup(at);
    if ("found" in here) return here.found;
    if (!("error" in here)) return at;
    const parent = view.lookup(above);
    if ("found" in parent) return parent.found;
    at = above;
  }
  return path;
}
