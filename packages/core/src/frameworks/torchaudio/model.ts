import { compareDotted } from "../../knowledge/dotted.ts";
import type { View } from "../../resolve/view.ts";
import { extensionIn } from "../../survey/python.ts";
import { defineFramework, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { checkOperators, checkSameCuda, labelledBuild } from "../operators.ts";
import { pinOf } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

const build = labelledBuild("torchaudio");

// _extension/__init__.py: libtorchaudio by torch.ops.load_library, which is ctypes, then the module that needs it; nothing is caught. What
// needs SoX or FFmpeg is loaded by the first function that wants it, and is of no GPU.
export default defineFramework({
  ...names,
  upon: ["torch"],
  compiledFor: build.compiledFor,
  kernels(view, copy) {
    const file = own(view, copy, "libtorchaudio");
    return file === undefined ? undefined : kernelsIn(view, file);
  },
  cpuOnly: build.cpuOnly,
  steps: {
    import(process, copy) {
      // Since 2.10 both are libraries of torch's stable interface, and the small one comes first.
      const isStable = 0 <= compareDotted(copy.package.version, "2.10");
      for (const name of isStable ? ["_torchaudio", "libtorchaudio"] : ["libtorchaudio"]) {
        const file = own(process.view, copy, name);
        const opened = file === undefined ? undefined : process.ctypes(file);
        if (opened && "failure" in opened) process.stop(opened.failure);
      }
      if (!isStable) process.extension(`${copy.package.folder}/torchaudio/lib`, "_torchaudio", { required: true });
      checkSameCuda(process, library(process, copy), {
        framework: "torchaudio",
        own: build.cudaOf(process.view, copy),
        // _extension/utils.py, _check_cuda_version: major and minor.
        digits: 2,
        message: "Detected that PyTorch and TorchAudio were compiled with different CUDA versions.",
      });
    },
    device(process, copy) {
      checkOperators(process, library(process, copy), {
        framework: "torchaudio",
        operator: "torchaudio::rnnt_loss",
        builtFor: pinOf(process.view, copy.package, "torch"),
      });
    },
  },
});

function library(process: PythonProcess, copy: FrameworkCopy) {
  const file = own(process.view, copy, "libtorchaudio");
  return process.process.objects.find(({ path }) => path === file);
}

const own = (view: View, { package: { folder }, environment }: FrameworkCopy, name: string) =>
  extensionIn(view, environment, `${folder}/torchaudio/lib`, name);
