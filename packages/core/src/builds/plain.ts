import { once } from "../lib/memo.ts";
import { torchMeantBy, torchMeantSources, torchName } from "../knowledge/built-for-torch.ts";
import { cudaMajorWritten } from "../model/frameworks.ts";
import { builtReleases, metadataOf, needsOf, pythonsOf, type Build, type BuiltRelease, type Need } from "./build.ts";

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

/** The same, with the CUDA that their names tell (`cudf-cu13`), or NVIDIA's wheels that they always bring (`nvidia-nccl-cu12`). */
export const releasesForTheirCuda = (name: string): BuiltRelease[] =>
  plainReleases(name).map((release) => ({ ...release, builds: once(() => release.builds().map(withItsCuda)) }));

function withItsCuda(build: Build): Build {
  const { package: name, version, needs } = build;
  const named = cudaMajorWritten(name);
  if (named !== undefined) return { ...build, cuda: { version: String(named), source: `the name of ${name}` } };
  const brought = needs().flatMap((need) =>
    need.name.startsWith("nvidia-") && need.extra === undefined && !need.marker ? (cudaMajorWritten(need.name) ?? []) : [],
  );
  return new Set(brought).size === 1
    ? { ...build, cuda: { version: String(brought[0]), source: metadataOf(name, version), isWorkedOut: true } }
    : build;
}

/** The torch that it was compiled for, where its metadata do not name one. */
function madeFor(name: string, version: string): Need[] {
  const specifier = torchMeantBy(name, version);
  if (specifier === undefined) return [];
  const because = `${name} ${version} was made for ${torchName} ${specifier}`;
  return [{ name: torchName, specifier, extras: [], because, source: torchMeantSources(name)[0] ?? "memory" }];
}
