// The GPUs and the driver that are asked about, and what the builds that would be there have for them.
import { isCertain } from "../knowledge/certainty.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { frameworkRelease } from "../knowledge/frameworks.ts";
import { fitOf, numberOf, unservedBy, type Fit } from "../knowledge/gpu-code.ts";
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
  /** Undefined: nothing in it runs there. */
  fit: Fit | undefined;
  /** Neither the GPU's architecture nor those of the build are only remembered. */
  certain: boolean;
}

/** What every build has for every GPU; of builds whose architectures are not known, nothing. */
export const codeIn = ({ installation, gpus }: InstallContext): DeclaredCode[] =>
  gpuBuilds(installation).flatMap((declared) => {
    const { architectures, doubts } = declared.build;
    if (!architectures) return [];
    const isKnown = architectures.source !== "memory" && !doubts.some((doubt) => doubt.startsWith("the architectures of "));
    return gpus.map((gpu) => ({
      ...declared,
      architectures: architectures.list,
      gpu,
      fit: fitOf(gpu.sm, architectures.list),
      certain: isKnown && isSure(gpu),
    }));
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

/** Frameworks that need a driver, where one and GPUs are asked about: what their GPUs and that driver make of each other decides for all. */
export function needingDriver({
  installation,
  driver,
  gpus,
}: InstallContext): { driver: string; branch: number; place: Installed["place"]; gpus: AskedGpu[]; breaks: Affected[] } | undefined {
  const builds = gpuBuilds(installation);
  if (driver === undefined || builds.length === 0 || gpus.length === 0) return undefined;
  return {
    driver,
    branch: Number(driver.split(".")[0]),
    place: builds[0]!.installed.place,
    gpus,
    breaks: builds.map(({ framework }) => ({ framework, activity: "device" })),
  };
}
