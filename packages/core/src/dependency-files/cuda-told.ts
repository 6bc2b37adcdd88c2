// Packages whose builds nobody has looked at: which CUDA they are for, by their names and by what they always bring.
import type { Build } from "../builds/build.ts";
import { hintsAtGpu } from "../knowledge/gpu-hints.ts";
import { lightlyAsked } from "../knowledge/light-packages.ts";
import { isUnrelated } from "../knowledge/unrelated.ts";
import { frameworkNamed } from "../model/frameworks.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import { gpuBuilds } from "./builds.ts";
import type { Installation, Installed } from "./install.ts";
import { isFramework } from "./unjudged-source.ts";

export interface CudaTold {
  installed: Installed;
  cuda: NonNullable<Build["cuda"]>;
}

/** Packages that tell the CUDA that they are for: those that were asked for, and of what is brought along only where none of them does. */
export function cudaTold(installation: Installation): CudaTold[] {
  const told = unseenIn(installation).flatMap(({ installed, build: { cuda } }): CudaTold[] => (cuda ? [{ installed, cuda }] : []));
  const asked = told.filter(({ installed }) => installed.asked !== undefined);
  return 0 < asked.length ? asked : told.filter(({ installed }) => frameworkNamed(installed.name) !== undefined).slice(0, 1);
}

/** Packages with code of their own for a GPU that were asked for, and of which nothing tells the CUDA. */
export function cudaUntold(installation: Installation): Installed[] {
  const judged = new Set(gpuBuilds(installation).map(({ installed }) => installed.name));
  return unseenIn(installation).flatMap(({ installed, build }) => {
    const { name, asked, extras } = installed;
    const names = frameworkNamed(name);
    const isWithout = [names?.mostlyWithoutGpu, names?.withoutGpu, names?.otherBuilds].some((each) => each?.includes(name));
    const isProgram = names?.packages.includes(name) ?? (hintsAtGpu(name) && lightlyAsked(name) === undefined && !isUnrelated(name));
    if (!asked || build.cuda || isWithout || names?.comesAlong || !isProgram) return [];
    // It uses the GPU by what it asks for: that is judged; or behind an extra, and nobody asked for that.
    const needs = build.needs();
    const isJudged = needs.some((need) => (need.extra === undefined || extras.includes(need.extra)) && judged.has(need.name));
    return isJudged || needs.some((need) => need.extra !== undefined && isFramework(need.name)) ? [] : [installed];
  });
}

/** What pip installs, and is no framework whose builds are known; of NVIDIA's wheels only those that are programs. */
function unseenIn(installation: Installation): { installed: Installed; build: Build }[] {
  const judged = new Set(gpuBuilds(installation).map(({ framework }) => framework));
  return [...installation.packages.values()].flatMap((installed) => {
    const { name, version, manager, variant, step } = installed;
    const names = frameworkNamed(name);
    if (manager !== "pip" || step === 0 || version === undefined || variant !== undefined || isFramework(name)) return [];
    if (names ? judged.has(names.id) || names.companions?.includes(name) : name.startsWith("nvidia-")) return [];
    const build = releasesWithBuilds(name)
      .find((release) => release.version === version)
      ?.builds()[0];
    return build ? [{ installed, build }] : [];
  });
}
