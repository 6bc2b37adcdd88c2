import { once } from "../../lib/memo.ts";
import { isCertain, sourcesOf } from "../../knowledge/certainty.ts";
import { ofCapabilities } from "../../knowledge/gpu-code.ts";
import { tensorflow } from "../../knowledge/texts/tensorflow.generated.ts";
import type { PublishedRelease } from "../../model/knowledge.ts";
import { comparePythonVersions } from "../../lib/pep440.ts";
import { builtReleases, nearestRow, needsOf, pythonsOf, withExtra, type Build, type BuiltRelease, type Need } from "../../builds/build.ts";
import { broughtByWheels, sameCudnn } from "../../builds/outside.ts";
import { defineBuilds } from "../../builds/framework-builds.ts";

export default defineBuilds({
  id: "tensorflow",
  releases: tensorflowReleases,
  wheel: "tensorflow",
  distributions: ["tensorflow", "tensorflow-gpu"],
  installed: (release, { version }) =>
    release
      ? release.builds()[0]
      : beforeWheels()
          .find((each) => each.version === version)
          ?.builds()[0],
});

/** There are no wheels for CUDA 10: nothing that pip could bring, so nobody is told to install these. */
const hasWheels = ({ version }: { version: string }) => 11 <= Number(nearestRow(tensorflow().releases, version)?.cuda.split(".")[0] ?? 11);

const beforeWheels = once(() => builtReleases("tensorflow", (release) => (hasWheels(release) ? [] : buildsOf(release, false))));

/** From 2.14 on an extra brings NVIDIA's wheels, and it finds them by itself; before, the loader must find the libraries. */
function tensorflowReleases(): BuiltRelease[] {
  return builtReleases(
    "tensorflow",
    (release) => buildsOf(release, hasExtra(release)),
    // Without its extra it asks pip for nothing, and finds the wheels that others brought.
    (release) =>
      looks(release) ? buildsOf(release, false).map((build) => ({ ...build, variant: `${build.variant}-borrowed`, borrows: true })) : [],
  ).filter(hasWheels);
}

const hasExtra = ({ requires = [] }: PublishedRelease) => requires.some((text) => text.includes('extra == "and-cuda"'));

/** 2.16.1 has the wheels and forgot where they are. */
const looks = (release: PublishedRelease) => hasExtra(release) && release.version !== "2.16.1";

function buildsOf(release: PublishedRelease, withWheels: boolean): Build[] {
  const file = tensorflow();
  const row = nearestRow(file.releases, release.version);
  if (!row) return [];
  const major = Number(row.cuda.split(".")[0]);
  const doubts: string[] = [];
  if (row.version !== release.version) doubts.push(`tensorflow ${release.version} is like ${row.version}`);
  if (row.architectures === undefined || !isCertain(row, "architectures"))
    doubts.push(`the architectures of tensorflow ${release.version}`);
  const source = sourcesOf(file, row, "opens")[0] ?? "memory";
  const brought = once(() => {
    const sonames = (row.opens ?? []).filter((soname) => !/cupti|nvinfer|nccl|nvshmem/.test(soname));
    const reason = `tensorflow ${release.version} needs it but does not install it`;
    // It refuses a cuDNN of another major or an older minor, whatever the patch.
    const cudnn = sameCudnn(row.cudnn.split(".").slice(0, 2).join("."));
    return broughtByWheels(sonames, major, cudnn, reason, source);
  });
  // Keras compiles optimizers with XLA from 2.11 on; the extra brings what that takes, and the folder is found.
  const needsCompiler = !withWheels && comparePythonVersions("2.11", release.version) <= 0;
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
      install: `tensorflow${withWheels ? "[and-cuda]" : ""}==${release.version}`,
      pythons: pythonsOf(release),
      needs: once(() => [
        ...withExtra(needsOf("tensorflow", release), ...(withWheels ? ["and-cuda"] : [])),
        ...(withWheels ? [] : brought().needs),
        ...(needsCompiler ? [compiler] : []),
      ]),
      cuda: { version: row.cuda, source: sourcesOf(file, row, "cuda")[0] ?? "memory" },
      ...(row.architectures
        ? { architectures: { list: ofCapabilities(row.architectures), source: sourcesOf(file, row, "architectures")[0] ?? "memory" } }
        : {}),
      onPath: () => (looks(release) ? [] : brought().onPath),
      ...(needsCompiler && !hasExtra(release) ? { needsCudaData: true as const } : {}),
      doubts,
    },
  ];
}
