// The driver and the GPUs that a run would get, and what of it needs them.
import { driverVersionIn, isCompat } from "../frameworks/driver.ts";
import { driverReaches } from "../knowledge/dotted.ts";
import { driverRuns, kernelFate, otherBranch, type KernelFate, type OtherBranch } from "../knowledge/goes-together.ts";
import { gpuNamed, type KnownGpu } from "../knowledge/gpus.ts";
import type { Affected } from "../model/finding.ts";
import type { Gpu } from "../model/inventory.ts";
import { isListed } from "../survey/driver.ts";
import type { Load } from "../model/loads.ts";
import type { Program, Run, Stack } from "./stack.ts";

export interface DriverBelow {
  version: string;
  evidence: string;
  /** A compat library that stands before an older driver of the kernel. */
  compat?: Load;
}

/** The release whose features a run would have: that of the kernel, or of a newer compat library in front of it. */
export function driverBelow({ inventory }: Stack, run: Run): DriverBelow | undefined {
  const { kernel, module } = inventory.driver;
  const compat = newerCompat(kernel, run);
  if (compat) return compat;
  if (kernel !== undefined) return { version: kernel, evidence: module === "assumed" ? "--driver" : "/proc/driver/nvidia/version" };
  const files = [
    ...run.loads.loads.filter(({ library, unmapped }) => library === "libcuda" && !unmapped).map(({ file }) => file),
    ...inventory.copies.filter(({ library, stub }) => library === "libcuda" && !stub).map(({ file }) => file),
  ];
  const named = files.find((file) => !isCompat(file) && driverVersionIn(file) !== undefined);
  return named === undefined ? undefined : { version: driverVersionIn(named)!, evidence: named };
}

function newerCompat(kernel: string | undefined, { loads: { loads } }: Run): DriverBelow | undefined {
  const load = loads.find(({ library, unmapped, file }) => library === "libcuda" && !unmapped && isCompat(file));
  const version = load && driverVersionIn(load.file);
  if (!load || version === undefined || (kernel !== undefined && driverReaches(kernel, version))) return undefined;
  return { version, evidence: load.file, compat: load };
}

/** Why a program does not get to the driver. */
export const driverless = new Set(["no-driver", "stub-driver", "older-driver-library", "newer-driver-library", "hidden-gpus"]);

/** Whether a program gets to the driver at all; what keeps it from that is said by other rules. */
export const reachesDriver = ({ stops }: Run, { id, cpuOnly }: Program) =>
  cpuOnly === undefined && !stops.some(({ program, failure }) => program === id && driverless.has(failure.refusal?.kind ?? ""));

/** The activities of a run that need what `first` needs: `device` a driver, `matmul` a kernel that runs. */
export function needing({ activities }: Run, { id, package: found, upon, does }: Program, first: "device" | "matmul"): Affected[] {
  // What is built upon a framework brings operators, and nothing else of its activities.
  if (upon) return activities.filter((activity) => activity === "device").map((activity) => ({ framework: id, activity }));
  // Of an executable no more is known than that it uses the GPU.
  const isAffected = (activity: string) =>
    activity !== "import" && (first === "device" || !found || activity !== "device") && (does?.includes(activity) ?? true);
  return activities.filter(isAffected).map((activity) => ({ framework: id, activity }));
}

/** GPUs of one architecture. */
export interface GpuKind {
  architecture: string;
  names: string[];
  /** As a person would say it: `Tesla T4 (sm_75)`. */
  words: string;
  known: KnownGpu[];
  /** Whether the architecture of each was read somewhere, and is not worked out from its name. */
  certain: boolean;
  /** The driver that runs names each of them. */
  isListed: boolean;
}

