import { keptWith, memo } from "../lib/memo.ts";
import { needsOf, releasesOf } from "../builds/build.ts";
import { toolkitRunsOn, type Place } from "./fit.ts";
import { leafFits, majorOf, naturalChoice, objectsOf, versionsWithin } from "./leaves.ts";
import type { Preferences, State } from "./search.ts";
import { isIn } from "../builds/specifier.ts";

/** Releases of NVIDIA's packages that go together. */
export interface ChosenLibraries {
  versions: Map<string, string>;
  /** The toolkit that they are of, by CUDA major. */
  toolkits: Map<string, string>;
  /** Those that pip would not choose by itself. */
  pinned: Set<string>;
}

/** The packages of a toolkit, as the metapackage lists them: `nvidia-cublas-cu12` → `12.8.4.1.*`. */
const partsOf = memo(200, (toolkit: string): Map<string, string> => {
  const release = releasesOf("cuda-toolkit").find(({ version }) => version === toolkit);
  return new Map(release ? needsOf("cuda-toolkit", release).map(({ name, specifier }) => [name, specifier]) : []);
});

/** Libraries that cannot be had together. */
export interface Blocked {
  blocked: string[];
  /** It is for want of a toolkit: what pins libraries of its own decides about that, too. */
  byToolkit?: true;
}

export function chooseLibraries({ bounds, chosen }: State, place: Place, { installed, asPip }: Preferences): ChosenLibraries | Blocked {
  const versions = new Map<string, string>();
  const toolkits = new Map<string, string>();
  const pinned = new Set<string>();
  const names = [...bounds.keys()].filter((name) => name.startsWith("nvidia-"));
  const majors = [...new Set(names.map((name) => majorOf(name)))];
  for (const major of majors) {
    const mine = names.filter((name) => majorOf(name) === major);
    const toolkit = major === undefined ? "" : chooseToolkit(major, mine, { bounds, chosen }, place);
    if (toolkit === undefined) return { blocked: mine, byToolkit: true };
    if (major !== undefined && toolkit !== "") toolkits.set(major, toolkit);
    // pip knows nothing of toolkits: of each it takes the newest.
    const parts = asPip ? new Map<string, string>() : partsOf(toolkit);
    for (const name of mine) {
      const specifiers = bounds.get(name)!.map(({ specifier }) => specifier);
      const within = versionsWithin(name, specifiers)?.filter((version) => leafFits(name, version, place));
      if (!within) continue;
      const kept = installed?.get(name);
      const part = parts.get(name);
      const choice =
        within.find((version) => version === kept) ?? within.find((version) => part !== undefined && isIn(version, part)) ?? within[0];
      if (choice === undefined) return { blocked: [name] };
      versions.set(name, choice);
      if (choice !== naturalChoice(name, specifiers)) pinned.add(name);
    }
  }
  if (place.mayCollide) return { versions, toolkits, pinned };
  const owners = new Map<string, string>();
  for (const [name, version] of versions)
    for (const object of objectsOf(name, [version])) {
      if (owners.has(object)) return { blocked: names };
      owners.set(object, name);
    }
  return { versions, toolkits, pinned };
}

// The newest toolkit that every requirement lets in; where a package pins its libraries, the one that they are of.
function chooseToolkit(
  major: string,
  names: string[],
  { bounds, chosen }: Pick<State, "bounds" | "chosen">,
  place: Place,
): string | undefined {
  const own = chosen.get("cuda-toolkit")?.version;
  const fitting = fittingToolkits(major, place).filter((version) => own?.split(".")[0] !== major || version === own);
  const pins = [...chosen.values()].flatMap(({ cuda, needs }) =>
    cuda?.version.startsWith(`${major}.`) && needs().some(({ name, specifier }) => names.includes(name) && specifier.startsWith("=="))
      ? [cuda.version]
      : [],
  );
  // A release that pins what it brings has the last word; the list of toolkits need not have its own.
  if (0 < pins.length) return fitting.find((version) => pins.includes(minorOf(version))) ?? "";
  const complete = fitting.find((version) => {
    const parts = partsOf(version);
    return names.every((name) => {
      const part = parts.get(name);
      return part === undefined || 0 < (versionsWithin(name, [...bounds.get(name)!.map(({ specifier }) => specifier), part])?.length ?? 1);
    });
  });
  if (complete !== undefined) return complete;
  return place.cuda.length === 0 && place.gpus.length === 0 ? "" : undefined;
}

const fits = keptWith((_place: Place) => new Map<string, string[]>());

/** Toolkits of a major that do in a place, newest first. */
function fittingToolkits(major: string, place: Place): string[] {
  const known = fits(place);
  let fitting = known.get(major);
  if (!fitting) {
    fitting = releasesOf("cuda-toolkit")
      .map(({ version }) => version)
      .filter(
        (version) =>
          version.split(".")[0] === major &&
          place.cuda.every((specifier) => isIn(version, specifier)) &&
          place.gpus.every(({ sm }) => toolkitRunsOn(minorOf(version), sm)),
      )
      .reverse();
    known.set(major, fitting);
  }
  return fitting;
}

const partsAllowed = keptWith((_place: Place) => new Map<string, string[]>());

/** Whether a release of a library is of a toolkit that does; what is no part of toolkits always is. */
export function isOfFittingToolkit(name: string, version: string, place: Place): boolean {
  const major = majorOf(name);
  if (major === undefined || (place.cuda.length === 0 && place.gpus.length === 0)) return true;
  const known = partsAllowed(place);
  let parts = known.get(name);
  if (!parts) {
    parts = [...new Set(fittingToolkits(major, place).flatMap((toolkit) => partsOf(toolkit).get(name) ?? []))];
    known.set(name, parts);
  }
  if (parts.some((part) => isIn(version, part))) return true;
  return parts.length === 0 && !releasesOf("cuda-toolkit").some((release) => partsOf(release.version).has(name));
}

export const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");
