import { needDriver } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import { compiledForInName, importRapids, loadRapids } from "../rapids.ts";
import names from "./names.ts";

// UCX for Python. Its wheel of libraries loads UCX and RMM before; the runtime is inside of libucxx.so, which opens the driver when it is asked
// for memory of a GPU. Watched: 0.52.
export default defineFramework({
  ...names,
  compiledFor: compiledForInName,
  steps: {
    import(process, copy) {
      loadRapids(process, "libucxx");
      importRapids(process, `${copy.package.folder}/ucxx/_lib`, ["libucxx", "arr"]);
    },
    device: (process) => needDriver(process, "ucxx", process.loadedLike("libucxx.so")),
  },
});
