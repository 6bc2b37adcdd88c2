import { once } from "../lib/memo.ts";
import { builtReleases, needsOf, pythonsOf, type BuiltRelease } from "./build.ts";

/** Releases of a package of which no more is known than PyPI says. */
export const plainReleases = (name: string): BuiltRelease[] =>
  builtReleases(name, (release) => [
    {
      package: name,
      version: release.version,
      variant: "",
      install: `${name}==${release.version}`,
      pythons: pythonsOf(release),
      needs: once(() => needsOf(name, release)),
      onPath: () => [],
      doubts: [],
    },
  ]);
