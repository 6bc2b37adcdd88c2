import { architectureWords } from "../../knowledge/gpu-code.ts";
import { knownBadOn } from "../../knowledge/known-bad.ts";
import { compiledFates, needing, type GpuKind } from "../../diagnose/device.ts";
import type { Program } from "../../diagnose/stack.ts";
import { gpuFacts, programFacts } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { programName } from "../../diagnose/words.ts";

/** Where it is known to be refused, it is no matter of time: that has a rule of its own. */
const hasDefect = ({ package: own }: Program, { architecture: sm }: GpuKind) => own && knownBadOn(own.name, own.version, sm) !== undefined;

export default machineSide(page, {
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        const affected = needing(run, program, "matmul");
        // A file that a variable chose, and that cannot be loaded, is not the one that will run.
        const isForced = run.stops.some(({ program: stopped, failure }) => stopped === program.id && failure.steeredBy !== undefined);
        if (affected.length === 0 || isForced) return [];
        return compiledFates(stack, run, program)
          .filter(({ fate, gpu }) => fate.is === "ptx" && !hasDefect(program, gpu))
          .map(({ gpu }) => ({
            subject: `${program.package?.name ?? program.id}${run.environment ? ` in ${run.environment.prefix}` : ""} on ${gpu.architecture}`,
            short: `${program.id} has only PTX for ${gpu.words}`,
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
