import { cudnnFor, oldestForCudnn } from "../knowledge/cudnn.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { driverRuns, kernelFate, otherBranch } from "../knowledge/goes-together.ts";
import { fitOf } from "../knowledge/gpu-code.ts";
import { architecture, driverFloor, driverFloorSources, toolkitOf } from "../knowledge/toolkits.ts";
import { memo, memoBy } from "../lib/memo.ts";
import type { Build } from "../builds/build.ts";
import { isIn } from "../builds/specifier.ts";

/** What a solution has to fit to. */
export interface Place {
  driver?: string;
  /** `isListed`: the driver names it. */
  gpus: { name: string; sm: string; isListed?: true }[];
  cuda: string[];
  cudnn: string[];
  pythons: string[];
  /** Two packages may install the same file: pip does not look. */
  mayCollide?: true;
}

/** Why something cannot be; `says` ends a sentence that begins with its name. */
export interface Reason {
  kind: "driver" | "gpu" | "cuda" | "cudnn" | "python" | "package" | "files" | "none";
  says: string;
  sources: string[];
  /** It rests on what was only worked out. */
  isWorkedOut?: true;
  /** The package that two builds disagree about. */
  about?: string;
  /** The packages that were chosen before and leave no room for it. */
  among?: string[];
  /** It says no more than which release it is. */
  isItself?: true;
}

/** Why a GPU and a driver do not go together, whatever is installed. */
export function unknownToDriver({ driver, gpus }: Place): Reason | undefined {
  if (driver === undefined) return undefined;
  for (const { name, sm, isListed } of gpus) {
    const other = otherBranch(driver, sm, isListed);
    if (!other) continue;
    const { is, branch, family, sources, certain } = other;
    return {
      kind: "driver",
      says:
        is === "before-first"
          ? `${name} (${family}) needs a driver of branch ${branch} or newer`
          : `${name} (${family}) is no longer in drivers after branch ${branch}`,
      sources,
      ...(certain ? {} : { isWorkedOut: true as const }),
    };
  }
  return undefined;
}

/** Whether one build can be used in a place, whatever else is there. */
export function misfit(build: Build, place: Place): Reason | undefined {
  if (!build.pythons.some((python) => place.pythons.includes(python)))
    return {
      kind: "python",
      says: `has wheels for Python ${spanOf(build.pythons)}`,
      sources: [`the files of ${build.package} ${build.version} on PyPI`],
    };
  if (!build.cuda) return undefined;
  const { version, source } = build.cuda;
  if (place.driver !== undefined && driverRuns(place.driver, version) === false)
    return {
      kind: "driver",
      says: `is built for CUDA ${version}, which needs driver ${driverFloor(version)!.driver} or newer`,
      sources: [source, ...driverFloorSources(version)],
      ...(build.cuda.isWorkedOut ? { isWorkedOut: true as const } : {}),
    };
  // A build for a major runs with every minor; one that pins its libraries brings exactly this CUDA.
  const isFixed = 0 < place.cuda.length && version.includes(".") && (build.inside !== undefined || build.needs().some(isPinnedRuntime));
  const wide = version.split(".")[0]!;
  if (!place.cuda.every((specifier) => (isFixed ? isIn(version, specifier) : hasMinorIn(wide, specifier))))
    return { kind: "cuda", says: `is built for CUDA ${version}`, sources: [source] };
  if (build.inside?.cudnn !== undefined && !place.cudnn.every((specifier) => isIn(build.inside!.cudnn!, specifier)))
    return { kind: "cudnn", says: `brings cuDNN ${build.inside.cudnn}`, sources: [source] };
  for (const gpu of place.gpus) {
    const reason = misfitsGpu(build, gpu, place.driver);
    if (reason) return reason;
  }
  return undefined;
}

const isPinnedRuntime = ({ name, specifier }: { name: string; specifier: string }) =>
  /^(nvidia-cuda-runtime|cuda-toolkit$)/.test(name) && specifier.startsWith("==");

const hasMinorIn = (major: string, specifier: string) =>
  Array.from({ length: 10 }, (_, minor) => `${major}.${minor}`).some(
    (version) => isIn(version, specifier) || isIn(`${version}.1`, specifier),
  );

function misfitsGpu(build: Build, { name, sm }: { name: string; sm: string }, driver: string | undefined): Reason | undefined {
  if (!build.architectures) return undefined;
  const { list, source } = build.architectures;
  const fate = kernelFate(sm, list, build.cuda?.version, driver);
  if (fate.is === "no-code")
    return { kind: "gpu", says: `has kernels for ${list.join(", ")}, none of which runs on ${name} (${sm})`, sources: [source] };
  if (fate.is !== "newer-ptx") return undefined;
  return {
    kind: "driver",
    says: `has only PTX ${fate.ptx} of CUDA ${build.cuda!.version} for ${name} (${sm}), and driver ${driver} compiles PTX up to ${fate.known}`,
    sources: [source],
  };
}

const numberOf = (sm: string) => Number(/\d+/.exec(sm)?.[0] ?? 0);

const cudnnRelease = memo(500, (version: string) => cudnnFor(version)?.release);
const oldestOf = memoBy(
  1000,
  (version: string, cudaMajor: string) => `${version} ${cudaMajor}`,
  (version, cudaMajor) => oldestForCudnn(version, cudaMajor)?.sm,
);
const architecturesOf = memo(500, (cuda: string) => toolkitOf({ cudart: cuda })?.newest.architectures);

/** Whether a cuDNN has kernels for a GPU, and who says so. */
export function cudnnRunsOn(version: string, cudaMajor: string, sm: string): boolean {
  const release = cudnnRelease(version);
  if (!release) return true;
  const least = oldestOf(version, cudaMajor);
  if (least !== undefined && numberOf(sm) < numberOf(least)) return false;
  return release.smMax === undefined || Math.floor(numberOf(sm) / 10) <= Math.floor(numberOf(release.smMax) / 10);
}

/** Whether the libraries of a toolkit (`12.4`) have kernels for a GPU. */
export function toolkitRunsOn(cuda: string, sm: string): boolean {
  const list = architecturesOf(cuda);
  return list === undefined || fitOf(sm, list) === "cubin";
}

/** Where the limits of a GPU are written down. */
export function gpuSays(sm: string): string {
  const known = architecture(sm);
  if (!known) return `is ${sm}`;
  const last = known.last === undefined ? "" : ` to ${known.last}`;
  return `is ${sm} (${known.name}), which CUDA ${known.first}${last === "" ? " and newer build" : `${last} build`} for`;
}

/** `3.9 to 3.12`. */
export function spanOf(pythons: string[]): string {
  const sorted = [...pythons].sort(compareDotted);
  return sorted.length === 0 ? "none" : sorted.length === 1 ? sorted[0]! : `${sorted[0]} to ${sorted.at(-1)}`;
}
