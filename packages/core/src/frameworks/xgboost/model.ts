import { compareDotted } from "../../knowledge/dotted.ts";
import { textAt } from "../../survey/python.ts";
import { needDriver } from "../driver.ts";
import { defineFramework, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { notFoundByName } from "../not-found.ts";
import names from "./names.ts";

// libxgboost.so holds the runtime, and asks for the driver when `device="cuda"` is first used. Since 2.1 NCCL is no longer inside: training
// on several GPUs opens libnccl.so.2 by that name, or by the path that the configuration names.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  cpuOnly(view, { package: { metadata, version } }) {
    // Since 2.1 there are two wheels of a release, and pip takes this one where glibc is older than 2.28.
    const isOld = 0 <= compareDotted(version, "2.1") && /^Tag: \S*manylinux2014/m.test(textAt(view, `${metadata}/WHEEL`) ?? "");
    return isOld ? `${metadata}/WHEEL says manylinux2014: that build has no CUDA, the one for manylinux_2_28 has` : undefined;
  },
  kernels: (view, copy) => kernelsIn(view, libraryOf(copy)),
  steps: {
    import(process, copy) {
      const opened = process.ctypes(libraryOf(copy));
      if ("failure" in opened) process.stop(opened.failure);
    },
    device: (process) => needDriver(process, "xgboost", process.loadedLike("libxgboost")),
    "train-distributed"(process, copy) {
      if (compareDotted(copy.package.version, "2.1") < 0) return;
      // Its Python code opens the wheel's own first, where there is one.
      const wheel = process.folders("nvidia.nccl")[0];
      const names = [...(wheel === undefined ? [] : [`${wheel}/lib/libnccl.so.2`]), "libnccl.so.2"];
      if (!process.ctypesLadder(names) && !process.process.pending) process.stop(notFoundByName(process, "xgboost", "libnccl.so.2"));
    },
  },
  after: { "train-distributed": ["device"] },
});

const libraryOf = ({ package: { folder } }: FrameworkCopy) => `${folder}/xgboost/lib/libxgboost.so`;
