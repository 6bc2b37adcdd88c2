import { sourcesOf } from "../../knowledge/certainty.ts";
import { cupy } from "../../knowledge/texts/cupy.generated.ts";
import { toolkitSonames } from "../../knowledge/toolkits.ts";
import { comparePythonVersions } from "../../lib/pep440.ts";
import { needsOf, pythonsOf, releasesOf, withExtra, type Build } from "../build.ts";
import { broughtByWheels } from "../outside.ts";
import { isIn } from "../specifier.ts";

const parts = ["cublas", "cudart", "cufft", "curand", "cusolver", "cusparse", "nvrtc"];

/** One package for each CUDA major; from 14 on an extra brings NVIDIA's wheels. Kernels are compiled when they are first used. */
export function cupyBuilds(): Build[] {
  const file = cupy();
  const builds = [13, 12, 11].flatMap((major) => {
    const name = `cupy-cuda${major}x`;
    return releasesOf(name).map((release): Build => {
      const all = needsOf(name, release);
      const hasExtra = all.some(({ extra }) => extra === "ctk");
      const row = file.releases.find(({ version }) => version === release.version);
      const source = row ? sourcesOf(file, row, "packages")[0]! : `the name ${name}`;
      const reason = `${name} ${release.version} is linked against it and brings none`;
      const sonames = hasExtra ? [] : toolkitSonames(`${major}.${major === 11 ? 8 : 0}`, parts);
      const brought = broughtByWheels(sonames, major, "", reason, source);
      return {
        package: "cupy",
        version: release.version,
        variant: `cuda${major}`,
        install: `${name}${hasExtra ? "[ctk]" : ""}==${release.version}`,
        pythons: pythonsOf(release, isIn),
        needs: [...withExtra(all, "ctk"), ...brought.needs],
        cuda: { version: String(major), source },
        onPath: brought.onPath,
        doubts: [],
      };
    });
  });
  return builds.sort((a, b) => comparePythonVersions(b.version, a.version));
}
