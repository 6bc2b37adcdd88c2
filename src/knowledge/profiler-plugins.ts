import { isWithin } from "../lib/pep440.ts";
import type { PluginClash } from "../model/knowledge.ts";
import { profilerPlugins } from "./texts/profiler-plugins.generated.ts";

/** Combinations among installed packages of which it is known that they cannot show a profile. */
export function pluginClashes(
  packages: { name: string; version: string }[],
  python: string,
  variables: { [name: string]: string } = {},
): PluginClash[] {
  // The first on sys.path is the one that is imported.
  const versions = new Map(packages.toReversed().map(({ name, version }) => [name, version]));
  return profilerPlugins().clashes.filter(({ when, lacks = [], python: pythons, unless }) => {
    const isThere = Object.entries(when).every(([name, range]) => versions.has(name) && isWithin(versions.get(name)!, range) === true);
    const [variable, value] = unless?.split("=") ?? [];
    return (
      isThere &&
      !lacks.some((name) => versions.has(name)) &&
      (pythons === undefined || isWithin(python, pythons) === true) &&
      (variable === undefined || variables[variable] !== value)
    );
  });
}

/** Where what is said of a clash comes from. */
export const clashSources = ({ source }: PluginClash) =>
  [source].flat().flatMap((key) => (key === "tried" || key === "pypi" ? [] : [profilerPlugins().sources[key] ?? key]));

/** Packages that show profiles; one of them in an environment says that somebody wants to see one. */
export const viewers = ["tensorboard-plugin-profile", "xprof", "torch-tb-profiler"];
