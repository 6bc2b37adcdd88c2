// The GPUs and the driver that are asked about, and what the builds that would be there have for them.
import { isCertain } from "../knowledge/certainty.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { frameworkRelease } from "../knowledge/frameworks.ts";
import { driverRuns, kernelFate, otherBranch, type KernelFate, type OtherBranch } from "../knowledge/goes-together.ts";
import { fitOf, numberOf, unservedBy } from "../knowledge/gpu-code.ts";
import { gpuNamed } from "../knowledge/gpus.ts";
import { toolkitOf } from "../knowledge/toolkits.ts";
import type { Affected } from "../model/finding.ts";
import type { Toolkit } from "../model/knowledge.ts";
import { gpuBuilds, type DeclaredBuild } from "./builds.ts";
import type { InstallContext } from "./context.ts";
import type { Installed } from "./install.ts";
import { lastingValue } from "./variables.ts";

type AskedGpu = InstallContext["gpus"][number];

/** `Tesla T4 (sm_75)`; of a GPU that was named by its architecture, that alone. */
export const gpuWords = ({ name, sm }: AskedGpu): string => (/^(sm_|compute_|\d)/.test(name) ? `a GPU (${sm})` : `${name} (${sm})`);

export const gpuFactOf = ({ name, sm }: AskedGpu) => ({ name, sm });

const isSure = ({ name }: AskedGpu): boolean => gpuNamed(name)?.certain === true;

export interface DeclaredCode extends DeclaredBuild {
  architectures: string[];
  gpu: AskedGpu;
  /** What becomes of its kernels there. */
  fate: KernelFate;
  /** Neither the GPU's architecture nor those of the build are only remembered. */
  certain: boolean;
}

/** What every build has for every GPU; of builds whose architectures are not known, nothing. */
export const codeIn = ({ installation, gpus, driver }: InstallContext): DeclaredCode[] =>
  gpuBuilds(installation).flatMap((declared) => {
    const { architectures, doubts } = declared.build;
    if (!architectures) return [];
    const isKnown = architectures.source !== "memory" && !doubts.some((doubt) => doubt.startsWith("the architectures of "));
    return gpus.map((gpu) => ({
      ...declared,
      architectures: architectures.list,
      gpu,
      fate: kernelFate(gpu.sm, architectures.list, declared.build.cuda?.version, driver),
      certain: isKnown && isSure(gpu),
    }));
  });

/** The same where PTX comes to be compiled at all: the driver drives the GPU, and runs programs of that CUDA. */
export const compiledIn = (context: InstallContext): DeclaredCode[] =>
  codeIn(context).filter(({ gpu, build }) => {
    const { driver } = context;
    if (driver === undefined) return true;
    return !otherBranch(driver, gpu.sm) && (build.cuda === undefined || driverRuns(driver, build.cuda.version) !== false);
  });

/** A GPU that a compiler which would be there makes no code for. */
interface DeclaredUnserved {
  /** The package that the compiler comes with, or that uses it. */
  installed: Installed;
  words: string;
  toolkit: Toolkit;
  gpu: AskedGpu;
  why: "older" | "newer";
  breaks: Affected[];
  certain: boolean;
}

/** Packages that compile their kernels when they run: Triton with the ptxas inside its wheel, CuPy with NVRTC. */
export const unservedIn = (context: InstallContext): DeclaredUnserved[] => [...byTriton(context), ...byCupy(context)];

