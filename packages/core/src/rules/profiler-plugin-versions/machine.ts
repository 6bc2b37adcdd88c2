import { pipOf } from "../../diagnose/pip.ts";
import { clashSources, clashWords, installedAs, pluginClashes, viewers } from "../../knowledge/profiler-plugins.ts";
import { profileOf, profilers } from "../../diagnose/cupti.ts";
import { packageFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";

export default machineSide(page, {
  finds(stack) {
    const wanting = profilers(stack);
    return stack.environments.flatMap((environment) => {
      const { prefix, packages, version } = environment;
      const programs = wanting.filter(({ run }) => run.environment?.prefix === prefix).map(({ program }) => program);
      if (programs.length === 0) return [];
      const isWanted = stack.askedActivities.includes("profile") || packages.some(({ name }) => viewers.includes(name));
      return pluginClashes(packages, version, stack.variables).map((clash) => ({
        subject: `${clash.id} in ${prefix}`,
        // Where nobody looks at profiles, a TensorBoard that does not start is none of our business.
        ...(isWanted ? {} : { severity: "info" as const }),
        short: `profiles cannot be shown: ${clash.effect}`,
        message: `profiles could not be shown in ${prefix}: with ${clashWords(clash, packages)}, ${clash.effect}`,
        because: [`it prints: ${clash.message}`, "the requirements of these packages allow it, so pip does not object"],
        evidence: Object.keys(clash.when).map((name) => installedAs(packages, name)!.metadata),
        advice: clash.remedies.map((remedy, index) => ({
          words: `${index === 0 ? "" : "or "}install ${remedy}`,
          command: pipOf(environment, "install", remedy),
          scope: "install" as const,
        })),
        facts: { packages: Object.keys(clash.when).map((name) => packageFact({ environment }, installedAs(packages, name)!, "conflicts")) },
        endangers: isWanted ? programs.map(profileOf) : [],
        sources: clashSources(clash),
      }));
    });
  },
});
