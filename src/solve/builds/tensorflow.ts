import { isCertain, sourcesOf } from "../../knowledge/certainty.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { tensorflow } from "../../knowledge/texts/tensorflow.generated.ts";
import { comparePythonVersions } from "../../lib/pep440.ts";
import { needsOf, pythonsOf, releasesOf, withExtra, type Build } from "../build.ts";
import { broughtByWheels, sameCudnn } from "../outside.ts";
import { isIn } from "../specifier.ts";

/** From 2.14 on an extra brings NVIDIA's wheels, and it finds them by itself; before, the loader must find the libraries. */
export function tensorflowBuilds(): Build[] {
  const file = tensorflow();
  return releasesOf("tensorflow").flatMap((release): Build[] => {
    const found = frameworkRelease("tensorflow", release.version);
    if (!found) return [];
    const { release: row, exact } = found;
    const all = needsOf("tensorflow", release);
    const hasExtra = all.some(({ extra }) => extra === "and-cuda");
    const doubts: string[] = [];
    if (!exact) doubts.push(`tensorflow ${release.version} is like ${row.version}`);
    if (row.architectures === undefined || !isCertain(row, "architectures"))
      doubts.push(`the architectures of tensorflow ${release.version}`);
    const build: Build = {
      package: "tensorflow",
      version: release.version,
      variant: `cuda${row.cuda.split(".")[0]}`,
      install: hasExtra ? `tensorflow[and-cuda]==${release.version}` : `tensorflow==${release.version}`,
      pythons: pythonsOf(release, isIn),
      needs: withExtra(all, "and-cuda"),
      cuda: { version: row.cuda, source: sourcesOf(file, row, "cuda")[0] ?? "memory" },
      ...(row.architectures
        ? { architectures: { list: row.architectures, source: sourcesOf(file, row, "architectures")[0] ?? "memory" } }
        : {}),
      onPath: [],
      doubts,
    };
    // 2.16.1 forgot where the wheels are; the loader has to be told.
    const forgets = release.version === "2.16.1";
    if (hasExtra && !forgets) return [build];
    const asked = (row.opens ?? []).filter((soname) => !/cupti|nvinfer|nccl|nvshmem/.test(soname));
    const source = sourcesOf(file, row, "opens")[0] ?? "memory";
    const reason = `tensorflow ${release.version} opens it and brings none`;
    const brought = broughtByWheels(asked, Number(row.cuda.split(".")[0]), sameCudnn(row.cudnn), reason, source);
    if (0 < brought.unmet.length) doubts.push(`no wheel brings ${brought.unmet.join(", ")}`);
    build.onPath = brought.onPath;
    if (forgets) return [build];
    build.needs = [...build.needs, ...brought.needs];
    if (comparePythonVersions("2.11", release.version) <= 0) {
      // Keras compiles optimizers with XLA from 2.11 on.
      build.needsCudaData = true;
      build.needs.push({
        name: `nvidia-cuda-nvcc-cu${row.cuda.split(".")[0]}`,
        specifier: "",
        extras: [],
        because: `XLA in tensorflow ${release.version} looks for ptxas and libdevice`,
        source,
      });
    }
    // Without wheels for its CUDA (10) there is nothing that pip could bring.
    return brought.needs.length === 0 ? [] : [build];
  });
}
