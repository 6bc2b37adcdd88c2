import type { View } from "../../resolve/view.ts";
import { extensionIn } from "../../survey/python.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { neededVersions } from "../pins.ts";
import names from "./names.ts";

// PyCUDA is compiled where it is installed, so what it needs is in its extension's DT_NEEDED: libcuda.so.1 and, unless it was left out,
// libcurand. Nothing else is opened; kernels are compiled by the program `nvcc`.
export default defineFramework({
  ...names,
  compiledFor,
  steps: {
    import: (process, copy) => void process.extension(`${copy.package.folder}/pycuda`, "_driver", { required: true }),
    device(process) {
      const problem = driverProblem(process);
      if (problem && !process.process.pending) process.stop(driverFailure(process, "pycuda", problem));
    },
  },
  after: {
    matmul: ["device"],
    convolution: ["device"],
    rnn: ["device"],
    compile: ["device"],
    profile: ["device"],
    "train-distributed": ["device"],
  },
});

function compiledFor(view: View, { package: { folder }, environment }: FrameworkCopy): CompiledFor {
  const file = extensionIn(view, environment, `${folder}/pycuda`, "_driver");
  return file === undefined ? {} : neededVersions(view, file);
}
