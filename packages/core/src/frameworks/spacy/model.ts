import { defineFramework, type FrameworkCopy } from "../framework.ts";
import cupy from "../cupy/model.ts";
import { installedIn } from "../installed.ts";
import type { PythonProcess } from "../python-process.ts";
import { Stop } from "../running-process.ts";
import names from "./names.ts";

// spaCy is Python and code for processors; on GPUs it computes with CuPy. thinc/compat.py imports that and passes over an error, so
// `import spacy` works in any case; `spacy.require_gpu()` fails then, and `prefer_gpu()` goes on without.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  cpuOnly: (_, copy) => (cupyOf(copy) ? undefined : "there is no CuPy, by which it computes on GPUs"),
  steps: {
    import(process, copy) {
      const library = cupyOf(copy);
      if (!library) return;
      const { failures, missed } = process.process;
      const before = failures.length;
      try {
        cupy.steps.import?.(process, library);
      } catch (error) {
        if (!(error instanceof Stop)) throw error;
        missed.push(...failures.splice(before));
      }
    },
    device: (process, copy) => again(process, copy, "device"),
    matmul: (process, copy) => again(process, copy, "matmul"),
  },
  after: { matmul: ["device"] },
});

const cupyOf = ({ environment }: FrameworkCopy) => installedIn(environment, cupy);

function again(process: PythonProcess, copy: FrameworkCopy, activity: "device" | "matmul"): void {
  const library = cupyOf(copy);
  if (!library) return;
  cupy.steps.import?.(process, library);
  cupy.steps[activity]?.(process, library);
}
