// What goes together: a driver and a GPU, a driver and a CUDA release, code and a GPU. It is decided here and nowhere else: `check` of machines
// and of dependency files, `solve`, `explain` and `diff` ask these functions, so that none of them contradicts another.
import { isCertain, sourcesOf } from "./certainty.ts";
import { compareDotted, driverReaches } from "./dotted.ts";
import { fitOf, type Fit } from "./gpu-code.ts";
import { cudaToolkits } from "./texts/cuda-toolkits.generated.ts";
import { architecture, driverFloor, toolkitOf } from "./toolkits.ts";

/** Why a driver does not drive a GPU, whatever is installed: it came before the first branch that knows it, or after the last. */
export interface OtherBranch {
  is: "before-first" | "after-last";
  branch: number;
  /** The toolkit that the GPU came with, and what its family is called. */
  first: string;
  family: string;
  certain: boolean;
  sources: string[];
}

/** Undefined: the driver knows the GPU, or that is not known. `isListed`: the driver itself names the GPU, which a remembered limit cannot outweigh. */
export function otherBranch(driver: string, sm: string, isListed = false): OtherBranch | undefined {
  const known = architecture(sm.replace(/[af]$/, ""));
  if (!known) return undefined;
  const { firstDriver, lastDriver, first, name } = known;
  const branch = branchOf(driver);
  const isBefore = firstDriver !== undefined && branch < firstDriver;
  const isAfter = lastDriver !== undefined && lastDriver < branch;
  if (!isBefore && !isAfter) return undefined;
  const field = isBefore ? "firstDriver" : "lastDriver";
  const certain = isCertain(known, field);
  if (isListed && !certain) return undefined;
  return {
    is: isBefore ? "before-first" : "after-last",
    branch: known[field]!,
    first,
    family: name,
    certain,
    sources: sourcesOf(cudaToolkits(), known, field),
  };
}

/** Whether only the open flavor of the kernel module drives a GPU; undefined where either does, or that is not known. */
export function openModuleOnly(sm: string): { certain: boolean; sources: string[] } | undefined {
  const known = architecture(sm.replace(/[af]$/, ""));
  if (!known?.openModuleOnly) return undefined;
  return { certain: isCertain(known, "openModuleOnly"), sources: sourcesOf(cudaToolkits(), known, "openModuleOnly") };
}

/** Continues advice of a driver for these GPUs. */
export const flavorWords = (gpus: string[]): string => (gpus.some((sm) => openModuleOnly(sm)) ? ", with the open kernel module" : "");

const branchOf = (driver: string) => Number(driver.split(".")[0]);

/** Whether a driver runs programs of a CUDA release; undefined where that is not known. */
export function driverRuns(driver: string, cuda: string): boolean | undefined {
  const floor = driverFloor(cuda);
  return floor && driverReaches(driver, floor.driver);
}

/** What asks for a driver: the CUDA that it was built for (`12.4`, `12`), and what its kernels are made for, as far as that is known. */
export interface Driven {
  cuda?: string | undefined;
  architectures?: string[] | undefined;
  /** It makes PTX of that CUDA when it runs. */
  makesPtx?: true;
}

export interface LeastDriver {
  driver: string;
  certain: boolean;
  sources: string[];
  /** A GPU is no longer in a driver so new: its last branch. No driver will do. */
  goneAfter?: number;
  /** The last branch that still has all of these GPUs, where one is known. */
  upTo?: number;
}

/**
 * The least driver with which all of this runs on all of these GPUs (`sm_120`): it runs programs of that CUDA, knows the GPUs, and compiles
 * PTX where there is nothing else for one of them. Advice names this one, and never a lower one. Undefined: nothing is known to need one.
 */
export function leastDriver(all: Driven[], gpus: string[]): LeastDriver | undefined {
  const known = gpus.flatMap((sm) => architecture(sm.replace(/[af]$/, "")) ?? []);
  const wanted = [
    ...all.flatMap(({ cuda }) => (cuda === undefined ? [] : (driverFloor(cuda) ?? []))),
    ...all.flatMap((each) => forPtx(each, gpus)),
    ...known.flatMap((each) =>
      each.firstDriver === undefined
        ? []
        : [
            {
              driver: String(each.firstDriver),
              certain: isCertain(each, "firstDriver"),
              sources: sourcesOf(cudaToolkits(), each, "firstDriver"),
            },
          ],
    ),
  ];
  const [least] = wanted.sort((a, b) => compareDotted(b.driver, a.driver));
  if (!least) return undefined;
  const upTo = Math.min(...known.flatMap(({ lastDriver }) => lastDriver ?? []));
  if (upTo === Infinity) return least;
  return upTo < branchOf(least.driver) ? { ...least, goneAfter: upTo } : { ...least, upTo };
}

function forPtx({ cuda, architectures = [], makesPtx }: Driven, gpus: string[]): LeastDriver[] {
  if (cuda === undefined || !/^\d+\.\d/.test(cuda) || (!makesPtx && !gpus.some((gpu) => fitOf(gpu, architectures) === "ptx"))) return [];
  const file = cudaToolkits();
  const { oldest, certain } = toolkitOf({ cudart: cuda }) ?? {};
  return oldest?.driver === undefined
    ? []
    : [{ driver: oldest.driver, certain: certain === true, sources: sourcesOf(file, oldest, "driver") }];
}

/** PTX of a toolkit that a driver does not know yet: the numbers of both. */
export function newerPtx(driver: string, cuda: string): { ptx: string; known: string } | undefined {
  // A major alone says nothing about PTX.
  if (!/^\d+\.\d/.test(cuda)) return undefined;
  const [built, own] = [toolkitOf({ cudart: cuda })?.oldest, toolkitOf({ driver })?.newest];
  if (built?.driver === undefined || driverReaches(driver, built.driver)) return undefined;
  if (built.ptx === undefined || own?.ptx === undefined || compareDotted(built.ptx, own.ptx) <= 0) return undefined;
  return { ptx: built.ptx, known: own.ptx };
}

/** What becomes of a build's kernels on a GPU: they run, the driver compiles them first, there are none, or the driver cannot compile them. */
export type KernelFate = { is: Fit | "no-code" } | { is: "newer-ptx"; ptx: string; known: string };

/** `driver` and `cuda` (what the build was made with) decide about PTX only, and may be unknown. */
export function kernelFate(gpu: string, architectures: string[], cuda?: string, driver?: string): KernelFate {
  const fit = fitOf(gpu, architectures);
  if (fit !== "ptx") return { is: fit ?? "no-code" };
  const newer = driver === undefined || cuda === undefined ? undefined : newerPtx(driver, cuda);
  return newer ? { is: "newer-ptx", ...newer } : { is: "ptx" };
}
