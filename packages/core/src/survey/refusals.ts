// Whether a module would end its own import at what is installed: its conditions about releases of other packages.
import { comparePythonVersions, isWithin, parsePythonVersion } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { ComparedFact, RunFact } from "../model/snapshot.ts";
import type { View } from "../resolve/view.ts";
import { modulesOf } from "./python-modules.ts";
import { requirementsFor, specifierFor } from "./requirements.ts";

/** A package that is installed in a release which a module refuses. */
export interface Refused {
  name: string;
  version: string;
  said: string;
  raises?: string;
}

type Refusal = NonNullable<RunFact["refuses"]>[number];

/** What a refusal comes to; undefined where it does not hold, or that is not known. */
export function refusedBy(view: View, environment: PythonEnvironment, { when, said, raises }: Refusal): Refused | undefined {
  const packages = new Map<string, PythonPackage>();
  for (const compared of when) {
    const found = packageWith(view, environment, compared.of);
    if (!found || !holds(compared, found)) return undefined;
    packages.set(compared.of, found);
  }
  const [first] = packages.values();
  if (!first) return undefined;
  const wanted = when.map(({ by, than }) => `${by} ${than}`).join(" and ");
  const told = said?.replaceAll(/\{([^{}]+)\}/g, (_, of: string) => packageWith(view, environment, of)?.version ?? "…");
  return {
    name: first.name,
    version: first.version,
    said: told ?? `it raises an error for ${first.name} ${wanted}`,
    ...(raises === undefined ? {} : { raises }),
  };
}

/**
 * A package that its own does not ask for in that release: transformers' dependency_versions_check.py, utils/versions.py. What it asks for with an extra
 * alone may be passed over there, where it is too old (accelerate).
 */
export function refusedOfOwn(
  view: View,
  environment: PythonEnvironment,
  asker: PythonPackage,
  requires: string[],
  withExtras = false,
): Refused | undefined {
  const asked = requirementsFor(view, environment)(asker);
  for (const name of requires) {
    const plain = asked.find((each) => normalName(each.name) === normalName(name))?.specifier;
    const wanted = plain ?? (withExtras ? specifierFor(view, environment, asker, normalName(name)) : undefined);
    const found = environment.packages.find((each) => each.name === normalName(name));
    if (wanted === undefined || !found || isWithin(found.version, wanted) !== false) continue;
    const said = `${name}${wanted} is required for a normal functioning of this module, but found ${name}==${found.version}.`;
    return { name: found.name, version: found.version, said, raises: "ImportError" };
  }
  return undefined;
}

/** The one whose own name it is, or that has the module. */
function packageWith(view: View, { packages }: PythonEnvironment, of: string): PythonPackage | undefined {
  const named = packages.find(({ name }) => name === normalName(of));
  if (named) return named;
  const having = packages.filter((each) => modulesOf(view, each).includes(of));
  return having.length === 1 ? having[0] : undefined;
}

/** Wheels of these say of themselves for which CUDA they are, where their metadata may not: `2.6.0+cu124`. */
const isLabelled = (name: string) => /^(?:torch|triton|pytorch)/.test(name);

/** Whether one of several ways is so: all of its comparisons. */
export const isSo = (view: View, environment: PythonEnvironment, ways: ComparedFact[][]): boolean =>
  ways.some((way) =>
    way.every((compared) => {
      const found = packageWith(view, environment, compared.of);
      return found !== undefined && holds(compared, found);
    }),
  );

function holds({ by, than, as, at }: ComparedFact, { name, version }: PythonPackage): boolean {
  const number = at === undefined ? undefined : version.split("+")[0]!.split(".")[at];
  if (at !== undefined && (number === undefined || !/^\d+$/.test(number))) return false;
  const asked = number ?? version;
  const order = as === "text" ? orderOfTexts(asked, than) : as === undefined ? orderOf(asked, than) : orderOfNumbers(asked, than, as);
  if (order === undefined || (order === 0 && as !== 1 && isLabelled(name))) return false;
  return { "<": order < 0, "<=": order <= 0, ">": 0 < order, ">=": 0 <= order, "==": order === 0, "!=": order !== 0 }[by];
}

function orderOf(version: string, than: string): number | undefined {
  if (!parsePythonVersion(version) || !parsePythonVersion(than)) return undefined;
  return comparePythonVersions(version.split("+")[0]!, than);
}

/** As Python compares texts, which is not how releases follow each other: "1.9" comes behind "1.10". What is alike up to an end tells nothing. */
function orderOfTexts(version: string, than: string): number | undefined {
  const at = [...version].findIndex((each, index) => each !== than[index]);
  const [a, b] = [version[at], than[at]];
  return a === undefined || b === undefined ? undefined : a < b ? -1 : 1;
}

/** As Python compares tuples; what is no plain release would have ended the reading of its numbers. */
function orderOfNumbers(version: string, than: string, length: number): number | undefined {
  const plain = version.split("+")[0]!;
  if (!/^\d+(?:\.\d+)*$/.test(plain)) return undefined;
  const numbers = plain.split(".").map(Number);
  const mine = length === 0 ? numbers : numbers.slice(0, length);
  const other = than.split(".").map(Number);
  for (let index = 0; index < Math.max(mine.length, other.length); index++) {
    const [a, b] = [mine[index] ?? -1, other[index] ?? -1];
    if (a !== b) return a - b;
  }
  return 0;
}
