import { profilerDefects } from "../knowledge/known-bad.ts";
import { isWithin } from "../lib/pep440.ts";
import type { ProfilerDefect } from "../model/knowledge.ts";
import type { Suspect } from "./cause.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { fix, togetherLine } from "./fixes.ts";

interface Met {
  row: ProfilerDefect;
  /** The release of the text, and whether it says all of it. */
  release: string;
  whole: boolean;
  fact: Fact;
}

/** Releases of the text with which a profile is known to lack the GPU, those that are named exactly first. */
export function profilerDefectsIn(sign: ProfilerDefect["sign"], evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  const met = profilerDefects()
    .filter((row) => row.sign === sign && (row.platform === undefined || (row.platform === "windows") === facts.on("windows")))
    .flatMap((row) => releasesOf(row, facts, context).flatMap((each) => (fits(row, each) ? { row, ...each } : [])));
  return met
    .sort((a, b) => Number(b.whole) - Number(a.whole))
    .slice(0, 1)
    .map((each) => suspect(each, evidence, facts, context));
}

function releasesOf({ of }: ProfilerDefect, facts: Facts, context: Context): Omit<Met, "row">[] {
  if (of === "cuda") {
    // A wheel brings the CUPTI of the CUDA that it was built with.
    const { cuda, facts: builds } = context.framework("torch");
    const bundled = cuda === undefined || builds[0] === undefined ? [] : [{ release: cuda, whole: false, fact: builds[0] as Fact }];
    return [...context.toolkits.map((fact) => ({ ...updateOf(fact), fact: fact as Fact })), ...bundled];
  }
  return facts
    .all("framework")
    .flatMap((fact) => (fact.id === of && fact.version !== undefined ? { release: fact.version, whole: true, fact } : []));
}

/** "12.4 Update 1", "12.4.1", or 12.4 alone. */
function updateOf({ version, at }: Fact<"toolkit">): { release: string; whole: boolean } {
  const update = new RegExp(`(?<![\\d.])${version.replace(".", "\\.")}(?:\\.(\\d)\\b|,? ?(?:Update|U) ?(\\d)\\b)`, "i").exec(at.text);
  return update ? { release: `${version}.${update[1] ?? update[2]}`, whole: true } : { release: version, whole: false };
}

/** A line of which only some updates have the defect may be one of those. */
const fits = ({ versions }: ProfilerDefect, { release, whole }: Omit<Met, "row">): boolean =>
  isWithin(release, versions) === true || (!whole && [1, 2, 3].some((update) => isWithin(`${release}.${update}`, versions) === true));

const named = (of: string) => (of === "cuda" ? "CUDA" : of === "torch" ? "PyTorch" : of);

function suspect({ row, release, whole, fact }: Met, evidence: Fact[], facts: Facts, context: Context): Suspect {
  const of = named(row.of);
  return {
    // What a platform never had is no slip of one release.
    cause: row.platform === undefined ? "upstream-bug" : "profiler-platform-unsupported",
    name: row.of === "cuda" ? "libcupti.so" : row.of,
    ...(row.of === "cuda" ? { library: "cupti" as const } : {}),
    required: `${of} ${row.instead} or newer`,
    found: `${of} ${release}`,
    certainty: whole ? "likely" : "possible",
    message: row.says,
    evidence: [...evidence, fact],
    next: row.of === "cuda" ? ["culprit why libcupti"] : [`pip show ${row.of}`],
    fixes: [
      ...(row.workaround ? [fix("without another release: set this before the program starts", ...row.workaround)] : []),
      row.of === "cuda"
        ? fix(
            `take the CUPTI of CUDA ${row.instead} or newer (it serves older programs of its major), or of a CUDA before ${row.versions.split(",")[0]!.replace(/^[<>=]+/, "")}`,
          )
        : fix(`take ${of} ${row.instead} or newer`, togetherLine(context, facts.on("windows"), `"${row.of}>=${row.instead}"`)),
    ],
  };
}
