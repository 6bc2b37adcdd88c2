import { kindAt, packageNamed } from "../../survey/python.ts";
import { isWithin } from "../../lib/pep440.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { needModule } from "../missing-modules.ts";
import { defineFramework } from "../framework.ts";
import type { PythonProcess } from "../python-process.ts";
import torch from "../torch/model.ts";
import names from "./names.ts";

// Triton needs no CUDA library to be imported. It compiles a small module against libcuda.so.1 at its first use, with the C compiler
// and whatever `ldconfig -p` or LD_LIBRARY_PATH says; that module lies in a cache and needs libcuda.so.1 by that name.
export default defineFramework({
  ...names,
  // ptxas comes with it; no library of CUDA's is asked for but the driver, whose interface does not change.
  compiledFor: () => ({}),
  compiler(view, { package: { version, folder } }) {
    const { TRITON_PTXAS_PATH, TRITON_PTXAS_BLACKWELL_PATH } = view.snapshot.environment;
    if (TRITON_PTXAS_PATH || TRITON_PTXAS_BLACKWELL_PATH) return undefined;
    const known = frameworkRelease("triton", version);
    if (!known?.exact) return undefined;
    const { ptxas, ptxasBlackwell } = known.release;
    const bin = `${folder}/triton/${version.startsWith("2.") ? "third_party/cuda" : "backends/nvidia"}/bin`;
    return {
      name: "ptxas",
      programs: [
        { from: 0, toolkit: ptxas, file: `${bin}/ptxas` },
        ...(ptxasBlackwell === undefined ? [] : [{ from: 100, toolkit: ptxasBlackwell, file: `${bin}/ptxas-blackwell` }]),
      ],
      newer: "nothing",
    };
  },
  steps: {
    import(process, { package: { version } }) {
      own(process, "libtriton");
      // By the drivers of its backends, which it finds by their folder: triton/runtime/build.py.
      if (isWithin(version, ">=2.0,<3.3")) needModule(process, "triton", "setuptools");
    },
    device(process) {
      // The current device is torch's.
      const found = packageNamed(process.environment, "torch");
      const copy = found && { package: found, environment: process.environment };
      if (copy) torch.steps.import?.(process, copy);
      if (copy) torch.steps.device?.(process, copy);
      process.ladder(process.process.executable, ["libcuda.so.1"]);
    },
    /** Proton, its profiler: with a CUPTI of its own, beside the one that torch has loaded. */
    profile(process) {
      const proton = own(process, "libproton");
      if (!proton) return;
      const bundled = process.folders("triton.backends.nvidia").map((folder) => `${folder}/lib/cupti`)[0];
      const folder = process.view.snapshot.environment["TRITON_CUPTI_LIB_PATH"] || bundled;
      const file = `${folder}/libcupti.so`;
      process.ladder(proton, kindAt(process.view, file) === "file" ? [file] : ["libcupti.so"]);
    },
  },
  loadsNothingAt: ["matmul", "compile"],
  after: {
    matmul: ["device"],
    convolution: ["device"],
    rnn: ["device"],
    compile: ["device"],
    profile: ["device"],
    "train-distributed": ["device"],
  },
});

function own(process: PythonProcess, name: string) {
  const folder = process.folders("triton._C")[0];
  return folder === undefined ? undefined : process.extension(folder, name);
}
