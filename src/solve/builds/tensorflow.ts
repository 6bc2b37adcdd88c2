import { isCertain, sourcesOf } from "../../knowledge/certainty.ts";
import { ofCapabilities } from "../../knowledge/gpu-code.ts";
import { tensorflow } from "../../knowledge/texts/tensorflow.generated.ts";
import { comparePythonVersions } from "../../lib/pep440.ts";
import { builtReleases, nearestRow, needsOf, once, pythonsOf, withExtra, type Build, type BuiltRelease, type Need } from "../build.ts";
import { broughtByWheels, sameCudnn } from "../outside.ts";

/** From 2.14 on an extra brings NVIDIA's wheels, and it finds them by itself; before, the loader must find the libraries. */
export function tensorflowReleases(): BuiltRelease[] {
  const file = tensorflow();
  return builtReleases("tensorflow", (release): Build[] => {
    const row = nearestRow(file.releases, release.version);
    if (!row) return [];
    const major = Number(row.cuda.split(".")[0]);
    // There are no wheels for CUDA 10: nothing that pip could bring.
    if (major < 11) return [];
    const hasExtra = (release.requires ?? []).some((text) => text.includes('extra == "and-cuda"'));
    const doubts: string[] = [];
    if (row.version !== release.version) doubts.push(`tensorflow ${release.version} is like ${row.version}`);
    if (row.architectures === undefined || !isCertain(row, "architectures"))
      doubts.push(`the architectures of tensorflow ${release.version}`);
    const source = sourcesOf(file, row, "opens")[0] ?? "memory";
    const brought = once(() => {
      const sonames = (row.opens ?? []).filter((soname) => !/cupti|nvinfer|nccl|nvshmem/.test(soname));
      const reason = `tensorflow ${release.version} opens it and brings none`;
      return broughtByWheels(sonames, major, sameCudnn(row.cudnn), reason, source);
    });
    // 2.16.1 has the wheels and forgot where they are.
    const looks = hasExtra && release.version !== "2.16.1";
    // Keras compiles optimizers with XLA from 2.11 on.
    const needsCudaData = !hasExtra && comparePythonVersions("2.11", release.version) <= 0;
    const compiler: Need = {
      name: `nvidia-cuda-nvcc-cu${major}`,
      specifier: "",
      extras: [],
      because: `XLA in tensorflow ${release.version} looks for ptxas and libdevice`,
      source,
    };
    return [
      {
        package: "tensorflow",
        version: release.version,
        variant: `cuda${major}`,
        install: hasExtra ? `tensorflow[and-cuda]==${release.version}` : `tensorflow==${release.version}`,
        pythons: pythonsOf(release),
        needs: once(() => [
          ...withExtra(needsOf("tensorflow", release), "and-cuda"),
          ...(hasExtra ? [] : brought().needs),
          ...(needsCudaData ? [compiler] : []),
        ]),
        cuda: { version: row.cuda, source: sourcesOf(file, row, "cuda")[0] ?? "memory" },
        ...(row.architectures
          ? { architectures: { list: ofCapabilities(row.architectures), source: sourcesOf(file, row, "architectures")[0] ?? "memory" } }
          : {}),
        onPath: () => (looks ? [] : brought().onPath),
        ...(needsCudaData ? { needsCudaData } : {}),
        doubts,
      },
    ];
  });
}
