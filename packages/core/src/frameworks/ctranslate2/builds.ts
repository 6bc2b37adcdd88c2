import { once } from "../../lib/memo.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { toolkitSonames } from "../../knowledge/toolkits.ts";
import { builtReleases, needsOf, pythonsOf, withExtra, type Build, type BuiltRelease } from "../../builds/build.ts";
import { broughtByWheels } from "../../builds/outside.ts";
import { defineBuilds } from "../../builds/framework-builds.ts";
import { isIn } from "../../builds/specifier.ts";
import names from "./names.ts";

export default defineBuilds({
  id: "ctranslate2",
  releases: ctranslate2Releases,
  // The wheel is the same for all, and who brings it along means it for the GPU as well.
  alwaysWithCuda: true,
  wheel: "ctranslate2",
  distributions: ["ctranslate2"],
  installed: (release) => release?.builds()[0],
});

/** One wheel serves the CPU and the GPU. It has CUDA's runtime inside; cuBLAS, and up to 4.6.2 the parts of cuDNN, it opens by name. */
function ctranslate2Releases(): BuiltRelease[] {
  return builtReleases("ctranslate2", (release): Build[] => {
    const { version } = release;
    // Of wheels before 3 nothing is known.
    if (compareDotted(version, "3") < 0) return [];
    const major = compareDotted(version, "4") < 0 ? 11 : 12;
    const cudnn = names.releasesFor?.find(({ releases, opens = releases }) => isIn(version, releases) && isIn(version, opens))?.major;
    const sonames = [
      ...toolkitSonames(major === 11 ? "11.8" : "12.0", ["cublas"]),
      ...(cudnn === undefined ? [] : [`libcudnn.so.${cudnn}`]),
    ];
    const source = `the wheel of ctranslate2 ${version}, which opens ${sonames[0]} by name`;
    const brought = once(() =>
      broughtByWheels(
        sonames,
        major,
        `>=${cudnn},<${Number(cudnn) + 1}`,
        `ctranslate2 ${version} needs it but does not install it`,
        source,
      ),
    );
    return [
      {
        package: "ctranslate2",
        version,
        variant: `cuda${major}`,
        install: `ctranslate2==${version}`,
        pythons: pythonsOf(release),
        needs: once(() => [...withExtra(needsOf("ctranslate2", release)), ...brought().needs]),
        cuda: { version: String(major), source },
        onPath: () => brought().onPath,
        doubts: [],
      },
    ];
  });
}
