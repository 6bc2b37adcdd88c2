import { needDriver } from "../driver.ts";
import { defineFramework, type FrameworkCopy } from "../framework.ts";
import { loadWithPathfinder, notFound } from "../pathfinder.ts";
import { notFoundByName } from "../not-found.ts";
import names from "./names.ts";

// Its modules need nothing at import. The runtime is inside of them; libcuda.so.1 is opened at the first call, NVRTC and nvJitLink are found by
// cuda-pathfinder at theirs, whichever major there is.
export default defineFramework({
  ...names,
  compiledFor: (_, { package: { name, version } }) => ({ cuda: { version: version.split(".")[0]!, evidence: `package ${name}` } }),
  // Whoever names no GPU gets PTX for the oldest that NVRTC knows, which newer ones take.
  compiler: () => ({ name: "NVRTC", library: "nvrtc", newer: "ptx" }),
  steps: {
    import: (process, copy) => void process.extension(`${copy.package.folder}/cuda/bindings`, "driver", { required: true }),
    device: (process) => needDriver(process, "cuda-bindings", process.loadedLike("cydriver.")),
    compile(process, copy) {
      if (loadWithPathfinder(process, "nvrtc") || process.process.pending) return;
      const { name, message } = notFound(process, "nvrtc", majorOf(copy));
      process.stop(notFoundByName(process, "cuda-bindings", name, message));
    },
  },
});

const majorOf = ({ package: { version } }: FrameworkCopy) => version.split(".")[0]!;
