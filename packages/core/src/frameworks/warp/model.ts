import { compareDotted } from "../../knowledge/dotted.ts";
import type { View } from "../../resolve/view.ts";
import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import names from "./names.ts";

// warp.so holds the runtime, NVRTC and nvJitLink; it is opened by `warp.init()`, and opens libcuda.so by its two names. Without a driver it runs
// on the processor.
export default defineFramework({
  ...names,
  compiledFor,
  steps: {
    import: () => {},
    device(process, copy) {
      const bin = `${copy.package.folder}/warp/bin`;
      const opened = process.ctypes(`${bin}/warp.so`);
      if ("failure" in opened) process.stop(opened.failure);
      if ("object" in opened) process.ladder(opened.object, ["libcuda.so.1", "libcuda.so"]);
      const problem = driverProblem(process);
      if (problem && !process.process.pending) process.stop(driverFailure(process, "warp", problem));
    },
  },
});

/** Wheels of PyPI were made with CUDA 12 up to 1.17 and with 13 since, as their own pages say; others say it in their version: `+cu12`. */
function compiledFor(_: View, { package: { version, name } }: FrameworkCopy): CompiledFor {
  const label = /\+cu(\d{2})/.exec(version)?.[1];
  const cuda = label ?? (compareDotted(version, "1.18") < 0 ? "12" : "13");
  return { cuda: { version: cuda, evidence: `package ${name} ${version}` } };
}
