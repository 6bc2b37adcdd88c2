import { kindAt, namesIn } from "../../survey/python.ts";
import type { View } from "../../resolve/view.ts";
import { needDriver } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { neededVersions } from "../pins.ts";
import names from "./names.ts";

// PyPI has its source alone, and what is compiled is for processors unless CMAKE_ARGS says otherwise; wheels with CUDA lie on its own index.
// Read in 0.2.20 to 0.3.16, never watched: `import llama_cpp` opens libllama.so by its path, and that needs libggml-cuda.so, which needs cuBLAS,
// the runtime and the driver by name. Nothing of it leads to NVIDIA's wheels.
export default defineFramework({
  ...names,
  compiledFor(view, copy): CompiledFor {
    const file = gpuLibrary(view, copy);
    return file === undefined ? {} : neededVersions(view, file);
  },
  kernels(view, copy) {
    const file = gpuLibrary(view, copy);
    return file === undefined ? undefined : kernelsIn(view, file);
  },
  cpuOnly(view, copy) {
    const folder = folderOf(view, copy);
    const there = folder === undefined ? undefined : namesIn(view, folder);
    // Since 0.3.0 each backend is a library of its own; before, libllama.so holds them.
    if (!there?.some((name) => name.startsWith("libggml-cpu"))) return undefined;
    return there.some((name) => /^libggml-(cuda|hip|vulkan|sycl|musa|metal)/.test(name)) ? undefined : `${folder} has no libggml-cuda.so`;
  },
  steps: {
    import(process, copy) {
      const folder = folderOf(process.view, copy);
      if (folder === undefined) return;
      const opened = process.ctypes(`${folder}/libllama.so`);
      if ("failure" in opened) process.stop(opened.failure);
    },
    device(process, copy) {
      if (gpuLibrary(process.view, copy) !== undefined) needDriver(process, "llama-cpp-python", process.loadedLike("libggml-cuda"));
    },
  },
});

/** Since 0.2.76 below `lib`. */
function folderOf(view: View, { package: { folder } }: FrameworkCopy): string | undefined {
  return [`${folder}/llama_cpp/lib`, `${folder}/llama_cpp`].find((path) => kindAt(view, `${path}/libllama.so`) === "file");
}

function gpuLibrary(view: View, copy: FrameworkCopy): string | undefined {
  const folder = folderOf(view, copy);
  return folder !== undefined && kindAt(view, `${folder}/libggml-cuda.so`) === "file" ? `${folder}/libggml-cuda.so` : undefined;
}
