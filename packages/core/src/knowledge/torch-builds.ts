import { comparePythonVersions } from "../lib/pep440.ts";
import type { TorchRelease } from "../model/knowledge.ts";
import { compareDotted } from "./dotted.ts";
import { torchBuilds } from "./frameworks.ts";

/**
 * The build of torch to take where a driver knows CUDA up to `cuda`: of the newest CUDA that is not newer, the newest release. A driver runs
 * builds for later releases of its CUDA's major, too, but not all that is in them. Undefined where every build asks for more; where nothing is
 * known of a driver, of the CUDAs that recent releases were built for the oldest, which most drivers will do for.
 */
export function torchBuildFor(cuda: string | undefined): TorchRelease | undefined {
  const builds = torchBuilds();
  const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");
  const recent = new Set([...new Set(builds.map(({ version }) => minorOf(version)))].sort(comparePythonVersions).slice(-recentMinors));
  const oldest = builds.filter(({ version }) => recent.has(minorOf(version))).toSorted((a, b) => compareDotted(a.cuda, b.cuda))[0]?.cuda;
  const limit = cuda ?? oldest;
  if (limit === undefined) return undefined;
  return builds
    .filter((build) => compareDotted(build.cuda, limit) <= 0)
    .toSorted((a, b) => compareDotted(b.cuda, a.cuda) || comparePythonVersions(b.version, a.version))[0];
}

/** Half a year of releases. */
const recentMinors = 3;
