import { compareDotted } from "../knowledge/dotted.ts";
import { memo } from "../lib/memo.ts";
import { watched } from "./watched.generated.ts";

/**
 * Whether what a release loads at an activity was watched on a real installation, and came as predicted (knowledge/watched.json). Within a
 * minor release, others count by the nearest that were watched, before and after: 2.5.0 by 2.5.1; but where each patch is a release of its
 * own (`=`), only for itself. What comes before a release was not watched.
 */
export function isWatched(framework: string, version: string, activity: string, table = watched): boolean {
  const [, whole, release] = /^((\d+(?:\.\d+)+)(?:\.post\d+)?)(?:\+.*)?$/.exec(version) ?? [];
  if (whole === undefined || release === undefined) return false;
  const minor = minorOf(release);
  const near = releasesIn(table[framework]?.[activity] ?? "").filter((each) =>
    each.isAlone ? each.release === whole : each.minor === minor,
  );
  const order = (each: { release: string }) => compareDotted(each.release.replace(/\.post\d+$/, ""), release);
  const before = near.findLast((each) => order(each) <= 0);
  const after = near.find((each) => 0 <= order(each));
  return (before ?? after) !== undefined && (before?.asPredicted ?? true) && (after?.asPredicted ?? true);
}

/** The question comes for every load, and there are a few dozen such texts. */
const releasesIn = memo(400, (texts: string) =>
  texts
    .split(" ")
    .filter((text) => text !== "")
    .map((text) => ({ release: text.replace(/^[!=]+/, ""), asPredicted: !text.includes("!"), isAlone: text.startsWith("=") }))
    .map((each) => ({ ...each, minor: minorOf(each.release) })),
);

const minorOf = (release: string) => release.split(".").slice(0, 2).join(".");
