// Programs that compile their kernels when they run: whether the compiler knows the GPUs.
import { numberOf, unservedBy } from "../knowledge/gpu-code.ts";
import { isCertain } from "../knowledge/certainty.ts";
import { toolkitOf } from "../knowledge/toolkits.ts";
import { nameOf } from "../lib/path.ts";
import type { Toolkit } from "../model/knowledge.ts";
import { gpuKinds, reachesDriver, type GpuKind } from "./device.ts";
import type { Program, Run, Stack } from "./stack.ts";

/** A GPU that the compiler of a program makes no code for. */
export interface Unserved {
  gpu: GpuKind;
  toolkit: Toolkit;
  /** The compiler's file, and its name in words. */
  file: string;
  words: string;
  /** The GPU is older than all that it knows; else it is newer, or was left out. */
  isOlder: boolean;
  certain: boolean;
}

export function unserved(stack: Stack, run: Run, program: Program): Unserved[] {
  if (!program.compiler || !reachesDriver(run, program)) return [];
  return gpuKinds(stack).flatMap((gpu) => {
    const compiler = compilerFor(run, program, gpu);
    const why = unservedBy(compiler?.toolkit.architectures ?? [], gpu.architecture, program.compiler!.newer);
    if (!compiler || why === undefined) return [];
    const certain = gpu.certain && isCertain(compiler.toolkit, "architectures") && run.watched;
    return [{ gpu, ...compiler, isOlder: why === "older", certain }];
  });
}

function compilerFor(
  { loads: { loads } }: Run,
  { compiler }: Program,
  gpu: GpuKind,
): { toolkit: Toolkit; file: string; words: string } | undefined {
  const { programs = [], library, name } = compiler!;
  const inside = programs.findLast(({ from }) => from <= (numberOf(gpu.architecture) ?? 0));
  const load = loads.find((each) => each.library === library && !each.unmapped && nameOf(each.file).startsWith(`lib${library}.so`));
  const version = inside?.toolkit ?? load?.version;
  if (version === undefined) return undefined;
  const cuda = version.split(".").slice(0, 2).join(".");
  const toolkit = toolkitOf({ cudart: cuda })?.newest;
  return toolkit && { toolkit, file: inside?.file ?? load!.file, words: `${name} of CUDA ${cuda}` };
}
