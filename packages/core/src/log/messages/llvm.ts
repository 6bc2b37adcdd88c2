import { noise, notice, type Signature } from "../signature.ts";

/** LLVM (llvm/lib/MC/MCSubtargetInfo.cpp), which Triton and XLA bring: what it does not know it leaves out and goes on. */
export default [
  notice(
    "llvm-processor",
    "is not a recognized processor for this target",
    /'(?<subject>sm_\d{2,3}[a-z]?)' is not a recognized processor for this target/,
    "'sm_120' is not a recognized processor for this target (ignoring processor)",
  ),
  {
    literals: ["does not support target 'sm_"],
    pattern:
      /PTX version (?<found>\d{1,2}\.\d) does not support target '(?<subject>sm_\d{2,3})[a-z]?'[^\n]{0,30}Minimum required PTX version is (?<required>\d{1,2}\.\d)/,
    examples: ["LLVM ERROR: PTX version 8.5 does not support target 'sm_120a'. Minimum required PTX version is 8.7"],
    facts: ({ found, subject, required }) => ({
      kind: "gpu-unsupported",
      capability: subject!,
      supported: `PTX ${found}, where ${subject} needs PTX ${required}`,
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
