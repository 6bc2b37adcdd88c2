import { compareDotted } from "../../knowledge/dotted.ts";
import { kernelDriver } from "../../survey/driver.ts";
import { extensionIn } from "../../survey/python.ts";
import type { View } from "../../resolve/view.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { neededVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

/** Its operators; since 0.20 a part of them needs only the stable interface of libtorch, since 0.27 all. */
const operators = ["_C", "_C_stable_libtorch"];

// Read in 0.6.3 to 0.32.0. It asks NVML whether there is a GPU; where one is, platforms/cuda.py imports the operators, and nothing catches
// what they raise since 0.6.5. Without one, _custom_ops.py tries them and only logs. Since 0.10 `import vllm` alone defers that to the first
// name that is taken from it (`vllm.LLM`), without which no program has a use for it.
export default defineFramework({
  ...names,
  compiledFor,
  upon: ["torch"],
  steps: {
    import(process, copy) {
      const management = process.ctypes("libnvidia-ml.so.1");
      const hasGpu = "object" in management || kernelDriver(process.view) !== undefined;
      const isEarly = compareDotted(copy.package.version, "0.6.5") < 0;
      openOperators(process, copy, hasGpu && !isEarly);
      if (isEarly) for (const name of ["_core_C", "_moe_C"]) process.extension(folderOf(copy), name);
    },
    // The engine calls them before it has loaded a model: '_OpNamespace' '_C' object has no attribute …
    device(process, copy) {
      openOperators(process, copy, true);
      // Which of the others are asked for depends on the model and on the GPU; each is caught.
      process.possibly(() => {
        for (const name of ["_moe_C", "_moe_C_stable_libtorch", "cumem_allocator"]) process.extension(folderOf(copy), name);
        for (const name of ["vllm_flash_attn_c", "_vllm_fa2_C", "_vllm_fa3_C"])
          process.extension(`${folderOf(copy)}/vllm_flash_attn`, name);
      });
    },
  },
});

const folderOf = ({ package: { folder } }: FrameworkCopy) => `${folder}/vllm`;

function openOperators(process: PythonProcess, copy: FrameworkCopy, required: boolean): void {
  for (const name of operators) process.extension(folderOf(copy), name, { required });
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const modules = operators.flatMap((name) => extensionIn(view, copy.environment, folderOf(copy), name) ?? []);
  return Object.assign({}, ...modules.map((file) => neededVersions(view, file))) as CompiledFor;
}
