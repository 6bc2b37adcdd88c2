import { architectureWords } from "../knowledge/gpu-code.ts";
import { codeFor, cudaOf, driverBelow, needing, newerPtx, runs } from "../diagnose/device.ts";
import { gpuFacts, programFacts } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { programName } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "kernels-compiled-at-start",
  title: "Kernels are compiled from PTX at the first start",
  cause: "arch-unsupported",
  severity: "warning",
  notOn: { "dependency-file": "TODO" },
  page: {
    what: "The build has no machine code for a GPU of this machine, but PTX, which the driver compiles: it runs, after minutes at the first start, and again whenever the cache is gone. Kernels made for older GPUs are slower.",
    why: "The GPU is newer than the build. What the driver compiled is kept in ~/.nv/ComputeCache, which is small by default and is not there in a fresh container.",
    how: "The architectures of the build are compared with every GPU: no machine code of the same major, but PTX of an older architecture.",
    fix: "Install a build with machine code for the GPU. Until then make the cache larger and keep it: CUDA_CACHE_MAXSIZE=4294967296, CUDA_CACHE_PATH on a disk that stays.",
    observed:
      "That PTX of compute_75 runs on an H200. How long whole frameworks take is known from TensorFlow's own message (“could take 30 minutes or longer”).",
  },
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        const [driver, cuda] = [driverBelow(stack, run)?.version, cudaOf(program)?.version];
        const isRefused = driver !== undefined && cuda !== undefined && (runs(driver, cuda) === false || newerPtx(driver, cuda));
        const affected = needing(run, program, "matmul");
        if (isRefused || affected.length === 0) return [];
        return codeFor(stack, run, program)
          .filter(({ fit }) => fit === "ptx")
          .map(({ gpu }) => ({
            subject: `${program.package?.name ?? program.id}${run.environment ? ` in ${run.environment.prefix}` : ""} on ${gpu.architecture}`,
            message: `${programName(run, program.id)} has only PTX for ${gpu.words}: its kernels are compiled when it first starts, which can take minutes`,
            because: [`it was built for ${architectureWords(program.kernels!.architectures)}`],
            evidence: [`architectures: ${program.kernels!.evidence}`],
            advice: [
              `install a release with code for ${gpu.architecture}`,
              "until then: CUDA_CACHE_MAXSIZE=4294967296, and CUDA_CACHE_PATH in a folder that stays",
            ],
            facts: { gpus: gpuFacts([gpu]), packages: programFacts(run, program) },
            certainty: gpu.certain && program.kernels!.certain ? ("certain" as const) : ("likely" as const),
            endangers: affected,
          }));
      }),
    ),
});
