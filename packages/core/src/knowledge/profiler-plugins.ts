import { compareDotted } from "./dotted.ts";
import { isWithin } from "../lib/pep440.ts";
import type { PluginClash } from "../model/knowledge.ts";
import { profilerPlugins } from "./texts/profiler-plugins.generated.ts";
import { isAmong, namesOf } from "../model/frameworks.ts";

/** Combinations among installed packages of which it is known that they cannot show a profile. */
export function pluginClashes(
  packages: { name: string; version: string }[],
  python: string,
  variables: { [name: string]: string } = {},
): PluginClash[] {
  return profilerPlugins().clashes.filter(({ when, lacks = [], python: pythons, unless }) => {
    const isThere = Object.entries(when).every(([name, range]) => {
      const found = installedAs(packages, name);
      return found !== undefined && isWithin(found.version, range) === true;
    });
    const [variable, value] = unless?.split("=") ?? [];
    return (
      isThere &&
      !lacks.some((name) => installedAs(packages, name)) &&
      (pythons === undefined || isWithin(python, pythons) === true) &&
      (variable === undefined || variables[variable] !== value)
    );
  });
}

/** The package of a name that would be imported, the first on sys.path; a framework may be published under several. */
export function installedAs<Found extends { name: string }>(packages: Found[], name: string): Found | undefined {
  const { packages: builds = [], otherBuilds = [] } = namesOf(name) ?? {};
  return packages.find((found) => found.name === name || isAmong(found.name, [...builds, ...otherBuilds]));
}

/** The line of tensorboard-plugin-profile for one of TensorFlow (`2.12`): its own, or the next that was published (there is no 2.12). */
export function pluginLineFor(minor: string): string {
  const lines = profilerPlugins()
    .releases.filter(({ package: name }) => name === "tensorboard-plugin-profile")
    .map(({ version }) => version.split(".").slice(0, 2).join("."));
  return lines.toSorted(compareDotted).find((line) => compareDotted(line, minor) >= 0) ?? minor;
}

/** Where what is said of a clash comes from. */
export const clashSources = ({ source }: PluginClash) =>
  [source].flat().flatMap((key) => (key === "tried" || key === "pypi" ? [] : [profilerPlugins().sources[key] ?? key]));

/** Packages that show profiles; one of them in an environment says that somebody wants to see one. */
export const viewers = ["tensorboard-plugin-profile", "xprof", "torch-tb-profiler"];

/** `tensorboard 2.20.0 and setuptools 84.0.0`. */
export function clashWords({ when, lacks, python }: PluginClash, packages: { name: string; version: string }[]): string {
  const installed = Object.keys(when).map((name) => `${name} ${installedAs(packages, name)?.version ?? ""}`);
  const rest = [...(python === undefined ? [] : [`Python ${python.replace(">=", "")} or newer`]), ...(lacks ? [`no ${lacks[0]}`] : [])];
  return [...installed, ...rest].join(" and ");
}
