import { needDriver } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import { compiledForInName, importRapids, loadRapids } from "../rapids.ts";
import names from "./names.ts";

// libcuml and libraft need cuBLAS, cuSOLVER, cuSPARSE and cuRAND of NVIDIA's wheels, which their RUNPATH leads to. Watched: 25.10.
export default defineFramework({
  ...names,
  compiledFor: compiledForInName,
  upon: ["cudf"],
  steps: {
    import(process, copy) {
      loadRapids(process, "libcuml");
      loadRapids(process, "libraft");
      importRapids(process, `${copy.package.folder}/pylibraft/common`, ["handle"]);
      importRapids(process, `${copy.package.folder}/cuml/internals`, ["logger", "internals"]);
    },
    device: (process) => needDriver(process, "cuml", process.loadedLike("libcuml++.so") ?? process.loadedLike("libcuml.so")),
  },
});
