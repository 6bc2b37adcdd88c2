import { clashSources, clashWords, installedAs, pluginClashes, viewers } from "../../knowledge/profiler-plugins.ts";
import { frameworkNames } from "../../model/framework-names.generated.ts";
import type { PluginClash } from "../../model/knowledge.ts";
import { gpuBuilds } from "../../dependency-files/builds.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { installedFact, lastWritten } from "../../dependency-files/facts.ts";
import type { Installation, Installed } from "../../dependency-files/install.ts";
import { lastingValue } from "../../dependency-files/variables.ts";
import { writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    const { installation, before } = context;
    const recording = new Set(gpuBuilds(installation).map(({ framework }) => framework));
    const programs = frameworkNames.filter(({ id, profilesWithCupti }) => profilesWithCupti && recording.has(id)).map(({ id }) => id);
    if (programs.length === 0) return [];
    const already = new Set(before ? clashesIn(context, before).map(({ id }) => id) : []);
    const packages = sureIn(installation);
    const isWanted = packages.some(({ name }) => viewers.includes(name));
    return clashesIn(context, installation)
      .filter(({ id }) => !already.has(id))
      .map((clash) => {
        const own = Object.keys(clash.when).map((name) => installedAs(packages, name)!) as [Installed, ...Installed[]];
        return {
          subject: clash.id,
          place: lastWritten(own).place,
          ...(isWanted ? {} : { severity: "info" as const }),
          short: `profiles cannot be shown: ${clash.effect}`,
          message: `profiles could not be shown: with ${clashWords(clash, packages)}, ${clash.effect}`,
          because: [
            ...own.map(writtenAt),
            `it prints: ${clash.message}`,
            "the requirements of these packages allow it, so pip does not object",
          ],
          advice: clash.remedies.map((remedy, index) => `${index === 0 ? "" : "or "}ask for ${remedy}`),
          facts: { packages: own.map((each) => installedFact(each, "conflicts")) },
          endangers: isWanted ? programs.map((framework) => ({ framework, activity: "profile" })) : [],
          sources: clashSources(clash),
        };
      });
  },
});

/** Combinations that are sure to be there. What is absent is known only where a file lists all that is installed. */
function clashesIn({ declaration: { steps } }: InstallContext, installation: Installation): PluginClash[] {
  const variable = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION";
  const value = lastingValue(steps, variable)?.value;
  const isWhole = steps.every((step) => step.kind !== "install" || step.isLocked) && !steps.some(({ kind }) => kind === "unseen");
  return pluginClashes(sureIn(installation), installation.python ?? "", value === undefined ? {} : { [variable]: value }).filter(
    ({ lacks, python }) => (lacks === undefined || isWhole) && (python === undefined || installation.python !== undefined),
  );
}

/** Versions that are written or locked: what pip would choose another day is another matter. */
const sureIn = ({ packages }: Installation): (Installed & { version: string })[] =>
  [...packages.values()].flatMap((each) =>
    each.version !== undefined && !each.isAssumed && (each.manager === "pip" || each.manager === "image")
      ? [{ ...each, version: each.version }]
      : [],
  );
