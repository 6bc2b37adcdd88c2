import { allNames } from "../model/frameworks.ts";
import type { Requirement } from "../solve/requirement.ts";
import { letsOlderIn, search, type Preferences } from "../solve/search.ts";

/** A few sets that cannot be met: each without what the one before was blamed for. */
export function clashesIn(requirements: Requirement[], preferences: Preferences): Requirement[][] {
  const found: Requirement[][] = [];
  let left = requirements;
  while (found.length < 3) {
    const core = smallerConflict(left, preferences);
    if (!core) return found;
    found.push(core);
    // A pin of what a framework brings goes with none that brings it: said once.
    const last = core.findLast(({ wish }) => wish.kind === "dependency") ?? core.findLast(({ wish }) => wish.kind !== "python")!;
    left = left.filter((each) => each !== last);
    if (!left.some(({ wish }) => wish.kind === "package") || search(left, preferences) || isSpent(preferences)) return found;
  }
  return found;
}

/**
 * A small set of requirements that cannot be met, none of which can be left out; undefined where a release that is not known
 * here, older than the oldest that is, might meet them.
 */
function smallerConflict(requirements: Requirement[], preferences: Preferences): Requirement[] | undefined {
  // What is least sharp goes first: an exact pin is what people look for.
  let core = [...requirements].sort((a, b) => sharpness(a) - sharpness(b));
  for (const each of core) {
    const rest = core.filter((other) => other !== each);
    if (0 < rest.length && !search(rest, preferences) && !isSpent(preferences)) core = rest;
  }
  if (isSpent(preferences) || mayReachBack(core, preferences) || isSpent(preferences)) return undefined;
  return requirements.filter((each) => core.includes(each)).sort((a, b) => pinnedness(a) - pinnedness(b));
}

const isSpent = ({ budget }: Preferences) => budget !== undefined && budget.left < 0;

const pinnedness = ({ wish }: Requirement) =>
  "specifier" in wish && wish.specifier !== "" ? (wish.specifier.startsWith("==") ? 2 : 1) : 0;

// What is made for one release of a framework asks for nothing but that: it is the framework that does not go with the others.
const isFollower = ({ wish }: Requirement) => wish.kind === "package" && allNames("companions").includes(wish.name);

const sharpness = (requirement: Requirement) => pinnedness(requirement) - (isFollower(requirement) ? 0.5 : 0);

/** Whether older releases than are known might do: not where another of them asks for newer ones. */
function mayReachBack(core: Requirement[], preferences: Preferences): boolean {
  if (!core.some(reachesBack)) return false;
  const open = core.map((each): Requirement => {
    if (!reachesBack(each) || each.wish.kind !== "package") return each;
    const { name, specifier } = each.wish;
    return { ...each, wish: { kind: "dependency", name, specifier } };
  });
  return !open.some(({ wish }) => wish.kind === "package") || search(open, preferences) !== undefined;
}

const reachesBack = ({ wish }: Requirement) => wish.kind === "package" && letsOlderIn(wish.name, wish.specifier);
