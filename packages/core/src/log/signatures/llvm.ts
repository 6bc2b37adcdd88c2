import { noise, notice, type Signature } from "../signature.ts";

/** LLVM (llvm/lib/MC/MCSubtargetInfo.cpp), which Triton and XLA bring: what it does not know it leaves out and goes on. */
export default [
  notice(
    "llvm-processor",
    "is not a recognized processor for this target",
    /'(?<subject>sm_\d{2,3}[a-z]?)' is not a recognized processor for this target/,
    "'sm_120' is not a recognized processor for this target (ignoring processor)",
  ),
  noise(
    "the compiler inside knows no PTX as new as the toolkit's and makes an older one, which serves as well",
    "is not a recognized feature for this target",
    /'\+ptx\d{2,3}' is not a recognized feature for this target/,
    "'+ptx85' is not a recognized feature for this target (ignoring feature)",
  ),
] satisfies Signature[];
