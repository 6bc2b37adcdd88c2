import type { View } from "../resolve/view.ts";
import { driverProblem } from "./driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "./framework.ts";
import { loadWithPathfinder } from "./pathfinder.ts";
import { nvrtcBuiltins, nvrtcBuiltinsName } from "./library-habits.ts";
import { pinnedVersions } from "./pins.ts";
import type { PythonProcess } from "./python-process.ts";

export default defineFramework({
  id: "cupy",
  packages: ["cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy"],
  verified: /^14\.2\./,
  compiledFor,
  steps: {
    import(process) {
      const folder = process.folders("cupy_backends")[0];
      if (folder === undefined) return;
      // cuTENSOR is optional; looking for it brings in what it depends on.
      loadWithPathfinder(process, "cutensor");
      process.extension(`${folder}/cuda/api`, "runtime", { required: true });
      process.extension(`${folder}/cuda/libs`, "nvrtc");
      process.extension(`${folder}/cuda/libs`, "cutensor");
    },
    device(process) {
      process.ctypes("libcuda.so.1");
      const problem = driverProblem(process);
      if (problem && !process.process.pending) {
        process.stop({
          name: "libcuda.so.1",
          requestedBy: "cupy",
          activity: process.process.activity,
          reason: "not-found",
          message: problem.message,
          ...(problem.file === undefined ? {} : { file: problem.file }),
          tried: [],
        });
      }
    },
    compile,
    matmul(process) {
      // Filling an array compiles a kernel first.
      compile(process);
      loadWithPathfinder(process, "cublas");
      const folder = process.folders("cupy_backends")[0];
      if (folder !== undefined) process.extension(`${folder}/cuda/libs`, "cublas");
    },
  },
  after: {
    matmul: ["device"],
    compile: ["device"],
    convolution: ["device"],
    profile: ["device", "matmul"],
    "train-distributed": ["device"],
  },
});

function compile(process: PythonProcess): void {
  const nvrtc = loadWithPathfinder(process, "nvrtc");
  const { activity, pending } = process.process;
  if (!nvrtc && pending) return;
  if (!nvrtc)
    process.stop({
      name: "libnvrtc.so",
      requestedBy: "cupy",
      activity,
      reason: "not-found",
      message: 'Failure finding "libnvrtc.so"',
      tried: [],
    });
  const builtins = nvrtcBuiltins(process);
  if (!builtins && !pending) {
    const name = nvrtcBuiltinsName(nvrtc);
    const message = `nvrtc: error: failed to open ${name}.`;
    process.stop({ name, requestedBy: nvrtc.path, activity, reason: "not-found", message, tried: [] });
  }
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const major = /^cupy-cuda(\d+)x$/.exec(copy.package.name)?.[1];
  return {
    ...pinnedVersions(view, copy.package),
    ...(major === undefined ? {} : { cuda: { version: major, evidence: `package ${copy.package.name}` } }),
  };
}
