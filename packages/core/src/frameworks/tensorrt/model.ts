import { kindAt, namesIn } from "../../survey/python.ts";
import type { View } from "../../resolve/view.ts";
import { needDriver } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { neededVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

// The module is in the bindings' wheel and needs libnvinfer and its parsers. Those come in a wheel of their own (tensorrt-cu*-libs), whose
// import loads whatever lies in it and in the wheels of the runtime and of NVRTC; nothing that fails there is said. Its source was read; the
// wheel itself lies on NVIDIA's own index alone, and was never watched.
export default defineFramework({
  ...names,
  compiledFor,
  steps: {
    import(process, copy) {
      const { folder } = copy.package;
      if (kindAt(process.view, `${folder}/tensorrt_libs/__init__.py`) === "file")
        for (const place of [`${folder}/nvidia/cuda_runtime/lib`, `${folder}/nvidia/cuda_nvrtc/lib`, `${folder}/tensorrt_libs`])
          openAll(process, place);
      process.extension(`${folder}/${moduleFolder(process.view, copy)}`, "tensorrt", { required: true });
    },
    // A builder or a runtime asks for the driver as soon as it is made.
    device: (process) => needDriver(process, "tensorrt", process.loadedLike("libnvinfer.so")),
  },
});

const moduleFolder = (view: View, { package: { folder } }: FrameworkCopy) =>
  kindAt(view, `${folder}/tensorrt_bindings`) === "folder" ? "tensorrt_bindings" : "tensorrt";

function openAll(process: PythonProcess, folder: string): void {
  for (const name of namesIn(process.view, folder) ?? []) if (name.includes(".so")) process.ctypesLadder([`${folder}/${name}`]);
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  return neededVersions(view, `${copy.package.folder}/${moduleFolder(view, copy)}/tensorrt.so`);
}
