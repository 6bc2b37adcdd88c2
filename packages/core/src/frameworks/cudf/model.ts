import { namesIn } from "../../survey/python.ts";
import { needDriver } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import type { PythonProcess } from "../python-process.ts";
import { compiledForInName, importRapids, loadRapids } from "../rapids.ts";
import names from "./names.ts";

// Its own code is Python upon pylibcudf, whose modules need libcudf and librmm by their names alone: load.py must have loaded them. CuPy and
// Numba are imported, too.
export default defineFramework({
  ...names,
  compiledFor: compiledForInName,
  upon: ["rmm", "cupy"],
  steps: {
    import(process, copy) {
      loadRapids(process, "libcudf");
      const folder = `${copy.package.folder}/pylibcudf`;
      const modules = modulesIn(process, folder);
      // In the order of its __init__: aggregation comes first, whose libraries all the others need.
      const first = modules.filter((name) => name === "aggregation");
      importRapids(process, folder, [...first, ...modules.filter((name) => name !== "aggregation")]);
      for (const part of [
        "io",
        "nvtext",
        "strings",
        "strings/convert",
        "strings/split",
        "libcudf",
        "libcudf/io",
        "libcudf/lists",
        "libcudf/strings",
        "libcudf/utilities",
      ])
        importRapids(process, `${folder}/${part}`, modulesIn(process, `${folder}/${part}`));
      // Its own modules: in 25 only functions on text, with a library of theirs beside them.
      const own = `${copy.package.folder}/cudf/_lib`;
      importRapids(process, own, modulesIn(process, own));
      // cudf/utils/gpu_utils.py counts the GPUs, and only warns where there is none.
      process.ladder(process.loadedLike("libcudf.so") ?? process.process.executable, ["libcuda.so.1"]);
    },
    device: (process) => needDriver(process, "cudf", process.loadedLike("libcudf.so")),
  },
});

const modulesIn = ({ view }: PythonProcess, folder: string) =>
  (namesIn(view, folder) ?? []).flatMap((name) => /^(\w+)\.(?:cpython-|abi3).*so$/.exec(name)?.[1] ?? []);
