// Which header of a GPU library says its version, and how.

interface VersionHeader {
  library: string;
  file: string;
  /** Macros for major, minor and patch; or one that holds CUDA's number, 12040 for 12.4. */
  macros: string[];
}

const parts = (prefix: string, patch = "PATCH") => ["MAJOR", "MINOR", patch].map((part) => `${prefix}_${part}`);

/** The first that is there counts. */
const versionHeaders: VersionHeader[] = [
  { library: "cudnn", file: "cudnn_version.h", macros: parts("CUDNN", "PATCHLEVEL") },
  { library: "cudart", file: "cuda_runtime_api.h", macros: ["CUDART_VERSION"] },
  { library: "cuda", file: "cuda.h", macros: ["CUDA_VERSION"] },
  { library: "tensorrt", file: "NvInferVersion.h", macros: parts("NV_TENSORRT") },
  { library: "nccl", file: "nccl.h", macros: parts("NCCL") },
  { library: "cublas", file: "cublas_api.h", macros: parts("CUBLAS_VER") },
  { library: "cufft", file: "cufft.h", macros: parts("CUFFT_VER") },
  { library: "curand", file: "curand.h", macros: parts("CURAND_VER") },
  { library: "cusolver", file: "cusolver_common.h", macros: parts("CUSOLVER_VER") },
  { library: "cusparse", file: "cusparse.h", macros: parts("CUSPARSE_VER") },
];

/** `cudnn_version.h` for `cudnn`. */
export const headersOf = (library: string): string[] => versionHeaders.filter((each) => each.library === library).map(({ file }) => file);

const names = new Set(versionHeaders.map(({ file }) => file));

/** Whether a path is one of a header that says a version. */
export const isVersionHeader = (path: string): boolean => names.has(path.slice(path.lastIndexOf("/") + 1));

/** Of a header, the lines that say a version: TensorRT 10 gives its numbers by macros of macros. */
export const versionLines = (text: string): string =>
  text
    .split("\n")
    .filter((line) => /^\s*#\s*define\s+(?:CUDNN|CUDART|CUDA|NV_TENSORRT|TRT|NCCL|CU[A-Z]{3,8}_VER)_\w+\s+\w/.test(line))
    .join("\n");

export function versionInHeader(library: string, text: string): string | undefined {
  const macros = versionHeaders.find((each) => each.library === library)?.macros ?? [];
  const numbers = macros.map((macro) => numberOf(text, macro));
  if (numbers.some((number) => number === undefined)) return undefined;
  const [first] = numbers as number[];
  return macros.length === 1 ? `${Math.floor(first! / 1000)}.${Math.floor((first! % 1000) / 10)}` : numbers.join(".");
}

function numberOf(text: string, macro: string, depth = 3): number | undefined {
  const value = new RegExp(`^\\s*#\\s*define\\s+${macro}\\s+(\\w+)`, "m").exec(text)?.[1];
  if (value === undefined || depth === 0) return undefined;
  return /^\d+$/.test(value) ? Number(value) : numberOf(text, value, depth - 1);
}
