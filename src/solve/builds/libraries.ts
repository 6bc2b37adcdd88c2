// The toolkit and cuDNN by themselves, for those who ask for nothing else.
import { needsOf, pythonsOf, releasesOf, withExtra, type Build, type Need } from "../build.ts";
import { versionsOf } from "../leaves.ts";
import { isIn, newestFirst } from "../specifier.ts";

const extras = ["cublas", "cudart", "cufft", "cupti", "curand", "cusolver", "cusparse", "nvcc", "nvrtc"];

// Both have to be for one CUDA.
const major = (number: string): Need => ({ name: "cuda-major", specifier: `==${number}`, extras: [], source: "the name of the package" });

export const cudaBuilds = (): Build[] =>
  releasesOf("cuda-toolkit").map((release) => ({
    package: "cuda",
    version: release.version,
    variant: "",
    install: `cuda-toolkit[${extras.join(",")}]==${release.version}`,
    pythons: pythonsOf(release, isIn),
    needs: [...withExtra(needsOf("cuda-toolkit", release), ...extras), major(release.version.split(".")[0]!)],
    cuda: { version: release.version.split(".").slice(0, 2).join("."), source: `the metadata of cuda-toolkit ${release.version} on PyPI` },
    onPath: [],
    doubts: [],
  }));

export const cudnnBuilds = (): Build[] =>
  ["13", "12", "11"]
    .flatMap((cuda) =>
      (versionsOf(`nvidia-cudnn-cu${cuda}`) ?? []).map((version): Build => {
        const name = `nvidia-cudnn-cu${cuda}`;
        const source = `the files of ${name} on PyPI`;
        return {
          package: "cudnn",
          version,
          variant: `cuda${cuda}`,
          install: `${name}==${version}`,
          pythons: pythonsOf({ version }, isIn),
          needs: [{ name, specifier: `==${version}`, extras: [], source }, major(cuda)],
          cuda: { version: cuda, source },
          onPath: [],
          doubts: [],
        };
      }),
    )
    .sort((a, b) => newestFirst(a.version, b.version));
