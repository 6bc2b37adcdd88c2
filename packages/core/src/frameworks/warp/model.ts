import { driverFailure, driverProblem } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import names from "./names.ts";

// warp.so holds the runtime, NVRTC and nvJitLink; it is opened by `warp.init()`, and opens libcuda.so by its two names. Without a driver it runs
// on the processor.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
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
