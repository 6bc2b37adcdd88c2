import { compiledFrom } from "./source.ts";
import { builtApart, compiledPackage, compiledSources } from "../knowledge/compiled-packages.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { pythonsOf } from "../builds/build.ts";
import { isIn } from "../builds/specifier.ts";
import { parsePythonVersion } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import type { Install } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import type { CompiledPackage } from "../model/knowledge.ts";
import type { InstallContext } from "./context.ts";
import { install, type Installed } from "./install.ts";
import type { Unmet } from "./unmet.ts";
import { lastingValue } from "./variables.ts";
import { fullName } from "./words.ts";

/** What is compiled by one command for the torch that is there then, where a later command puts another minor release in its place. */
export function compiledBefore({ declaration: { steps }, image, before, installation }: InstallContext): Unmet[] {
  const needs = installation.packages.get("torch");
  if (needs?.version === undefined || needs.manager === "conda" || installation.failed.has(needs.step)) return [];
  let count = 0;
  return steps.flatMap((step, index): Unmet[] => {
    if (step.kind === "install") count += 1;
    if (step.kind !== "install" || step.manager !== "pip" || needs.step <= count) return [];
    return compiledFor(step).flatMap(({ row, place, name }): Unmet[] => {
      const base = image?.packages ?? [...(before?.packages.values() ?? [])];
      const { python } = installation;
      const then = install(steps.slice(0, index), { packages: base, ...(python === undefined ? {} : { python }) }).packages.get("torch");
      const [minor, now] = [minorOf(then?.version), minorOf(needs.version)];
      if (then?.version === undefined || minor === undefined || minor === now) return [];
      const by: Installed = installation.packages.get(name) ?? {
        name,
        extras: [],
        manager: "pip",
        isAssumed: false,
        place,
        step: count,
      };
      // A later command that names it again, with this torch there, has it compiled anew.
      if (by.step !== count) return [];
      return [
        {
          ...builtFor(row, minor, by, needs),
          madeFor: `it is compiled at ${placeWords(place)}, where ${fullName(then)} is there, and what is compiled for one minor release lacks symbols of another`,
          cure: `install ${fullName(needs)} in a command before ${placeWords(place)}, so that ${name} is compiled for it${needs.asked ? `; or ask for torch==${minor}.* in the end, too` : ""}`,
        },
      ];
    });
  });
}

/** What pip builds apart from what is installed, with the newest torch that it asks for, where another minor release will be there. */
export function compiledApart({ declaration: { format, steps }, installation }: InstallContext): Unmet[] {
  const needs = installation.packages.get("torch");
  // Projects tell their tools how to build, in tables of their own.
  if (needs?.version === undefined || ["pyproject", "setup-py", "setup-cfg"].includes(format)) return [];
  const now = minorOf(needs.version);
  const isolating = steps.filter(
    (step): step is Install =>
      step.kind === "install" && step.manager === "pip" && !step.isLocked && !step.isThere && !step.noIsolation && step.links.length === 0,
  );
  if (["PIP_NO_BUILD_ISOLATION", "UV_NO_BUILD_ISOLATION"].some((name) => lastingValue(steps, name) !== undefined)) return [];
  return isolating.flatMap(({ packages }) =>
    packages.flatMap(({ name, url, specifier, place }): Unmet[] => {
      const row = url === undefined ? compiledPackage({ name: normalName(name) }) : compiledFrom(url);
      const by = installation.packages.get(normalName(name));
      const asked = row && builtApart(row, specifier)?.torch;
      if (!row || !by || asked === undefined || installation.failed.has(by.step)) return [];
      const minors = new Set(pythonsWith(needs, installation.python).map((python) => minorOf(newestTorch(asked, python))));
      const [minor] = minors;
      // Which one comes may depend on a Python that nobody tells.
      if (minor === undefined || minors.has(now)) return [];
      return [
        {
          ...builtFor(row, minor, by, needs),
          madeFor: `its build asks for torch${asked}, and pip brings the newest for the build alone: what is compiled for one minor release lacks symbols of another`,
          cure: `install ${normalName(name)} with --no-build-isolation, in a command after torch (${placeWords(place)})`,
        },
      ];
    }),
  );
}

const builtFor = (row: CompiledPackage, minor: string, by: Installed, needs: Installed): Omit<Unmet, "madeFor" | "cure"> => ({
  by,
  needs,
  specifier: `==${minor}.*`,
  source: compiledSources(row).join("; "),
  isUnseen: true,
});

const pythonsWith = ({ version }: Installed, python: string | undefined): string[] => {
  if (python !== undefined) return [python];
  const release = publishedPackage("torch")?.releases.find((each) => each.version === version);
  return release ? pythonsOf(release) : [];
};

const newestTorch = (specifier: string, python: string): string | undefined =>
  publishedPackage("torch")?.releases.findLast(
    (release) => !release.yanked && isIn(release.version, specifier) && pythonsOf(release).includes(python),
  )?.version;

interface Compiled {
  row: CompiledPackage;
  name: string;
  place: Place;
}

/** What a command compiles with the torch of the environment: pip would bring one for the build alone where a package asks for it. */
function compiledFor({ packages, built = [], links, noIsolation }: Install): Compiled[] {
  const seesTorch = (row: CompiledPackage | undefined, specifier?: string): row is CompiledPackage =>
    row?.torch !== undefined && (noIsolation === true || builtApart(row, specifier) === undefined);
  const named = packages.flatMap(({ name, url, specifier, place }): Compiled[] => {
    const row = url === undefined ? (links.length === 0 ? compiledPackage({ name: normalName(name) }) : undefined) : compiledFrom(url);
    return seesTorch(row, specifier) ? [{ row, name: normalName(name), place }] : [];
  });
  const fetched = built.flatMap(({ url, place }): Compiled[] => {
    const row = compiledFrom(url);
    return seesTorch(row) && !named.some((each) => each.row === row) ? [{ row, name: row.name, place }] : [];
  });
  return [...named, ...fetched];
}

/** `2.4.1` → `2.4`. */
function minorOf(version: string | undefined): string | undefined {
  const release = version === undefined ? undefined : parsePythonVersion(version)?.release;
  return release === undefined ? undefined : `${release[0]}.${release[1] ?? 0}`;
}
