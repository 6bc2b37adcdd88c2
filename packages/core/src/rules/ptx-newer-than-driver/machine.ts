import { compareDotted } from "../../knowledge/dotted.ts";
import { architectureWords } from "../../knowledge/gpu-code.ts";
import { driverRuns, leastDriver, newerPtx, type Driven } from "../../knowledge/goes-together.ts";
import { compiledFates, cudaOf, driverBelow, gpuKinds, needing, reachesDriver, areOthersFit, affecting } from "../../diagnose/device.ts";
import type { Draft, DriverFact } from "../../model/finding.ts";
import { gpuFacts, loadFact, programFacts } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Program, Run, Stack } from "../../diagnose/stack.ts";
import { fileWords, programName } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => [...fromBuild(stack, run, program), ...fromCompiler(stack, run, program)]),
    ),
});

function fromBuild(stack: Stack, run: Run, program: Program): Draft[] {
  const [driver, cuda] = [driverBelow(stack, run), cudaOf(program)];
  const affected = needing(run, program, "matmul");
  if (!driver || !cuda || affected.length === 0) return [];
  const code = compiledFates(stack, run, program);
  const unfit = code.flatMap(({ gpu, fate }) => (fate.is === "newer-ptx" ? [{ gpu, ptx: fate }] : []));
  const isWarning = areOthersFit(stack, unfit.length, code.length);
  return unfit.map(({ gpu, ptx }) => ({
    subject: `${program.package?.name ?? program.id}${run.environment ? ` in ${run.environment.prefix}` : ""} on ${gpu.architecture}`,
    short: `driver ${driver.version} cannot compile its PTX of CUDA ${cuda.version}`,
    message: `${programName(run, program.id)} has only PTX for ${gpu.words}, made by CUDA ${cuda.version}: driver ${driver.version} cannot compile it`,
    because: [
      `it was built for ${architectureWords(program.kernels!.architectures)}`,
      `the PTX is version ${ptx.ptx}, and this driver knows versions up to ${ptx.known}`,
    ],
    evidence: [`CUDA ${cuda.version}: ${cuda.evidence}`, `driver ${driver.version}: ${driver.evidence}`],
    advice: [
      ...newerDriver({ cuda: cuda.version, architectures: program.kernels!.architectures }, [gpu.architecture]),
      `or a release of ${program.id} with machine code for ${gpu.architecture}`,
    ],
    facts: {
      driver: {
        version: driver.version,
        ...neededFor({ cuda: cuda.version, architectures: program.kernels!.architectures }, [gpu.architecture]),
        cuda: cuda.version,
      },
      gpus: gpuFacts([gpu]),
      packages: programFacts(run, program),
    },
    certainty: gpu.certain && program.kernels!.certain ? ("certain" as const) : ("likely" as const),
    ...affecting(affected, isWarning),
  }));
}

/** A driver that compiles its PTX and drives these GPUs, where there is one. */
function neededFor(driven: Driven, gpus: string[]): DriverFact {
  const least = leastDriver([driven], gpus);
  return !least || least.goneAfter !== undefined ? {} : { needed: least.driver };
}

const newerDriver = (driven: Driven, gpus: string[]): string[] => {
  const { needed } = neededFor(driven, gpus);
  return needed === undefined ? [] : [`install driver ${needed} or newer`];
};

/** What always makes PTX: numba with the driver's own linker. */
function fromCompiler(stack: Stack, run: Run, program: Program): Draft[] {
  const { compiler } = program;
  const driver = driverBelow(stack, run);
  const library = run.loads.loads.find(
    (load) => load.library === compiler?.library && !load.unmapped && /lib(nvrtc|cudart)\.so/.test(load.file),
  );
  if (compiler?.always !== "ptx" || !driver || library?.version === undefined || !reachesDriver(run, program)) return [];
  const cuda = library.version.split(".").slice(0, 2).join(".");
  const ptx = newerPtx(driver.version, cuda);
  const gpus = gpuKinds(stack).map(({ architecture }) => architecture);
  const affected = needing(run, program, "matmul");
  if (!ptx || !driverRuns(driver.version, cuda) || affected.length === 0 || compareDotted(cuda, "11") < 0) return [];
  return [
    {
      subject: library.file,
      short: `driver ${driver.version} cannot compile PTX of CUDA ${cuda}`,
      message: `${programName(run, program.id)} would make PTX with CUDA ${cuda}, which driver ${driver.version} cannot compile`,
      because: [`the PTX is version ${ptx.ptx}, and this driver knows versions up to ${ptx.known}`],
      evidence: [fileWords(stack, library.file, library), `driver ${driver.version}: ${driver.evidence}`],
      advice: [
        [...newerDriver({ cuda, makesPtx: true }, gpus), "a toolkit that is no newer than the driver"].join(", or "),
        ...(program.id === "numba" ? ["or install numba-cuda, which links with nvJitLink"] : []),
      ],
      facts: {
        loads: [loadFact(library)],
        driver: { version: driver.version, ...neededFor({ cuda, makesPtx: true }, gpus), cuda },
        packages: programFacts(run, program),
      },
      certainty: run.watched ? ("certain" as const) : ("likely" as const),
      breaks: affected,
    },
  ];
}
