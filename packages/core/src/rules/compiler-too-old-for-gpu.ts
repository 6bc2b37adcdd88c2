import { architecture } from "../knowledge/toolkits.ts";
import { unserved } from "../diagnose/compiler.ts";
import { gpuKinds, needing, severityOf } from "../diagnose/device.ts";
import { fileFact, gpuFacts, programFacts } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { programName } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "compiler-too-old-for-gpu",
  title: "The compiler is older than the GPU",
  cause: "toolkit-too-old",
  severity: "error",
  notOn: { "dependency-file": "TODO" },
  page: {
    what: "A program compiles its kernels when it runs, and its compiler does not know the GPU: NVRTC for CuPy, ptxas for Triton and torch.compile. CuPy ends with CUDA_ERROR_NO_BINARY_FOR_GPU or “invalid value for --gpu-architecture”, Triton with “Value 'sm_121a' is not defined for option 'gpu-name'”.",
    why: "Which GPUs a compiler makes code for is fixed with its release: sm_100 and sm_120 came with CUDA 12.8, sm_103 and sm_121 with 12.9. The driver may be as new as it likes. CuPy asks an older NVRTC for the newest architecture that it knows, as machine code, which runs within one major only. numba makes PTX, and is not affected.",
    how: "The release of the NVRTC that would be loaded is in its code; the ptxas inside Triton's wheels was read there. What each toolkit builds for is known.",
    fix: "Install a newer compiler: for CuPy the wheel nvidia-cuda-nvrtc (or the toolkit) of a newer CUDA of the same major; for Triton a newer release, or TRITON_PTXAS_PATH with the ptxas of a newer toolkit.",
    observed:
      "The versions of ptxas in Triton 2.0 to 3.9 were read from the wheels; the failures are known from reports (cupy#9106, cupy#9121).",
  },
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
          const severity = severityOf(stack, found.length, gpuKinds(stack).length);
          const first = architecture(gpu.architecture)?.first;
          return {
            subject: `${file} on ${gpu.architecture}`,
            severity,
            message: `${words} does not know ${gpu.words}: it cannot compile kernels for it`,
            because: [
              `CUDA ${toolkit.cuda} builds for ${toolkit.architectures!.filter((name) => /\d$/.test(name)).join(", ")}`,
              ...(first === undefined ? [] : [`${gpu.architecture} came with CUDA ${first}`]),
            ],
            evidence: [`${programName(run, program.id)} compiles its kernels with ${file}`],
            advice: [
              program.id === "triton"
                ? `install a newer Triton, or let TRITON_PTXAS_PATH (for sm_100 and newer TRITON_PTXAS_BLACKWELL_PATH) name the ptxas of CUDA ${first ?? "of a newer release"}`
                : `install the compiler of CUDA ${first ?? "of a newer release"} or newer`,
            ],
            facts: { copies: [fileFact(stack, file, "other")], packages: programFacts(run, program), gpus: gpuFacts([gpu]) },
            certainty: certain ? ("certain" as const) : ("likely" as const),
            ...(severity === "error" ? { breaks: affected } : { endangers: affected }),
          };
        });
      }),
    ),
});
