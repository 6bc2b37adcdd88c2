import { clashSources, installedAs, pluginClashes, viewers } from "../knowledge/profiler-plugins.ts";
import type { PluginClash } from "../model/knowledge.ts";
import { profileOf, profilers } from "../diagnose/cupti.ts";
import { packageFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "profiler-plugin-versions",
  title: "TensorBoard and what shows profiles in it do not fit together",
  cause: "profiler-plugin-version",
  severity: "warning",
  notOn: { "dependency-file": "TODO" },
  page: {
    what: "A profile would be written, and cannot be shown: TensorBoard does not start, or leaves its profile plugin out, because two of tensorboard, tensorboard-plugin-profile, xprof, protobuf, setuptools and numpy do not fit together.",
    why: "Their requirements are too wide, so that pip sees nothing wrong: tensorboard before 2.21 needs pkg_resources, which setuptools 82 no longer has; generated messages of older plugins do not work with protobuf 4, and those of xprof 2.20.6 to 2.22 need protobuf 6.31; an old tensorboard-plugin-profile and xprof both register a plugin called profile.",
    how: "The versions of these packages in the environment are compared with combinations that are known not to work (knowledge/profiler-plugins.json).",
    fix: "Change the one package that the finding names.",
    observed:
      "Each combination was installed from PyPI in an environment of its own, and TensorBoard's backend started with all its plugins; so were its healthy neighbours.",
  },
  finds(stack) {
    const wanting = profilers(stack);
    return stack.environments.flatMap((environment) => {
      const { prefix, packages, version, python } = environment;
      const programs = wanting.filter(({ run }) => run.environment?.prefix === prefix).map(({ program }) => program);
      if (programs.length === 0) return [];
      const isWanted = stack.askedActivities.includes("profile") || packages.some(({ name }) => viewers.includes(name));
      return pluginClashes(packages, version, stack.variables).map((clash) => ({
        subject: `${clash.id} in ${prefix}`,
        // Where nobody looks at profiles, a TensorBoard that does not start is none of our business.
        severity: isWanted ? ("warning" as const) : ("info" as const),
        message: `profiles could not be shown in ${prefix}: with ${namesOf(clash, packages)}, ${clash.effect}`,
        because: [`it prints: ${clash.message}`, "the requirements of these packages allow it, so pip does not object"],
        evidence: Object.keys(clash.when).map((name) => installedAs(packages, name)!.metadata),
        advice: clash.remedies.map((remedy, index) => ({
          words: `${index === 0 ? "" : "or "}install what goes with the others`,
          command: [python, "-m", "pip", "install", remedy],
          scope: "install" as const,
        })),
        facts: { packages: Object.keys(clash.when).map((name) => packageFact({ environment }, installedAs(packages, name)!, "conflicts")) },
        endangers: isWanted ? programs.map(profileOf) : [],
        sources: clashSources(clash),
      }));
    });
  },
});

function namesOf({ when, lacks, python }: PluginClash, packages: { name: string; version: string }[]): string {
  const installed = Object.keys(when).map((name) => `${name} ${installedAs(packages, name)?.version ?? ""}`);
  const rest = [...(python === undefined ? [] : [`Python ${python.replace(">=", "")} or newer`]), ...(lacks ? [`no ${lacks[0]}`] : [])];
  return [...installed, ...rest].join(" and ");
}
