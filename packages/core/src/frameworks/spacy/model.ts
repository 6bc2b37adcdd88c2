import { compareDotted } from "../../knowledge/dotted.ts";
import { defineFramework, type FrameworkCopy } from "../framework.ts";
import cupy from "../cupy/model.ts";
import { installedIn } from "../installed.ts";
import type { PythonProcess } from "../python-process.ts";
import { Stop } from "../running-process.ts";
import names from "./names.ts";

// spaCy is Python and code for processors; on GPUs it computes with CuPy. thinc/compat.py imports that and `cupy.cublas`, and takes any
// ImportError for "there is no CuPy": `import spacy` works in any case; `require_gpu()` says so then, and `prefer_gpu()` goes on without.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  steps: {
    import(process, copy) {
      const library = installedIn(copy.environment, cupy);
      const failures = library ? tried(process, () => importCupy(process, library)) : [];
      process.process.missed.push(...failures);
    },
    device(process, copy) {
      const library = installedIn(copy.environment, cupy);
      if (!library) return;
      const [reason] = tried(process, () => importCupy(process, library));
      if (reason) process.stop({ ...reason, requestedBy: "spacy", message: "Cannot use GPU, CuPy is not installed", underlying: reason });
      cupy.steps.device?.(process, library);
    },
  },
});

/** Up to 13 its module for cuBLAS needs the library by the loader's search; since then it finds it when it is called. */
function importCupy(process: PythonProcess, library: FrameworkCopy): void {
  cupy.steps.import?.(process, library);
  const folder = process.folders("cupy_backends")[0];
  const required = compareDotted(library.package.version, "14") < 0;
  if (folder !== undefined) process.extension(`${folder}/cuda/libs`, "cublas", { required });
}

/** What would end the program, where it is caught. */
function tried({ process: { failures } }: PythonProcess, act: () => void) {
  const before = failures.length;
  try {
    act();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return failures.splice(before);
}
