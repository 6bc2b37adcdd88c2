// What a release asks for, and what has to come along with it: `pip install --no-deps` brings none of it.
import { requiresOf, versionWithin } from "../knowledge/published.ts";
import { isWithin } from "../lib/pep440.ts";
import { markerHolds, normalName, parseRequirement, type PythonRequirement } from "../lib/pep508.ts";
import { isAskedFor, isAsking } from "../model/frameworks.ts";
import { ownPackage, type WheelChange } from "./wheels.ts";

/** Other wheels that releases ask for and would not find in their environment; undefined where what they ask for is not known. */
export function comingAlong(changes: WheelChange[]): WheelChange[] | undefined {
  const all = [...changes];
  // What comes along may ask for more.
  for (const change of all) {
    const lacking = lackingFor(change, all);
    if (lacking === undefined) return undefined;
    all.push(...lacking);
  }
  return all.slice(changes.length);
}

function lackingFor({ environment, name, version }: WheelChange, all: WheelChange[]): WheelChange[] | undefined {
  const installed = ownPackage(environment, name);
  // It asks for what it asked for before; and of packages that only bring libraries nobody compares what they ask for.
  if (installed?.version === version || !isAsking(name)) return [];
  const requires = requiresOf(name, version);
  if (requires === undefined) return undefined;
  const before = new Set(plainly(requiresOf(name, installed?.version ?? "") ?? [], environment.version).map((each) => each.name));
  const lacking: WheelChange[] = [];
  for (const { name: needed, specifier } of plainly(requires, environment.version)) {
    const chosen = all.find((other) => other.environment === environment && other.name === needed)?.version;
    const there = chosen ?? environment.packages.find((found) => found.name === needed)?.version;
    if (there !== undefined && isWithin(there, specifier) !== false) continue;
    // What is missing already, and is asked for already, is another matter.
    if (there === undefined && !isAskedFor(needed) && (before.has(needed) || installed === undefined)) continue;
    const fitting = versionWithin(needed, specifier);
    if (chosen !== undefined || fitting === undefined) return undefined;
    lacking.push({ environment, name: needed, version: fitting });
  }
  return lacking;
}

/** Requirements that count without any extra. */
function plainly(requires: string[], python: string): PythonRequirement[] {
  const variables = {
    python_version: python,
    python_full_version: `${python}.0`,
    sys_platform: "linux",
    platform_system: "Linux",
    os_name: "posix",
    platform_machine: "x86_64",
    platform_python_implementation: "CPython",
    implementation_name: "cpython",
    extra: "",
  };
  return requires.flatMap((text) => {
    const read = parseRequirement(text);
    if ("problem" in read || (read.marker !== undefined && markerHolds(read.marker, variables) === false)) return [];
    return [{ ...read, name: normalName(read.name) }];
  });
}
