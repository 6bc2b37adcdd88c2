import { once } from "../lib/memo.ts";
// The toolkit and cuDNN by themselves, for those who ask for nothing else.
import { builtReleases, needsOf, pythonsOf, withExtra, type Build, type BuiltRelease, type Need } from "../builds/build.ts";
import { versionsOf } from "./leaves.ts";
import { newestFirst } from "../builds/specifier.ts";

const extras = ["cublas", "cudart", "cufft", "cupti", "curand", "cusolver", "cusparse", "nvcc", "nvrtc"];

// Both have to be for one CUDA.
const major = (number: string): Need => ({ name: "cuda-major", specifier: `==${number}`, extras: [], source: "the name of the package" });

export const cudaReleases = (): BuiltRelease[] =>
  builtReleases("cuda-toolkit", (release) => [
    {
      package: "cuda",
      version: release.version,
      variant: "",
      install: `cuda-toolkit[${extras.join(",")}]==${release.version}`,
      pythons: pythonsOf(release),
      needs: once(() => [...withExtra(needsOf("cuda-toolkit", release), ...extras), major(release.version.split(".")[0]!)]),
      cuda: {
        version: release.version.split(".").slice(0, 2).join("."),
        source: `the metadata of cuda-toolkit ${release.version} on PyPI`,
      },
      onPath: () => [],
      doubts: [],
    },
  ]);

export const cudnnReleases = (): BuiltRelease[] =>
  ["13", "12", "11"]
    .flatMap((cuda) =>
      (versionsOf(`nvidia-cudnn-cu${cuda}`) ?? []).map((version): BuiltRelease => {
        const name = `nvidia-cudnn-cu${cuda}`;
        const source = `the files of ${name} on PyPI`;
        const build: Build = {
          package: "cudnn",
          version,
          variant: `cuda${cuda}`,
          install: `${name}==${version}`,
          pythons: pythonsOf({ version }),
          needs: () => [{ name, specifier: `==${version}`, extras: [], source }, major(cuda)],
          cuda: { version: cuda, source },
          onPath: () => [],
          doubts: [],
        };
        return { version, builds: () => [build] };
      }),
    )
    .sort((a, b) => newestFirst(a.version, b.version));
