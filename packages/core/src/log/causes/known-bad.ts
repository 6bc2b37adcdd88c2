import { withdrawnOn, withdrawnRelease } from "../../knowledge/known-bad.ts";
import type { WithdrawnRelease } from "../../model/knowledge.ts";
import { frameworkNames } from "../../model/framework-names.generated.ts";
import { weights, type Problem } from "../cause.ts";
import type { Context } from "../context.ts";
import { isTaken, type Fact, type Facts } from "../fact.ts";
import { fix, togetherLine } from "../fixes.ts";

/** A release in the text that its makers took back, or that came out with a defect: said where something fails at all. */
export default function knownBad(facts: Facts, context: Context): Problem[] {
  const failing = facts.everything().filter((fact) => fact.kind !== "noise" && (isTaken(fact) || isEnd(fact)));
  if (failing.length === 0) return [];
  const told = new Map<string, { row: WithdrawnRelease; fact?: Fact }>();
  for (const { name, version, fact } of releasesIn(facts))
    for (const row of withdrawnRelease(name, version)) if (isHere(row, facts) && !told.has(row.id)) told.set(row.id, { row, fact });
  // Where the text does not say the release, a file that only one of them lacks gives it away, perhaps.
  for (const row of withdrawnOn("windows"))
    if (isHere(row, facts) && !releasesIn(facts).some(({ name }) => name === row.package)) told.set(row.id, { row });
  return [...told.values()].flatMap(({ row, fact }) => {
    const shown = row.shows && failing.filter((each) => !isOfOther(each, row) && row.shows!.some((word) => each.at.text.includes(word)));
    if (shown?.length === 0) return [];
    const sure = shown !== undefined && fact !== undefined;
    return [
      {
        // A file that the defect names is better evidence than that something is missing.
        weight: sure || shown ? weights.said : weights.concluded,
        suspects: [
          {
            cause: "upstream-bug" as const,
            name: row.package,
            required: `another release of ${row.package}`,
            ...(fact ? { found: `${row.package} ${row.versions.replace(/^==/, "")}` } : {}),
            certainty: sure ? ("likely" as const) : ("possible" as const),
            message: row.says,
            evidence: [...(shown ?? []).slice(0, 3), ...(fact ? [fact] : [])],
            next: [],
            fixes: [
              fix(`install ${row.package} ${row.instead}, or another release that fits your stack`, installLine(row, facts, context)),
            ],
          },
        ],
      },
    ];
  });
}

// A file that another framework misses is no sign of this one's defect.
const isOfOther = (fact: Fact, { package: name }: WithdrawnRelease) =>
  fact.kind === "not-found" && fact.by !== name && frameworkNames.some(({ id, packages }) => id === fact.by && !packages.includes(name));

const isEnd = (fact: Fact) => fact.kind === "notice" && fact.id === "ended-with-error";
const isHere = ({ platform }: WithdrawnRelease, facts: Facts) => platform === undefined || (platform === "windows") === facts.on("windows");

/** Every release that the text names, by the name that PyPI has for it. */
function releasesIn(facts: Facts): { name: string; version: string; fact: Fact }[] {
  // What one package wants of another is not what is there.
  const wanted = new Set(facts.all("conflict").map(({ at, wanted: specifier }) => `${at.line} ${specifier.replace(/^[=~<>!]{1,3}/, "")}`));
  const named = [
    ...facts
      .all("package")
      .flatMap((fact) =>
        fact.manager === "pip" || fact.manager === "wheel"
          ? [{ name: fact.name.replaceAll("_", "-").toLowerCase(), version: fact.version, fact }]
          : [],
      ),
    ...facts.all("framework").flatMap((fact) => (fact.version === undefined ? [] : [{ name: fact.id, version: fact.version, fact }])),
  ];
  return named.filter(({ version, fact }) => !wanted.has(`${fact.at.line} ${version}`));
}

// On Windows PyPI has no CUDA builds of PyTorch.
function installLine({ package: name, instead }: WithdrawnRelease, facts: Facts, context: Context): string {
  if (name === "torch" && facts.on("windows")) return togetherLine(context, true, `"torch>=${instead}"`);
  return `pip install "${name}==${instead}"`;
}
