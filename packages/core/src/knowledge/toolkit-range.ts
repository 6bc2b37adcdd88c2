import { libraryOf } from "./libraries.ts";
import { cudaToolkits } from "./texts/cuda-toolkits.generated.ts";

const outsideToolkit = new Set(["cudnn", "nccl", "tensorrt", "cutensor", "cusparselt", "libcuda", "nvml", "nvshmem"]);

/** The CUDA releases whose toolkit has an object of this name, first and last; undefined for what is no part of a toolkit. */
export function toolkitsNaming(library: string, stem: string, suffix: string): { first: string; last: string } | undefined {
  if (suffix === "" || outsideToolkit.has(library) || libraryOf(`${stem}.so`) === undefined) return undefined;
  const { sonames, toolkits } = cudaToolkits();
  // A real file of CUPTI is named by year: libcupti.so.2022.2.1.
  const byYear = toolkits.filter(({ cuptiFile }) => library === "cupti" && cuptiFile === `libcupti.so.${suffix}`);
  if (0 < byYear.length) return { first: byYear[0]!.cuda, last: byYear.at(-1)!.cuda };
  const fitting = sonames.filter(
    ({ sonames: of }) => of[library] === `${stem}.so.${suffix}` || of[library] === `${libraryStem(of[library])}.so.${suffix}`,
  );
  if (0 < fitting.length) return { first: fitting[0]!.first, last: fitting.at(-1)!.last };
  // Up to CUDA 10.0 every object carried the release; a longer suffix begins with it (12.4.127).
  const [major = 0, minor] = suffix.split(".").map(Number);
  if (major < 10 || (major === 10 && minor === 0))
    return minor === undefined ? undefined : { first: `${major}.${minor}`, last: `${major}.${minor}` };
  if (library === "cudart" || library === "cupti" || library === "nvrtc") {
    const own = toolkits.filter(({ cuda, version }) =>
      minor === undefined ? version.startsWith(`${major}.`) : cuda === `${major}.${minor}`,
    );
    if (0 < own.length) return { first: own[0]!.cuda, last: own.at(-1)!.cuda };
  }
  return undefined;
}

const libraryStem = (soname: string | undefined) => soname?.slice(0, soname.indexOf(".so")) ?? "";
