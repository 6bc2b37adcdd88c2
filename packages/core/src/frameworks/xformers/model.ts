import type { View } from "../../resolve/view.ts";
import { extensionIn, packageNamed, textAt } from "../../survey/python.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { checkOperators, importDynamo, withoutCuda } from "../operators.ts";
import { pinOf } from "../pins.ts";
import names from "./names.ts";

// _cpp_lib.py loads `_C.so` by torch.ops.load_library, which is ctypes, while it is imported, and only warns where that fails: its own kernels
// (SwiGLU, sparse, and attention but for what torch itself has) are not there then.
export default defineFramework({
  ...names,
  upon: ["torch"],
  compiledFor,
  kernels(view, copy) {
    const file = own(view, copy, "_C");
    return file === undefined ? undefined : kernelsIn(view, file);
  },
  cpuOnly: (view, copy) => withoutCuda(view, copy),
  steps: {
    import(process, copy) {
      const file = own(process.view, copy, "_C");
      const opened = file === undefined ? undefined : process.ctypes(file);
      if (opened && "failure" in opened) process.process.missed.push(opened.failure);
      importDynamo(process);
    },
    /** `import xformers.ops`, and the first of its kernels. */
    device(process, copy) {
      const folder = `${copy.package.folder}/xformers`;
      const file = own(process.view, copy, "_C");
      const opened = file === undefined ? undefined : process.ctypes(file);
      const builtFor = pinOf(process.view, copy.package, "torch") ?? build(process.view, copy).torch;
      if (opened && "failure" in opened) {
        const there = packageNamed(copy.environment, "torch")?.version ?? "none";
        const message = `xFormers can't load C++/CUDA extensions. xFormers was built for: PyTorch ${builtFor ?? "another"} (you have ${there})`;
        process.stop({ ...opened.failure, requestedBy: "xformers", message, underlying: opened.failure });
      }
      // Kernels for Hopper, where it has them: an import that may fail.
      process.extension(folder, "_C_flashattention3");
      // The same in a folder of its own, as 0.0.31 and 0.0.32 have it, is imported with nothing around that would catch an error.
      process.extension(`${folder}/flash_attn_3`, "_C", { required: true });
      checkOperators(process, opened && "object" in opened ? opened.object : undefined, {
        framework: "xformers",
        operator: "xformers::dual_gemm_silu_identity_mul",
        builtFor,
      });
    },
  },
});

const own = (view: View, { package: { folder }, environment }: FrameworkCopy, name: string) =>
  extensionIn(view, environment, `${folder}/xformers`, name);

const buildFile = ({ package: { folder } }: FrameworkCopy) => `${folder}/xformers/cpp_lib.json`;

/** What it was built with, as it tells itself: `"cuda": 1201`, `"torch": "2.5.1+cu121"`. */
function build(view: View, copy: FrameworkCopy): { torch?: string; cuda?: string } {
  const text = textAt(view, buildFile(copy)) ?? "";
  const torch = /"torch":\s*"([\d.]+)/.exec(text)?.[1];
  const cuda = /"cuda":\s*(\d+)/.exec(text)?.[1];
  return {
    ...(torch === undefined ? {} : { torch }),
    ...(cuda === undefined ? {} : { cuda: `${Math.floor(Number(cuda) / 100)}.${Number(cuda) % 100}` }),
  };
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const { cuda } = build(view, copy);
  return cuda === undefined ? {} : { cuda: { version: cuda, evidence: buildFile(copy) } };
}
