import { defineFramework } from "../framework.ts";
import names from "./names.ts";

// It comes as a source: its operators are compiled when one is first used, by nvcc and the host's C++ compiler, into a cache below the home,
// against the torch that is there. Nothing of its own is loaded before. Without nvcc these end with "CUDA_HOME does not exist, unable to
// compile CUDA op(s)", but programs that use none of them work: that is no finding here.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  upon: ["torch"],
  steps: { import: () => {} },
});