/** The GPUs that programs may use, by architecture; those that a variable hides are none of them, as far as that can be told. */
export function gpuKinds(stack: Stack): GpuKind[] {
  const groups = new Map<string, Gpu[]>();
  for (const gpu of visible(stack)) {
    const architecture = gpu.architecture?.replace(/[af]$/, "");
    if (architecture !== undefined) groups.set(architecture, [...(groups.get(architecture) ?? []), gpu]);
  }
  return [...groups].map(([architecture, gpus]) => {
    const names = [...new Set(gpus.map(({ name }) => name))];
    const known = names.flatMap((name) => gpuNamed(name.replace(/^NVIDIA (?=10de:)/, "")) ?? []);
    const said = names.map((name) => (/^(sm_|compute_|\d)/.test(name) ? "a GPU" : name));
    return {
      architecture,
      names,
      words: `${[...new Set(said)].join(" and ")} (${architecture})`,
      known,
      certain: known.length === names.length && known.every(({ certain }) => certain),
      isListed: gpus.every((gpu) => isListed(gpu, stack.inventory.driver)),
    };
  });
}

function visible({ inventory: { gpus }, variables }: Stack): Gpu[] {
  const { CUDA_VISIBLE_DEVICES: chosen, CUDA_DEVICE_ORDER: order } = variables;
  const entries = chosen?.split(",").map((entry) => entry.trim()) ?? [];
  if (0 < entries.length && entries.every((entry) => entry.startsWith("GPU-")))
    return gpus.filter(({ uuid }) => uuid === undefined || entries.some((entry) => uuid.startsWith(entry)));
  // Numbers count the fastest first, which no file tells, unless the order of the bus is asked for.
  const isSorted = order === "PCI_BUS_ID" && gpus.every(({ bus }) => bus !== undefined);
  if (!isSorted || entries.length === 0 || !entries.every((entry) => /^\d+$/.test(entry))) return gpus;
  const sorted = [...gpus].sort((a, b) => (a.bus! < b.bus! ? -1 : 1));
  return entries.flatMap((entry) => sorted[Number(entry)] ?? []);
}

/** Whether GPUs are asked about that are not there. */
export const areAssumed = ({ inventory: { gpus } }: Stack) => gpus.every(({ bus }) => bus === undefined);

/** Whether it is less bad that some kinds of GPU cannot be used: an old one beside a good one, for the screen, is no fault. */
export const areOthersFit = (stack: Stack, unfit: number, of: number): boolean => unfit < of && !areAssumed(stack);

/** What a finding does to activities, by whether it is a warning only. */
export const affecting = (affected: Affected[], isWarning: boolean) =>
  isWarning ? { severity: "warning" as const, endangers: affected } : { breaks: affected };

/** Kinds of GPU that the kernel's driver does not drive, and why: whatever is installed, nothing runs there. */
export function undriven(stack: Stack): { gpu: GpuKind; driver: string; why: OtherBranch }[] {
  const { kernel: driver } = stack.inventory.driver;
  if (driver === undefined) return [];
  return gpuKinds(stack).flatMap((gpu) => {
    const why = otherBranch(driver, gpu.architecture, gpu.isListed);
    return why ? [{ gpu, driver, why }] : [];
  });
}

/** What becomes of a program's kernels on each kind of GPU; empty where its kernels or the GPUs are not known. */
export function fatesOf(stack: Stack, run: Run, program: Program): { gpu: GpuKind; fate: KernelFate }[] {
  const { kernels } = program;
  if (!kernels || !reachesDriver(run, program)) return [];
  const [cuda, driver] = [cudaOf(program)?.version, driverBelow(stack, run)?.version];
  return gpuKinds(stack).map((gpu) => ({ gpu, fate: kernelFate(gpu.architecture, kernels.architectures, cuda, driver) }));
}

/** The same where PTX comes to be compiled at all: the driver drives the GPU, and runs programs of that CUDA. */
export function compiledFates(stack: Stack, run: Run, program: Program): ReturnType<typeof fatesOf> {
  const [cuda, driver] = [cudaOf(program)?.version, driverBelow(stack, run)?.version];
  if (cuda !== undefined && driver !== undefined && driverRuns(driver, cuda) === false) return [];
  const lost = new Set(undriven(stack).map(({ gpu }) => gpu.architecture));
  return fatesOf(stack, run, program).filter(({ gpu }) => !lost.has(gpu.architecture));
}

/** The CUDA that a program was built for, where that is known. */
export const cudaOf = ({ compiledFor }: Program) => compiledFor["cuda"] ?? compiledFor["cudart"];
