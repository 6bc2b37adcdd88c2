// Which gcc and which Visual Studio nvcc works with: host_config.h of a toolkit refuses what is newer (“unsupported GNU version!”).
import { isCertain, sourcesOf } from "./certainty.ts";
import { compareDotted } from "./dotted.ts";
import { cudaToolkits } from "./texts/cuda-toolkits.generated.ts";

/** The newest gcc that the nvcc of a toolkit (`11.8`, `11.8.0`) takes; undefined where that is not known. */
export function newestGcc(cuda: string): { gcc: number; certain: boolean; sources: string[] } | undefined {
  const minor = cuda.split(".").slice(0, 2).join(".");
  const file = cudaToolkits();
  const row = file.hostCompilers.find(({ first, last }) => compareDotted(first, minor) <= 0 && compareDotted(minor, last) <= 0);
  return row && { gcc: row.gcc, certain: isCertain(row, "gcc"), sources: sourcesOf(file, row, "gcc") };
}

/** The first toolkit whose nvcc takes this gcc. */
export const firstToolkitFor = (gcc: number): string | undefined => cudaToolkits().hostCompilers.find((row) => gcc <= row.gcc)?.first;

/** The first toolkit whose nvcc takes a Visual Studio with this `_MSC_VER`. */
export const firstToolkitForStudio = (msvc: number): string | undefined =>
  cudaToolkits().hostCompilers.find((row) => row.msvc !== undefined && msvc < row.msvc)?.first;

/** 12 of `/usr/bin/x86_64-linux-gnu-gcc-12`, `g++-12`. */
export function gccNamed(compiler: string): number | undefined {
  const major = /(?:^|[/-])(?:gcc|g\+\+)-(\d{1,2})$/.exec(compiler.trim())?.[1];
  return major === undefined ? undefined : Number(major);
}
