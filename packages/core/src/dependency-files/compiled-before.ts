import { compiledPackage, compiledSources } from "../knowledge/compiled-packages.ts";
import { parsePythonVersion } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import type { Install } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import type { CompiledPackage } from "../model/knowledge.ts";
import type { InstallContext } from "./context.ts";
import { install, type Installed } from "./install.ts";
import type { Unmet } from "./unmet.ts";
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
          by,
          needs,
          specifier: `==${minor}.*`,
          source: compiledSources(row).join("; "),
          isUnseen: true,
          madeFor: `it is compiled at ${placeWords(place)}, where ${fullName(then)} is there, and what is compiled for one minor release lacks symbols of another`,
          cure: `install ${fullName(needs)} in a command before ${placeWords(place)}, so that ${name} is compiled for it${needs.asked ? `; or ask for torch==${minor}.* in the end, too` : ""}`,
        },
      ];
    });
  });
}

interface Compiled {
  row: CompiledPackage;
  name: string;
  place: Place;
}

/** What a command compiles with the torch of the environment: pip would bring one for the build alone where a package asks for it. */
function compiledFor({ packages, built = [], links, noIsolation }: Install): Compiled[] {
  const seesTorch = (row: CompiledPackage | undefined): row is CompiledPackage =>
    row?.torch !== undefined && (noIsolation === true || row.torch === "undeclared");
  const named = packages.flatMap(({ name, url, place }): Compiled[] => {
    const row = url === undefined ? (links.length === 0 ? compiledPackage({ name: normalName(name) }) : undefined) : repositoryRow(url);
    return seesTorch(row) ? [{ row, name: normalName(name), place }] : [];
  });
  const fetched = built.flatMap(({ url, place }): Compiled[] => {
    const row = repositoryRow(url);
    return seesTorch(row) && !named.some((each) => each.row === row) ? [{ row, name: row.name, place }] : [];
  });
  return [...named, ...fetched];
}

const repositoryRow = (url: string): CompiledPackage | undefined =>
  url.replace(/[?#].*$/, "").endsWith(".whl") ? undefined : compiledPackage({ url });

/** `2.4.1` → `2.4`. */
function minorOf(version: string | undefined): string | undefined {
  const release = version === undefined ? undefined : parsePythonVersion(version)?.release;
  return release === undefined ? undefined : `${release[0]}.${release[1] ?? 0}`;
}
