import { packageNamed } from "../../survey/python.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import { notFoundByName } from "../not-found.ts";
import { loadWithPathfinder, notFound } from "../pathfinder.ts";
import { pinnedVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

// A compiler for Python upon MLIR and cuda-bindings. Its import asks the bindings for the runtime's release, and ends where there is no runtime
// (seen in 0.5.4 and 0.6.0); its own modules open the driver. NVVM, NVRTC and nvJitLink are found when something is compiled.
export default defineFramework({
  ...names,
  compiledFor: (view, { package: found }) => pinnedVersions(view, found),
  compiler: () => ({ name: "NVRTC", library: "nvrtc", newer: "ptx" }),
  steps: {
    import(process, copy) {
      for (const name of ["_helperlib", "_mviewbuf", "_typeconv"])
        process.extension(`${copy.package.folder}/numba_cuda_mlir`, name, { required: true });
      find(process, "cudart");
    },
    device(process) {
      process.ctypesLadder(["libcuda.so.1"]);
      const problem = driverProblem(process);
      if (problem && !process.process.pending) process.stop(driverFailure(process, "numba-cuda-mlir", problem));
    },
    compile(process) {
      for (const name of ["nvvm", "nvrtc", "nvJitLink"]) find(process, name);
    },
  },
  after: { compile: ["device"], matmul: ["device", "compile"] },
});

/** By NVIDIA's finder, in whose words it ends. */
function find(process: PythonProcess, library: string): void {
  if (loadWithPathfinder(process, library) || process.process.pending) return;
  const bindings = packageNamed(process.environment, "cuda-bindings")?.version.split(".")[0];
  const { name, message } = notFound(process, library, bindings);
  process.stop(notFoundByName(process, "numba-cuda-mlir", name, message));
}
