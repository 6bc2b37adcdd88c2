import { once } from "../../lib/memo.ts";
import { sourcesOf } from "../../knowledge/certainty.ts";
import { cupy } from "../../knowledge/texts/cupy.generated.ts";
import { toolkitSonames } from "../../knowledge/toolkits.ts";
import { builtReleases, needsOf, pythonsOf, withExtra, type Build, type BuiltRelease } from "../../builds/build.ts";
import { broughtByWheels } from "../../builds/outside.ts";
import { newestFirst } from "../../builds/specifier.ts";
import { defineBuilds } from "../../builds/framework-builds.ts";

export default defineBuilds({
  id: "cupy",
  releases: cupyReleases,
  wheel: "cupy-cuda12x",
  compilesKernels: true,
  distributions: ["cupy-cuda*x"],
  installed: (release, { name }) => release?.builds().find(({ variant }) => variant === `cuda${/\d+/.exec(name)?.[0]}`),
});

const parts = ["cublas", "cudart", "cufft", "curand", "cusolver", "cusparse", "nvrtc"];

/** One package for each CUDA major; from 14 on an extra brings NVIDIA's wheels. Kernels are compiled when they are first used. */
function cupyReleases(): BuiltRelease[] {
  const file = cupy();
  return [13, 12, 11]
    .flatMap((major) => {
      const name = `cupy-cuda${major}x`;
      return builtReleases(name, (release): Build[] => {
        const hasExtra = (release.requires ?? []).some((text) => text.includes('extra == "ctk"'));
        const row = file.releases.find(({ version }) => version === release.version);
        const source = row ? sourcesOf(file, row, "packages")[0]! : `the name ${name}`;
        const brought = once(() => {
          const sonames = hasExtra ? [] : toolkitSonames(`${major}.${major === 11 ? 8 : 0}`, parts);
          return broughtByWheels(sonames, major, "", `${name} ${release.version} is linked against it and brings none`, source);
        });
        return [
          {
            package: "cupy",
            version: release.version,
            variant: `cuda${major}`,
            install: `${name}${hasExtra ? "[ctk]" : ""}==${release.version}`,
            pythons: pythonsOf(release),
            needs: once(() => [...withExtra(needsOf(name, release), "ctk"), ...brought().needs]),
            cuda: { version: String(major), source },
            onPath: () => brought().onPath,
            doubts: [],
          },
        ];
      });
    })
    .sort((a, b) => newestFirst(a.version, b.version));
}
