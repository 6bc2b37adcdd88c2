import { compareDotted } from "../knowledge/dotted.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { toolkitsNaming } from "../knowledge/toolkit-range.ts";
import { nameOf } from "../lib/path.ts";

/** What the name of an object says: which library, for which CUDA or cuDNN. */
export interface ObjectName {
  /** Without its folder. */
  name: string;
  /** `libcudnn_ops` of `libcudnn_ops.so.9`; a DLL's name in the Linux form. */
  stem: string;
  /** Id of a known GPU library, or the name itself without `lib` for others. */
  library: string;
  /** How people call it. */
  title: string;
  /** What follows `.so.`. */
  suffix: string;
  windows: boolean;
  /** The CUDA releases whose toolkit has an object of this name, first and last; absent for what is no part of a toolkit. */
  cuda?: { first: string; last: string };
}

const dllStems: { [stem: string]: string } = {
  cudart: "libcudart",
  cublas: "libcublas",
  cublaslt: "libcublasLt",
  cufft: "libcufft",
  curand: "libcurand",
  cusolver: "libcusolver",
  cusparse: "libcusparse",
  cupti: "libcupti",
  nvrtc: "libnvrtc",
  nvjitlink: "libnvJitLink",
  nvcuda: "libcuda",
  nvml: "libnvidia-ml",
  nvinfer: "libnvinfer",
  nvinfer_plugin: "libnvinfer_plugin",
};

/** Undefined for a name that is no shared object's. */
export function objectNamed(path: string): ObjectName | undefined {
  const name = nameOf(path.replaceAll("\\", "/"));
  if (/\.dll$/i.test(name)) return dllNamed(name);
  const [, stem, suffix = ""] = /^(lib[\w+-]{1,80}(?:\.\d{1,3}){0,2})\.so(?:\.([\w.]{1,40}))?$/.exec(name) ?? [];
  if (stem === undefined) return undefined;
  return named(name, stem, suffix, false);
}

// cudart64_110.dll is CUDA 11.0, cublas64_12.dll CUDA 12, cudnn_ops64_9.dll cuDNN 9, cupti64_2020.1.1.dll a year's.
function dllNamed(name: string): ObjectName | undefined {
  const [, plain, part, digits = "", dotted] =
    /^([a-z]{2,20}?)(_[a-z_]{1,40})?(?:64|32)?(?:_(\d{1,4})(?:_\d{1,2})?|_(\d{4}\.\d{1,2}\.\d{1,2}))?\.dll$/i.exec(name) ?? [];
  if (plain === undefined) return undefined;
  const lower = plain.toLowerCase();
  const stem = lower === "cudnn" ? `libcudnn${part ?? ""}` : (dllStems[lower + (part ?? "")] ?? dllStems[lower]);
  if (stem === undefined) return undefined;
  return named(name, stem, dotted ?? releaseIn(digits), true);
}

// 110 is 11.0; since CUDA 12 a name is kept through a whole major, and only NVRTC and nvJitLink write a nought behind it (nvrtc64_120_0.dll).
function releaseIn(digits: string): string {
  if (digits.length !== 3) return digits;
  const major = digits.slice(0, 2);
  return 12 <= Number(major) && digits.endsWith("0") ? major : `${major}.${digits.slice(2)}`;
}

function named(name: string, stem: string, suffix: string, windows: boolean): ObjectName {
  const known = libraryOf(`${stem}.so`);
  const library = known?.id ?? stem.slice(3);
  const cuda = toolkitsNaming(library, stem, suffix);
  return { name, stem, library, title: known?.name ?? stem, suffix, windows, ...(cuda ? { cuda } : {}) };
}

/** Whether an object of this name belongs to this CUDA release (`11.2`, `11.2.152`, `12`); undefined: it cannot be told. */
export function belongsTo({ cuda }: ObjectName, release: string): boolean | undefined {
  if (!cuda) return undefined;
  const [major, minor] = release.split(".");
  if (minor === undefined) return Number(cuda.first.split(".")[0]) <= Number(major) && Number(major) <= Number(cuda.last.split(".")[0]);
  const short = `${major}.${minor}`;
  return compareDotted(cuda.first, short) <= 0 && compareDotted(short, cuda.last) <= 0;
}

/** `CUDA 11.2`, `CUDA 11.1 to 11.8`, `cuDNN 8`. */
export function releaseText(object: ObjectName): string | undefined {
  const { cuda, library, suffix } = object;
  if (cuda) {
    if (cuda.first === cuda.last) return `CUDA ${cuda.first}`;
    const [first, last] = [cuda.first.split(".")[0], cuda.last.split(".")[0]];
    // A name that a whole major shares is said by the major; the newest toolkit is no bound.
    return first === last && suffix === first ? `CUDA ${first}` : `CUDA ${cuda.first} to ${cuda.last}`;
  }
  if (library === "cudnn" && suffix !== "") return `cuDNN ${suffix}`;
  return undefined;
}
