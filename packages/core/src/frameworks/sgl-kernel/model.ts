import { readGpus } from "../../survey/driver.ts";
import { extensionIn, kindAt } from "../../survey/python.ts";
import type { View } from "../../resolve/view.ts";
import { driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { neededVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

// Read in 0.1.0 to 0.3.21. `import sgl_kernel` imports torch and then its operators; nothing goes on without them. Its metadata asks for no
// torch at all, and libnvrtc.so.12 is found only where torch has loaded it (since 2.6) or the loader is led to it.
export default defineFramework({
  ...names,
  compiledFor,
  upon: ["torch"],
  steps: {
    import(process, copy) {
      const [first, ...others] = places(process, copy);
      const opened = first === undefined ? undefined : process.extension(first, "common_ops", { required: others.length === 0 });
      if (opened || process.process.pending) return;
      for (const place of others) process.extension(place, "common_ops", { required: true });
    },
    // Kernels for attention, in files of their own: which are asked for depends on the model.
    device(process, copy) {
      process.possibly(() => {
        for (const name of ["flash_ops", "flashmla_ops", "spatial_ops"]) process.extension(folderOf(copy), name);
      });
    },
  },
});

const folderOf = ({ package: { folder } }: FrameworkCopy) => `${folder}/sgl_kernel`;

/** Where the operators are looked for: since 0.3.15 in a folder for the GPU, and then beside it. */
function places(process: PythonProcess, copy: FrameworkCopy): string[] {
  const own = folderOf(copy);
  const hasFolders = ["sm90", "sm100"].some((name) => kindAt(process.view, `${own}/${name}`) === "folder");
  if (!hasFolders) return [own];
  const isHopper = readGpus(process.view)[0]?.architecture === "sm_90" && !driverProblem(process);
  const chosen = `${own}/${isHopper ? "sm90" : "sm100"}`;
  return [chosen, ...(extensionIn(process.view, copy.environment, own, "common_ops") === undefined ? [] : [own])];
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const own = folderOf(copy);
  const file = [own, `${own}/sm100`].map((place) => extensionIn(view, copy.environment, place, "common_ops")).find((each) => each);
  return file === undefined ? {} : neededVersions(view, file);
}
