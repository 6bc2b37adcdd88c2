import { defineFix, type Candidate } from "../fix.ts";
import { withVariable } from "../simulate.ts";
import { quoted } from "../startup.ts";

/** Points builds to one toolkit: CUDA_HOME, and its compiler first on PATH. */
export default defineFix({
  id: "export-cuda-home",
  title: "Point builds to one toolkit",
  proposes(stack, { rule, subject }) {
    if (rule !== "cuda-home-wrong" && rule !== "toolkit-differs-from-framework") return [];
    const isHome = subject === "CUDA_HOME" || subject === "CUDA_PATH";
    const variable = isHome ? subject : (stack.pointers.homes[0]?.variable ?? "CUDA_HOME");
    const before = stack.variables["PATH"] ?? "";
    return stack.inventory.toolkits
      .filter(({ nvcc }) => nvcc !== undefined)
      .map(({ path, version }): Candidate => {
        const found = { [variable]: path, ...(isHome ? {} : { PATH: `${path}/bin${before === "" ? "" : `:${before}`}` }) };
        return {
          title: `build with ${version === undefined ? path : `CUDA ${version}, ${path}`}, in this shell`,
          reach: "shell",
          safety: "safe",
          commands: [`export ${variable}=${quoted(path)}${isHome ? "" : ` PATH=${quoted(`${path}/bin`)}:"$PATH"`}`],
          steps: [],
          changes: [],
          simulate: (snapshot) => Object.entries(found).reduce((facts, [name, value]) => withVariable(facts, name, value), snapshot),
        };
      });
  },
});
