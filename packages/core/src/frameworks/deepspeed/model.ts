import { defineFramework } from "../framework.ts";
import names from "./names.ts";

// It comes as a source: its operators are compiled when one is first used, by nvcc and the host's C++ compiler, into a cache below the home,
// against the torch that is there. Nothing of its own is loaded before.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  upon: ["torch"],
  steps: { import: () => {} },
});
