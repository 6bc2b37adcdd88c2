import { architecture, smOf } from "../../knowledge/toolkits.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** LLVM (llvm/lib/MC/MCSubtargetInfo.cpp), which Triton and XLA bring: what it does not know it leaves out and goes on. */
export default [
  {
    ...notice(
      "llvm-processor",
      "is not a recognized processor for this target",
      /'(?<subject>sm_\d{2,3}[a-z]?)' is not a recognized processor for this target/,
      "'sm_120' is not a recognized processor for this target (ignoring processor)",
    ),
    means: {
      // Triton's own LLVM does not know the GPU: what it makes without knowing fails later, or is for a GPU of long ago.
      weight: weights.failed,
      name: "triton",
      unless: (facts) => facts.has("arch-refused"),
      about: (_facts, _context, [fact]) => {
        const known = architecture(smOf(fact!.subject!) ?? "");
        return {
          evidence: [fact!],
          required: known
            ? `a compiler of the time of CUDA ${known.first} or newer (for ${fact!.subject})`
            : `a compiler that knows ${fact!.subject}`,
        };
      },
      may: [
        {
          cause: "toolkit-too-old",
          found: "an older LLVM",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the LLVM inside Triton or the program does not know ${fact!.subject}: it is older than this GPU`,
          next: ["pip list | grep -i triton"],
          fixes: [fix("install a newer Triton, and the PyTorch that goes with it", "pip install --upgrade torch triton")],
        },
        {
          cause: "arch-unsupported",
          message: (_facts, _context, [fact]) => `or the whole build is older than ${fact!.subject}`,
          fixes: [fix("install a build of the framework for this GPU")],
        },
      ],
    },
  },
  {
    literals: ["does not support target 'sm_"],
    pattern:
      /PTX version (?<found>\d{1,2}\.\d) does not support target '(?<subject>sm_\d{2,3})[a-z]?'(?:[^\n]{0,30}Minimum required PTX version is (?<required>\d{1,2}\.\d))?/,
    examples: ["LLVM ERROR: PTX version 8.5 does not support target 'sm_120a'. Minimum required PTX version is 8.7"],
    facts: ({ found, subject, required }) => ({
      kind: "gpu-unsupported",
      capability: subject!,
      supported: `PTX ${found}, where ${subject} needs ${required === undefined ? "a newer one" : `PTX ${required}`}`,
      by: "xla",
    }),
  },
  noise(
    "the compiler inside knows no PTX as new as the toolkit's and makes an older one, which serves as well",
    "is not a recognized feature for this target",
    /'\+ptx\d{2,3}' is not a recognized feature for this target/,
    "'+ptx85' is not a recognized feature for this target (ignoring feature)",
  ),
] satisfies Signature[];
