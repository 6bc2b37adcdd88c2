import { architecture } from "../../knowledge/toolkits.ts";
import { unserved } from "../../diagnose/compiler.ts";
import { gpuKinds, needing, areOthersFit, affecting } from "../../diagnose/device.ts";
import { fileFact, gpuFacts, programFacts } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import { programName } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds: (stack) =>
    stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        const found = unserved(stack, run, program).filter(({ isOlder }) => !isOlder);
        const own = needing(run, program, "matmul");
        // torch.compile goes through the Triton of the same environment.
        const torch = stack.runs.flatMap((other) =>
          program.id === "triton" && other.environment?.prefix === run.environment?.prefix
            ? other.programs
                .filter(({ id }) => id === "torch")
                .flatMap((each) => needing(other, each, "matmul").filter(({ activity }) => activity === "compile"))
            : [],
        );
        const affected = [...own, ...torch];
        if (affected.length === 0) return [];
        return found.map(({ gpu, toolkit, file, words, certain }) => {
          const isWarning = areOthersFit(stack, found.length, gpuKinds(stack).length);
          const first = architecture(gpu.architecture)?.first;
          return {
            subject: `${file} on ${gpu.architecture}`,
            short: `${words} does not know ${gpu.words}`,
            message: `${words} does not know ${gpu.words}: it cannot compile kernels for it`,
            because: [
              `CUDA ${toolkit.cuda} builds for ${toolkit.architectures!.filter((name) => /\d$/.test(name)).join(", ")}`,
              ...(first === undefined ? [] : [`${gpu.architecture} came with CUDA ${first}`]),
            ],
            evidence: [`${programName(run, program.id)} compiles its kernels with ${file}`],
            advice: [
              program.id === "triton"
                ? `${0 < torch.length ? "install a newer torch, which brings the Triton that goes with it" : "install a newer Triton"}, or let TRITON_PTXAS_PATH (for sm_100 and newer TRITON_PTXAS_BLACKWELL_PATH) name the ptxas of CUDA ${first ?? "of a newer release"}`
                : `install the compiler of CUDA ${first ?? "of a newer release"} or newer`,
            ],
            facts: { copies: [fileFact(stack, file, "other")], packages: programFacts(run, program), gpus: gpuFacts([gpu]) },
            certainty: certain ? ("certain" as const) : ("likely" as const),
            ...affecting(affected, isWarning),
          };
        });
      }),
    ),
});
