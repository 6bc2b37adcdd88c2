import { namesIn } from "../../survey/python.ts";
import { needDriver } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import { importRapids, loadRapids } from "../rapids.ts";
import names from "./names.ts";

// Its own code is Python upon pylibcudf, whose modules need libcudf and librmm by their names alone: load.py must have loaded them. CuPy and
// Numba are imported, too.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  upon: ["rmm", "cupy"],
  steps: {
    import(process, copy) {
      loadRapids(process, "libcudf");
      const folder = `${copy.package.folder}/pylibcudf`;
      const modules = (namesIn(process.view, folder) ?? []).flatMap((name) => /^(\w+)\.(?:cpython-|abi3).*so$/.exec(name)?.[1] ?? []);
      // In the order of its __init__: aggregation comes first, whose libraries all the others need.
      importRapids(
        process,
        folder,
        ["aggregation", ...modules.filter((name) => name !== "aggregation")].filter((name) => modules.includes(name)),
      );
    },
    device: (process) => needDriver(process, "cudf", process.loadedLike("libcudf.so")),
  },
});
