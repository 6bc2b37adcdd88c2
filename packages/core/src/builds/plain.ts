import { once } from "../lib/memo.ts";
import { torchMeantBy, torchMeantSources, torchName } from "../knowledge/built-for-torch.ts";
import { builtReleases, needsOf, pythonsOf, type BuiltRelease, type Need } from "./build.ts";

/** Releases of a package of which no more is known than PyPI says. */
export const plainReleases = (name: string): BuiltRelease[] =>
  builtReleases(name, (release) => [
    {
      package: name,
      version: release.version,
      variant: "",
      install: `${name}==${release.version}`,
      pythons: pythonsOf(release),
      needs: once(() => [...needsOf(name, release), ...madeFor(name, release.version)]),
      onPath: () => [],
      doubts: [],
    },
  ]);

/** The torch that it was compiled for, where its metadata do not name one. */
function madeFor(name: string, version: string): Need[] {
  const specifier = torchMeantBy(name, version);
  if (specifier === undefined) return [];
  const because = `${name} ${version} was made for ${torchName} ${specifier}`;
  return [{ name: torchName, specifier, extras: [], because, source: torchMeantSources(name)[0] ?? "memory" }];
}
