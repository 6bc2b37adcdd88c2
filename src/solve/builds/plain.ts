import { needsOf, pythonsOf, releasesOf, type Build } from "../build.ts";
import { isIn } from "../specifier.ts";

/** Releases of a package of which no more is known than PyPI says. */
export const plainBuilds = (name: string): Build[] =>
  releasesOf(name).map((release) => ({
    package: name,
    version: release.version,
    variant: "",
    install: `${name}==${release.version}`,
    pythons: pythonsOf(release, isIn),
    needs: needsOf(name, release),
    onPath: [],
    doubts: [],
  }));
