import { needDriver } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import { compiledForInName, importRapids, loadRapids } from "../rapids.ts";
import names from "./names.ts";

// The memory of RAPIDS. The runtime is inside librmm, and asks for the driver when a GPU is first used.
export default defineFramework({
  ...names,
  compiledFor: compiledForInName,
  steps: {
    import(process, copy) {
      loadRapids(process, "librmm");
      importRapids(process, `${copy.package.folder}/rmm/pylibrmm`, [
        "helper",
        "memory_resource",
        "stream",
        "cuda_stream",
        "device_buffer",
        "logger",
      ]);
    },
    device: (process) => needDriver(process, "rmm", process.loadedLike("librmm.so")),
  },
});
