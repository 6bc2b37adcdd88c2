import { architectureWords } from "../../knowledge/gpu-code.ts";
import { compiledFates, needing } from "../../diagnose/device.ts";
import { gpuFacts, programFacts } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { programName } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        const affected = needing(run, program, "matmul");
        if (affected.length === 0) return [];
        return compiledFates(stack, run, program)
          .filter(({ fate }) => fate.is === "ptx")
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
