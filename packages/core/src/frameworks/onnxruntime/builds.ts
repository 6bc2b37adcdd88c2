import { once } from "../../lib/memo.ts";
import { sourcesOf } from "../../knowledge/certainty.ts";
import { onnxruntime } from "../../knowledge/texts/onnxruntime.generated.ts";
import { toolkitSonames } from "../../knowledge/toolkits.ts";
import { builtReleases, nearestRow, needsOf, pythonsOf, withExtra, type Build, type BuiltRelease } from "../../builds/build.ts";
import { broughtByWheels, sameCudnn } from "../../builds/outside.ts";
import { defineBuilds } from "../../builds/framework-builds.ts";

export default defineBuilds({
  id: "onnxruntime",
  releases: onnxruntimeReleases,
  wheel: "onnxruntime-gpu",
  alwaysWithCuda: true,
  distributions: ["onnxruntime-gpu"],
  installed: (release) => release?.builds()[0],
  note: ({ install }) =>
    install.includes("[")
      ? "Call onnxruntime.preload_dlls() before the first session, or import torch first: it does not find NVIDIA's wheels by itself."
      : undefined,
});

const parts = ["cublas", "cublaslt", "cudart", "cufft", "curand"];

/** The package of PyPI; its extras bring NVIDIA's wheels, which `preload_dlls()` loads. */
function onnxruntimeReleases(): BuiltRelease[] {
  const file = onnxruntime();
  const rows = file.releases.filter((row) => row.default !== false);
  // There are no wheels for CUDA 10: nothing that pip could bring.
  const hasWheels = ({ version }: BuiltRelease) => 11 <= Number(nearestRow(rows, version)?.cuda.split(".")[0] ?? 11);
  return builtReleases("onnxruntime-gpu", (release): Build[] => {
    const row = nearestRow(rows, release.version);
    if (!row) return [];
    const major = Number(row.cuda.split(".")[0]);
    const hasExtras = (release.requires ?? []).some((text) => text.includes('extra == "cudnn"'));
    const source = sourcesOf(file, row, "cuda")[0] ?? "memory";
    const cudnn = row.cudnn.split(".")[0]!;
    const sonames = hasExtras ? [] : [...toolkitSonames(major === 11 ? "11.8" : `${major}.0`, parts), `libcudnn.so.${cudnn}`];
    const reason = `onnxruntime-gpu ${release.version} is linked against it and brings none`;
    const brought = once(() => broughtByWheels(sonames, major, sameCudnn(row.cudnn), reason, source));
    const exact = row.version.split(".").slice(0, 2).join(".") === release.version.split(".").slice(0, 2).join(".");
    const list = row.wheels?.flatMap(({ objects }) => Object.values(objects).flatMap(({ architectures }) => architectures ?? []));
    return [
      {
        package: "onnxruntime-gpu",
        version: release.version,
        variant: row.variant,
        install: `onnxruntime-gpu${hasExtras ? "[cuda,cudnn]" : ""}==${release.version}`,
        pythons: pythonsOf(release),
        needs: once(() => [...withExtra(needsOf("onnxruntime-gpu", release), "cuda", "cudnn"), ...brought().needs]),
        cuda: { version: row.cuda.replace(".x", ""), source },
        ...(list && 0 < list.length ? { architectures: { list: [...new Set(list)], source: row.wheels![0]!.wheel } } : {}),
        onPath: () => brought().onPath,
        doubts: exact ? [] : [`onnxruntime-gpu ${release.version} is like ${row.version}`],
      },
    ];
  }).filter(hasWheels);
}
