import { openQuestions, type Check } from "../model/check.ts";
import { listed } from "./affected.ts";

/** How a verdict begins; only what was judged whole and found well is marked with a tick. */
export const marks = { ok: "✓", findings: "✗", incomplete: "?", "nothing-to-check": "–" } as const;

/** What a verdict rests on and was not judged, each with a reason of its own: places that could not be looked at, packages, releases. */
export const unjudged = (check: Check) =>
  openQuestions(check).filter(({ kind }) => kind === "file" || kind === "folder" || kind === "package" || kind === "release");

/** What came of it where nothing is wrong, in a few words; `told`: without what stands above it, each with its reason. */
export function statusWords(check: Check, told = false): string {
  const unseen = told ? unjudged(check) : [];
  const open = openQuestions(check).filter((each) => !unseen.includes(each));
  const names = open.map(({ subject }) => subject);
  const help = open.some(({ kind }) => kind === "driver" || kind === "gpu") ? " (`--driver V --gpu NAME` says which)" : "";
  const shown = `${names.length <= 3 ? listed(names) : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`}${help}`;
  return {
    ok: "nothing wrong found",
    findings: "",
    incomplete: `nothing wrong found, but not everything could be judged${open.length === 0 ? "" : `: ${shown}`}`,
    "nothing-to-check": "nothing to check",
  }[check.status];
}
