import { torchBuilds } from "../../knowledge/frameworks.ts";
import { architectureWords, fitOf, isTegra, numberOf } from "../../knowledge/gpu-code.ts";
import { architecture } from "../../knowledge/toolkits.ts";
import { fatesOf, needing, areOthersFit, type GpuKind, affecting } from "../../diagnose/device.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Advice, BuildFact, Draft } from "../../model/finding.ts";
import { gpuFacts, programFacts } from "../../diagnose/facts.ts";
import { inCMake } from "../../diagnose/search-paths.ts";
import type { Program, Run } from "../../diagnose/stack.ts";
import { programName } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        const code = fatesOf(stack, run, program);
        const unfit = code.filter(({ fate }) => fate.is === "no-code");
        const affected = needing(run, program, "matmul");
        if (affected.length === 0) return [];
        return unfit.map(({ gpu }) => {
          const isWarning = areOthersFit(stack, unfit.length, code.length);
          const build = program.id === "torch" ? torchBuild(run, program, gpu) : undefined;
          return {
            subject: `${program.package?.name ?? program.id}${run.environment ? ` in ${run.environment.prefix}` : ""} on ${gpu.architecture}`,
            short: `${program.id} has no code for ${gpu.words}`,
            message: `${programName(run, program.id)} has no code for ${gpu.words}: no kernel of it would run there`,
            because: [`it was built for ${architectureWords(program.kernels!.architectures)}`, why(gpu, program.kernels!.architectures)],
            evidence: [`architectures: ${program.kernels!.evidence}`],
            advice: advice(run, program, gpu, build, isWarning),
            facts: { gpus: gpuFacts([gpu]), packages: programFacts(run, program), ...(build ? { builds: [build] } : {}) },
            certainty: gpu.certain && program.kernels!.certain && !isTegra(gpu.architecture) ? ("certain" as const) : ("likely" as const),
            ...affecting(affected, isWarning),
          };
        });
      }),
    ),
});

function why({ architecture: sm }: GpuKind, architectures: string[]): string {
  const device = numberOf(sm)!;
  const isOlder = architectures.every((name) => device < (numberOf(name) ?? 0));
  return isOlder
    ? "that GPU is older than any of these, and code never runs on an older one"
    : isTegra(sm)
      ? "on a Jetson, machine code runs on the very architecture that it was made for only, and there is no PTX that the driver could compile for it"
      : "machine code runs within one major architecture, and there is no PTX that the driver could compile for that GPU";
}

function advice(run: Run, program: Program, gpu: GpuKind, build: BuildFact | undefined, isOneOfSeveral: boolean): Draft["advice"] {
  const { first, last } = architecture(gpu.architecture) ?? {};
  return [
    ...(build === undefined ? [] : [buildAdvice(program, gpu, build)]),
    ...(program.package ? [] : ownBuild(run, gpu)),
    ...(build === undefined && first !== undefined && program.package
      ? [
          `install a build of ${programName(run, program.id)}, or another release, with code for ${gpu.architecture} (CUDA ${first}${last === undefined ? " and newer" : `–${last}`} can build it)`,
        ]
      : []),
    ...(isOneOfSeveral ? ["or leave that GPU out: CUDA_VISIBLE_DEVICES with the others only"] : []),
  ];
}

/** A program of one's own is compiled once more. */
function ownBuild({ loads: { program } }: Run, { architecture: sm }: GpuKind): Advice[] {
  const number = sm.replace(/^sm_/, "");
  const { build } = program;
  if (!build?.cmake) return [{ words: `compile it for that GPU, too: nvcc -gencode arch=compute_${number},code=sm_${number}` }];
  const before = (build.cmake.architectures ?? "").split(";").filter((each) => /^\d/.test(each));
  return inCMake(build, `CMAKE_CUDA_ARCHITECTURES=${[...new Set([...before, number])].join(";")}`);
}

/** The nearest build of torch that has machine code for a GPU: of the same release, else the newest for an old GPU, the oldest for a new one. */
function torchBuild(run: Run, { package: installed, kernels }: Program, { architecture: sm }: GpuKind): BuildFact | undefined {
  const release = installed?.version.replace(/\+.*/, "");
  const fitting = torchBuilds().filter(({ architectures = [] }) => fitOf(sm, architectures) === "cubin");
  const same = fitting.findLast(({ version }) => version === release);
  const isNew = kernels!.architectures.some((name) => (numberOf(name) ?? 0) < numberOf(sm)!);
  const chosen = same ?? (isNew ? fitting[0] : fitting.at(-1));
  if (!chosen) return undefined;
  const { variant, version } = chosen;
  return { package: "torch", release: version, variant, ...(run.environment ? { environment: run.environment.prefix } : {}) };
}

function buildAdvice({ package: installed, kernels }: Program, { architecture: sm }: GpuKind, { release, variant }: BuildFact): Advice {
  const isOther = installed?.version.replace(/\+.*/, "") !== release;
  const isNew = kernels!.architectures.some((name) => (numberOf(name) ?? 0) < numberOf(sm)!);
  return {
    words: `install the build ${variant} of torch ${release}${isOther && isNew ? " or newer" : ""}, which has code for ${sm}`,
    fix: "choose-build",
  };
}