function byTriton({ declaration: { steps }, installation, gpus }: InstallContext): DeclaredUnserved[] {
  const torch = gpuBuilds(installation).find(({ framework, installed }) => framework === "torch" && installed.manager === "pip");
  const named = installation.packages.get("triton");
  // Where nothing else names one, it is the one that torch pins.
  const pinned = torch?.build.needs().find(({ name }) => name === "triton");
  const version = named ? named.version : /^==([\d.]+)$/.exec(pinned?.specifier ?? "")?.[1];
  const installed = named ?? torch?.installed;
  const known = version === undefined || installed?.manager !== "pip" ? undefined : frameworkRelease("triton", version);
  const isOther = ["TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"].some((name) => lastingValue(steps, name) !== undefined);
  if (!installed || !known?.exact || isOther) return [];
  const breaks = [
    ...(torch ? [{ framework: "torch", activity: "compile" }] : []),
    ...(named ? [{ framework: "triton", activity: "matmul" }] : []),
  ];
  const list = torch?.build.architectures?.list;
  // A torch that has no code for the GPU has nothing to compile for, and a rule of its own.
  const served = gpus.filter(({ sm }) => named !== undefined || list === undefined || fitOf(sm, list) !== undefined);
  return served.flatMap((gpu) => {
    const { ptxas, ptxasBlackwell } = known.release;
    const cuda = minorOf(ptxasBlackwell !== undefined && 100 <= (numberOf(gpu.sm) ?? 0) ? ptxasBlackwell : ptxas);
    return unserved(installed, gpu, `the ptxas of Triton ${version}, which is of CUDA ${cuda},`, cuda, "nothing", breaks, true);
  });
}

/** From 14 on CuPy finds the NVRTC of a wheel by itself; without one, that of the toolkit in the image is what the loader finds. */
function byCupy({ declaration: { steps }, installation: { packages }, image, gpus }: InstallContext): DeclaredUnserved[] {
  const cupy = ["cupy-cuda12x", "cupy-cuda13x"].flatMap((name) => packages.get(name) ?? [])[0];
  if (cupy?.version === undefined || cupy.manager !== "pip" || lastingValue(steps, "CUPY_COMPILE_WITH_PTX")?.value === "1") return [];
  const major = /\d\d/.exec(cupy.name)![0];
  const wheel = packages.get(major === "13" ? "nvidia-cuda-nvrtc" : `nvidia-cuda-nvrtc-cu${major}`);
  const ownWheel = 0 <= compareDotted(cupy.version, "14") ? wheel : undefined;
  const isWhole = !steps.some(({ kind }) => kind === "unseen") && ![...packages.values()].some(({ manager }) => manager !== "pip");
  const inImage = image?.kind === "cuda" && image.hasLibraries && isWhole && !wheel ? image.cuda : undefined;
  const version = ownWheel ? ownWheel.version : inImage;
  if (version?.split(".")[0] !== major) return [];
  const cuda = minorOf(version);
  const breaks = [{ framework: "cupy", activity: "matmul" }];
  return gpus.flatMap((gpu) => unserved(cupy, gpu, `the NVRTC of CUDA ${cuda}`, cuda, "cubin", breaks, ownWheel?.isAssumed === false));
}

function unserved(
  installed: Installed,
  gpu: AskedGpu,
  words: string,
  cuda: string,
  newer: "cubin" | "nothing",
  breaks: Affected[],
  isExact: boolean,
): DeclaredUnserved[] {
  const toolkit = toolkitOf({ cudart: cuda })?.newest;
  const why = unservedBy(toolkit?.architectures ?? [], gpu.sm, newer);
  if (!toolkit || why === undefined) return [];
  return [{ installed, words, toolkit, gpu, why, breaks, certain: isExact && isCertain(toolkit, "architectures") && isSure(gpu) }];
}

const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

/** GPUs that the driver does not drive, and why; with the frameworks that would want them. */
export function undrivenIn({ installation, driver, gpus }: InstallContext): {
  driver: string;
  gpu: AskedGpu;
  why: OtherBranch;
  place: Installed["place"];
  breaks: Affected[];
  certain: boolean;
}[] {
  const builds = gpuBuilds(installation);
  if (driver === undefined || builds.length === 0) return [];
  const breaks = builds.map(({ framework }) => ({ framework, activity: "device" }));
  return gpus.flatMap((gpu) => {
    const why = otherBranch(driver, gpu.sm);
    return why ? [{ driver, gpu, why, place: builds[0]!.installed.place, breaks, certain: why.certain && isSure(gpu) }] : [];
  });
}
