// What brings a library that is missing. Whoever gives advice about one asks here, so that all say the same.
import { nameOf } from "../lib/path.ts";
import type { Package } from "../model/knowledge.ts";
import { libraryOf } from "./libraries.ts";
import { packageProviding } from "./packages.ts";
import { compareDotted } from "./dotted.ts";
import { cudaToolkits } from "./texts/cuda-toolkits.generated.ts";
import { toolkitsNaming } from "./toolkit-range.ts";

export interface Supply {
  wheel?: {
    name: string;
    /** What of it holds this very name: `==8.*`. */
    specifier: string;
    /** Below site-packages. */
    folder?: string;
  };
  /** The package of NVIDIA's repository for Debian and Ubuntu. */
  apt?: string;
}

/** Where nothing says which CUDA is meant: the one that most have first. */
const usual = [12, 11, 13, 10];

/** NVIDIA's wheels begin with CUDA 11: one of a later CUDA under the same name needs a driver and a runtime of its own. */
const firstOnPypi = 11;

/** What brings an object under this very name, for the CUDA (`12`, `12.4`) of the program that asks; packages of the driver by its branch. */
export function supplyOf(soname: string, { cuda, driver }: { cuda?: string; driver?: string } = {}): Supply {
  const name = nameOf(soname);
  const [, stem = "", suffix = ""] = /^(lib[\w+-]+)\.so(?:\.([\w.]+))?$/.exec(name) ?? [];
  const library = libraryOf(name)?.id ?? "";
  const range = toolkitsNaming(library, stem, suffix);
  const wheels = packageProviding(name, "pypi");
  const major = majorFor(range, cuda) ?? onlyMajorOf(wheels);
  const wheel = major !== undefined && major < firstOnPypi ? undefined : fittingOf(wheels, major);
  const folder = [wheel?.folder ?? []].flat()[0];
  const apt = fittingOf(packageProviding(name, "apt-nvidia"), major);
  const system = apt && systemName(apt.name, release(range, major, cuda), driver);
  return {
    ...(wheel ? { wheel: { name: wheel.name, specifier: specifierOf(library, suffix), ...(folder === undefined ? {} : { folder }) } } : {}),
    ...(system === undefined ? {} : { apt: system }),
  };
}

/** The major of CUDA that one of these names alone tells: what is asked for with libcublas.so.11 is of CUDA 11. */
export function cudaMajorAmong(names: string[]): string | undefined {
  for (const name of names) {
    const [, stem = "", suffix = ""] = /^(lib[\w+-]+)\.so(?:\.([\w.]+))?$/.exec(name) ?? [];
    const range = toolkitsNaming(libraryOf(name)?.id ?? "", stem, suffix);
    if (range && majorIn(range.first) === majorIn(range.last)) return String(majorIn(range.first));
  }
  return undefined;
}

type Range = ReturnType<typeof toolkitsNaming>;

const majorIn = (version: string) => Number(version.split(".")[0]);

/** A name that only one major of CUDA has says more than what is known of the program. */
function majorFor(range: Range, cuda: string | undefined): number | undefined {
  if (range && majorIn(range.first) === majorIn(range.last)) return majorIn(range.first);
  return cuda === undefined ? undefined : majorIn(cuda);
}

/** libcufft.so.10 was a name of CUDA 10 as well, for which there are no wheels and no drivers of today. */
function onlyMajorOf(wheels: Package[]): number | undefined {
  const majors = [...new Set(wheels.flatMap(({ cudaMajors = [] }) => cudaMajors))];
  return majors.length === 1 ? majors[0] : undefined;
}

function fittingOf(found: Package[], major: number | undefined): Package | undefined {
  const isFor = (each: Package, wanted: number) => each.cudaMajors === undefined || each.cudaMajors.includes(wanted);
  const wanted = [...(major === undefined ? [] : [major]), ...usual];
  return wanted.map((each) => found.find((one) => isFor(one, each))).find((one) => one !== undefined) ?? found[0];
}

/** The toolkit whose package is meant: the program's own, else the newest that has the name, which serves the older ones of its major. */
function release(range: Range, major: number | undefined, cuda: string | undefined): string | undefined {
  const own = cuda?.split(".").slice(0, 2).join(".");
  if (own?.includes(".") && (!range || (compareDotted(range.first, own) <= 0 && compareDotted(own, range.last) <= 0))) return own;
  if (range?.first !== undefined && range.first === range.last) return range.first;
  const known = major ?? (range && majorIn(range.first) === majorIn(range.last) ? majorIn(range.last) : undefined);
  if (!range || known === undefined) return undefined;
  return cudaToolkits().toolkits.findLast(
    (each) => majorIn(each.cuda) === known && compareDotted(range.first, each.cuda) <= 0 && compareDotted(each.cuda, range.last) <= 0,
  )?.cuda;
}

/** Before CUDA 11 NVIDIA called these packages `cuda-cufft-10-0`; cuBLAS of 10.1 and 10.2 has one name for both. */
function olderName(name: string, cuda: string): string {
  if (name === "libcublas-X-Y" && 0 <= compareDotted(cuda, "10.1")) return "libcublas10";
  return name.replace(/^lib(?=(?:cublas|cufft|curand|cusolver|cusparse)-X-Y$)/, "cuda-");
}

/** `libcublas-X-Y`, `libnvidia-compute-NNN` with the numbers in them. */
function systemName(newer: string, cuda: string | undefined, driver: string | undefined): string | undefined {
  const name = cuda !== undefined && majorIn(cuda) < 11 ? olderName(newer, cuda) : newer;
  const branch = driver?.split(".")[0];
  const full = [
    [/X-Y/, cuda?.replace(".", "-")],
    [/NNN/, branch],
  ] as const;
  const found = full.reduce((text, [hole, value]) => (value === undefined ? text : text.replace(hole, value)), name);
  return /X-Y|NNN/.test(found) ? undefined : found;
}

/** Wheels of one name hold cuDNN, TensorRT or CUPTI under the name of their own release. */
function specifierOf(library: string, suffix: string): string {
  if ((library === "cudnn" || library === "tensorrt") && /^\d+$/.test(suffix)) return `==${suffix}.*`;
  return library === "cupti" && /^\d+\.\d+$/.test(suffix) ? `==${suffix}.*` : "";
}

/** Libraries that packages leave to the system, and what brings them there. */
const ofSystem = [
  { names: /^lib(av(util|codec|format|device|filter)|sw(scale|resample))\.so/, what: "FFmpeg", apt: "ffmpeg", isOfRelease: true },
  { names: /^libibverbs\.so/, what: "RDMA's library for applications", apt: "libibverbs1", isOfRelease: false },
];

export const systemSupply = (soname: string): (typeof ofSystem)[number] | undefined =>
  ofSystem.find(({ names }) => names.test(nameOf(soname)));
