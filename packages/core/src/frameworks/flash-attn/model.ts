import { extensionIn } from "../../survey/python.ts";
import { defineFramework, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { cudaOfLabel, withoutCuda } from "../operators.ts";
import names from "./names.ts";

// flash_attn_interface.py imports torch, then its module, which lies beside the package; nothing is caught. Its functions are bound by pybind11
// and registered by Python code: no dispatch key is compiled in. Read in the sources of 1.0.9, 2.3.6 and 2.8.3; PyPI has no wheels of it.
export default defineFramework({
  ...names,
  upon: ["torch"],
  compiledFor(_view, { package: { version } }) {
    // Its own wheels say what they were built for: `2.8.3+cu12torch2.5cxx11abiFALSE`.
    const major = /\+cu(\d\d)torch/.exec(version)?.[1];
    const cuda = major ?? cudaOfLabel(version);
    return cuda === undefined ? {} : { cuda: { version: cuda, evidence: `its version is ${version}` } };
  },
  kernels(view, { package: { folder }, environment }) {
    const file = modules.map((name) => extensionIn(view, environment, folder, name)).find((each) => each !== undefined);
    return file === undefined ? undefined : kernelsIn(view, file);
  },
  cpuOnly: (view, copy) => withoutCuda(view, copy),
  steps: {
    import(process, { package: { folder, version } }: FrameworkCopy) {
      if (process.view.snapshot.environment["FLASH_ATTENTION_TRITON_AMD_ENABLE"] === "TRUE") return;
      process.extension(folder, modules[version.startsWith("1.") ? 1 : 0]!, { required: true });
    },
  },
  loadsNothingAt: ["device"],
});

/** Of 2.x, and of 1.x. */
const modules = ["flash_attn_2_cuda", "flash_attn_cuda"];
