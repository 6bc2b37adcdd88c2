import { compareDotted } from "../../knowledge/dotted.ts";
import type { View } from "../../resolve/view.ts";
import { extensionIn } from "../../survey/python.ts";
import { defineFramework, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { checkOperators, checkSameCuda, importDynamo, labelledBuild } from "../operators.ts";
import { pinOf } from "../pins.ts";
import names from "./names.ts";

const build = labelledBuild("torchvision");

// extension.py loads its operators with torch.ops.load_library, which is ctypes, and goes on without them; what comes next in the import, or
// the first operator that is called, does not. Up to 0.27 the library is `_C`, since then `_C_stable`, of torch's stable interface.
export default defineFramework({
  ...names,
  upon: ["torch"],
  compiledFor: build.compiledFor,
  kernels(view, copy) {
    const file = own(view, copy, "_C");
    return file === undefined ? undefined : kernelsIn(view, file);
  },
  cpuOnly: build.cpuOnly,
  steps: {
    import(process, copy) {
      const file = own(process.view, copy, "_C");
      const opened = file === undefined ? undefined : process.ctypes(file);
      if (opened && "failure" in opened && importsOperators(copy)) {
        const message = "operator torchvision::nms does not exist";
        process.stop({ ...opened.failure, requestedBy: "torchvision", message, underlying: opened.failure });
      }
      checkSameCuda(process, opened && "object" in opened ? opened.object : undefined, {
        framework: "torchvision",
        own: build.cudaOf(process.view, copy),
        // extension.py, _check_cuda_version: the majors.
        digits: 1,
        message: "Detected that PyTorch and torchvision were compiled with different CUDA major versions.",
      });
      importDynamo(process);
      // Images are decoded with a library of its own; without it there is a warning.
      const images = own(process.view, copy, "image");
      const decoder = images === undefined ? undefined : process.ctypes(images);
      if (decoder && "failure" in decoder) process.process.missed.push(decoder.failure);
    },
    device(process, copy) {
      const file = own(process.view, copy, "_C");
      const opened = file === undefined ? undefined : process.ctypes(file);
      if (opened && "failure" in opened)
        process.stop({
          ...opened.failure,
          requestedBy: "torchvision",
          message: "Couldn't load custom C++ ops.",
          underlying: opened.failure,
        });
      checkOperators(process, opened && "object" in opened ? opened.object : undefined, {
        framework: "torchvision",
        operator: "torchvision::nms",
        builtFor: pinOf(process.view, copy.package, "torch"),
      });
    },
  },
});

/** _meta_registrations.py names an operator since 0.17, so that the import ends where they are not there. */
const importsOperators = ({ package: { version } }: FrameworkCopy) => 0 <= compareDotted(version, "0.17");

const own = (view: View, { package: { folder }, environment }: FrameworkCopy, name: string) =>
  extensionIn(view, environment, `${folder}/torchvision`, `${name}_stable`) ??
  extensionIn(view, environment, `${folder}/torchvision`, name);
