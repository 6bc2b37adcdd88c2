import { oldestForCudnn } from "../../knowledge/cudnn.ts";
import { fitOf, numberOf } from "../../knowledge/gpu-code.ts";
import { architecture } from "../../knowledge/toolkits.ts";
import { nameOf } from "../../lib/path.ts";
import { unserved } from "../../diagnose/compiler.ts";
import { cudaOf, gpuKinds, needing, reachesDriver, areOthersFit, affecting, undriven } from "../../diagnose/device.ts";
import type { Draft } from "../../model/finding.ts";
import { fileFact, gpuFacts, loadFact, programFacts } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Program, Run, Stack } from "../../diagnose/stack.ts";
import { fileWords, programName } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds: (stack) => [
    ...stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => [
        ...droppedByCudnn(stack, run, program),
        ...droppedByCompiler(stack, run, program),
        ...droppedByLibraries(stack, run, program),
      ]),
    ),
    ...droppedByDriver(stack),
  ],
});

function droppedByCudnn(stack: Stack, run: Run, program: Program): Draft[] {
  const load = run.loads.loads.find(
    ({ library, name, unmapped }) => library === "cudnn" && !unmapped && nameOf(name).startsWith("libcudnn.so"),
  );
  const cuda = cudaOf(program)?.version.split(".")[0];
  const affected = needing(run, program, "matmul").filter(({ activity }) => activity === "convolution" || activity === "rnn");
  if (load?.version === undefined || cuda === undefined || affected.length === 0 || !reachesDriver(run, program)) return [];
  const least = oldestForCudnn(load.version, cuda);
  const kinds = gpuKinds(stack);
  const unfit = kinds.filter(({ architecture: sm }) => least && numberOf(sm)! < numberOf(least.sm)! && hasCode(program, sm));
  // torch looks at every GPU that it sees, and refuses for the sake of one.
  const isWarning = program.id !== "torch" && areOthersFit(stack, unfit.length, kinds.length);
  return unfit.map((gpu) => ({
    subject: `${load.file} on ${gpu.architecture}`,
    short: `cuDNN ${load.version} does not run on ${gpu.words}`,
    message: `cuDNN ${load.version} does not run on ${gpu.words}: it begins with ${least!.sm}`,
    because: [
      program.id === "torch"
        ? "torch raises when cuDNN is first used: “not compatible with devices with SM < 7.5”"
        : "cuDNN refuses that GPU",
    ],
    evidence: [`${programName(run, program.id)} would load ${fileWords(stack, load.file, load)}`],
    advice: [
      cuda === "12"
        ? `install the last cuDNN for ${gpu.architecture}: nvidia-cudnn-cu12==9.10.2.21`
        : `no cuDNN for CUDA ${cuda} runs on this GPU: take a build of ${program.id} for CUDA 12`,
    ],
    facts: { loads: [loadFact(load)], gpus: gpuFacts([gpu]), packages: programFacts(run, program) },
    certainty: gpu.certain && least!.certain ? ("certain" as const) : ("likely" as const),
    ...affecting(affected, isWarning),
    sources: least!.sources,
  }));
}

/** A build without code for the GPU has a rule of its own. */
const hasCode = ({ kernels }: Program, sm: string) => !kernels || fitOf(sm, kernels.architectures) !== undefined;

function droppedByCompiler(stack: Stack, run: Run, program: Program): Draft[] {
  const found = unserved(stack, run, program).filter(({ isOlder }) => isOlder);
  const affected = needing(run, program, "matmul");
  if (affected.length === 0) return [];
  const isWarning = areOthersFit(stack, found.length, gpuKinds(stack).length);
  return found.map(({ gpu, toolkit, file, words, certain }) => ({
    subject: `${file} on ${gpu.architecture}`,
    message: `${words} no longer makes code for ${gpu.words}`,
    because: [`CUDA ${toolkit.cuda} begins with ${toolkit.architectures![0]}`],
    evidence: [`${programName(run, program.id)} compiles its kernels with ${file}`],
    advice: lastToolkit(gpu.architecture),
    facts: { copies: [fileFact(stack, file, "other")], gpus: gpuFacts([gpu]), packages: programFacts(run, program) },
    certainty: certain ? ("certain" as const) : ("likely" as const),
    ...affecting(affected, isWarning),
  }));
}

function lastToolkit(sm: string): string[] {
  const last = architecture(sm)?.last;
  return last === undefined ? [] : [`stay with CUDA ${last}, the last that builds for ${sm}, and with packages for that major`];
}

/** Libraries with kernels inside, for programs of which no more is known than what they load. */
const withKernels = new Set(["cublas", "cublaslt", "cufft", "curand", "cusolver", "cusparse"]);

function droppedByLibraries(stack: Stack, run: Run, program: Program): Draft[] {
  const cuda = cudaOf(program)?.version.split(".")[0];
  const load = run.loads.loads.find(({ library, unmapped }) => library !== undefined && withKernels.has(library) && !unmapped);
  const affected = needing(run, program, "matmul");
  if (program.kernels || program.compiler || !load || cuda === undefined || affected.length === 0 || !reachesDriver(run, program))
    return [];
  const kinds = gpuKinds(stack);
  const unfit = kinds.filter(({ architecture: sm }) => Number(architecture(sm)?.last?.split(".")[0] ?? cuda) < Number(cuda));
  const isWarning = areOthersFit(stack, unfit.length, kinds.length);
  return unfit.map((gpu) => ({
    subject: `${load.file} on ${gpu.architecture}`,
    short: `${nameOf(load.file)} of CUDA ${cuda} has no code for ${gpu.words}`,
    message: `${fileWords(stack, load.file, load)} is of CUDA ${cuda}, which no longer has code for ${gpu.words}`,
    because: [`CUDA ${architecture(gpu.architecture)!.last} was the last for ${gpu.architecture}`],
    evidence: [`${programName(run, program.id)} was built for CUDA ${cuda} (${cudaOf(program)!.evidence})`],
    advice: lastToolkit(gpu.architecture),
    facts: { loads: [loadFact(load)], gpus: gpuFacts([gpu]), packages: programFacts(run, program) },
    certainty: gpu.certain ? ("certain" as const) : ("likely" as const),
    ...affecting(affected, isWarning),
  }));
}

function droppedByDriver(stack: Stack): Draft[] {
  const breaks = stack.runs.flatMap((run) =>
    run.programs.filter((program) => cudaOf(program) && reachesDriver(run, program)).flatMap((program) => needing(run, program, "device")),
  );
  if (breaks.length === 0) return [];
  return undriven(stack)
    .filter(({ why }) => why.is === "after-last")
    .map(({ gpu, driver, why: { branch } }) => ({
      subject: `driver ${driver} on ${gpu.architecture}`,
      short: `driver ${driver} no longer has ${gpu.words}`,
      message: `driver ${driver} no longer has ${gpu.words}: the last branch for it is ${branch}`,
      because: ["the kernel module leaves that GPU alone"],
      evidence: [`driver ${driver}`],
      advice: [`install a driver of the branch ${branch}`],
      facts: { driver: { version: driver }, gpus: gpuFacts([gpu]) },
      certainty: "likely" as const,
      breaks,
    }));
}
