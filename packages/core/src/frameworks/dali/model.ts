import { needDriver } from "../driver.ts";
import { defineFramework } from "../framework.ts";
import names from "./names.ts";

// Everything is inside, the runtime too; what its operators call besides (cuFFT, NPP, nvJPEG, nvimgcodec) is opened by its RUNPATH when one is
// first used. A pipeline for processors needs no driver.
export default defineFramework({
  ...names,
  compiledFor: (_, { package: { name } }) => {
    const major = /-cuda(\d+)0$/.exec(name)?.[1];
    return major === undefined ? {} : { cuda: { version: major, evidence: `package ${name}` } };
  },
  steps: {
    import(process, copy) {
      const folder = `${copy.package.folder}/nvidia/dali`;
      process.extension(folder, "backend_impl", { required: true });
      process.extension(folder, "python_function_plugin");
    },
    device: (process) => needDriver(process, "dali", process.loadedLike("libdali_core")),
  },
});
