import { libraryOf } from "../knowledge/libraries.ts";
import type { LoadedLibrary } from "../model/explain.ts";
import type { Loads } from "../model/loads.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";

/** What the maps of a process (/proc/PID/maps) say: its GPU libraries, and which frameworks run in it. */
export interface Mapped {
  /** Files of known GPU libraries, by file. */
  libraries: Map<string, string>;
  frameworks: Set<string>;
  /** Folders of Python environments whose packages are mapped. */
  environments: Set<string>;
}

export const nothingMapped = (): Mapped => ({ libraries: new Map(), frameworks: new Set(), environments: new Set() });

/** Adds what one look at a process shows. */
export function addMaps(mapped: Mapped, maps: string): void {
  let before = "";
  for (const line of maps.split("\n")) {
    const slash = line.indexOf("/");
    if (slash < 0) continue;
    const path = line.slice(slash);
    if (path === before || !path.includes(".so")) continue;
    before = path;
    const library = libraryOf(path);
    if (library) mapped.libraries.set(path, library.id);
    const packages = /^(?<prefix>\/.{1,300}?)\/lib(?:64)?\/python3\.\d{1,2}\/(?:site|dist)-packages\//.exec(path)?.groups?.["prefix"];
    if (packages === undefined) continue;
    for (const { id, mapped: signs } of frameworkNames)
      if (signs.some((sign) => path.includes(sign))) {
        mapped.frameworks.add(id);
        mapped.environments.add(packages);
      }
  }
}

/** What was predicted beside what was really loaded, library by library. */
export function besidePredicted(mapped: Mapped, predicted: Loads | undefined): LoadedLibrary[] {
  const rows: LoadedLibrary[] = [];
  const expected = new Map<string, { library: string; certain: boolean; version?: string }>();
  for (const { file, library, certainty, unmapped, version } of predicted?.loads ?? [])
    if (library !== undefined && !unmapped)
      expected.set(file, { library, certain: certainty === "certain", ...(version === undefined ? {} : { version }) });
  for (const [file, library] of [...mapped.libraries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = expected.get(file);
    rows.push({
      library,
      file,
      ...(known?.version === undefined ? {} : { version: known.version }),
      state: predicted === undefined ? "loaded" : known ? "as-foreseen" : "not-foreseen",
    });
  }
  for (const [file, { library, certain }] of expected)
    if (!mapped.libraries.has(file) && certain) rows.push({ library, file, state: "not-loaded" });
  return rows.sort((a, b) => (a.library < b.library ? -1 : a.library > b.library ? 1 : 0));
}
