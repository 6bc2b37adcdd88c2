import { sourcesOf } from "../../knowledge/certainty.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { onnxruntime } from "../../knowledge/texts/onnxruntime.generated.ts";
import { toolkitSonames } from "../../knowledge/toolkits.ts";
import { needsOf, pythonsOf, releasesOf, withExtra, type Build } from "../build.ts";
import { broughtByWheels, sameCudnn } from "../outside.ts";
import { isIn } from "../specifier.ts";

const parts = ["cublas", "cublaslt", "cudart", "cufft", "curand"];

/** The package of PyPI; its extras bring NVIDIA's wheels, which `preload_dlls()` loads. */
export function onnxruntimeBuilds(): Build[] {
  const file = onnxruntime();
  return releasesOf("onnxruntime-gpu").flatMap((release): Build[] => {
    const found = frameworkRelease("onnxruntime", release.version);
    if (!found) return [];
    const { release: row } = found;
    const major = Number(row.cuda.split(".")[0]);
    const all = needsOf("onnxruntime-gpu", release);
    const hasExtras = all.some(({ extra }) => extra === "cuda") && all.some(({ extra }) => extra === "cudnn");
    const source = sourcesOf(file, row, "cuda")[0] ?? "memory";
    const cudnn = row.cudnn.split(".")[0]!;
    const sonames = hasExtras ? [] : [...toolkitSonames(major === 11 ? "11.8" : `${major}.0`, parts), `libcudnn.so.${cudnn}`];
    const reason = `onnxruntime-gpu ${release.version} is linked against it and brings none`;
    const brought = broughtByWheels(sonames, major, sameCudnn(row.cudnn), reason, source);
    const exact = row.version.split(".").slice(0, 2).join(".") === release.version.split(".").slice(0, 2).join(".");
    const list = row.wheels?.flatMap(({ objects }) => Object.values(objects).flatMap(({ architectures }) => architectures ?? []));
    return [
      {
        package: "onnxruntime-gpu",
        version: release.version,
        variant: row.variant,
        install: `onnxruntime-gpu${hasExtras ? "[cuda,cudnn]" : ""}==${release.version}`,
        pythons: pythonsOf(release, isIn),
        needs: [...withExtra(all, "cuda", "cudnn"), ...brought.needs],
        cuda: { version: row.cuda.replace(".x", ""), source },
        ...(list && 0 < list.length ? { architectures: { list: [...new Set(list)], source: row.wheels![0]!.wheel } } : {}),
        onPath: brought.onPath,
        doubts: exact ? [] : [`onnxruntime-gpu ${release.version} is like ${row.version}`],
      },
    ];
  });
}
