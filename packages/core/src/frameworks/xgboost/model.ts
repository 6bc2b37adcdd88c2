import { compareDotted } from "../../knowledge/dotted.ts";
import type { View } from "../../resolve/view.ts";
import { textAt } from "../../survey/python.ts";
import { needDriver } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { notFoundByName } from "../not-found.ts";
import names from "./names.ts";

/** What `xgboost.build_info()` says in the wheels of PyPI (1.7.6, 2.0.3, 2.1.3, 3.0.5, 3.1.3, 3.2.0, 3.3.0, 3.4.1); no file of them does. */
const toolkits: [from: string, cuda: string][] = [
  ["3.4", "13.3"],
  ["3.2", "12.9"],
  ["3.0", "12.8"],
  ["1.7", "11.8"],
];

// libxgboost.so holds the runtime, and asks for the driver when `device="cuda"` is first used. Since 2.1 NCCL is no longer inside: training
// on several GPUs opens libnccl.so.2 by that name, or by the path that the configuration names.
export default defineFramework({
  ...names,
  compiledFor,
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

/** Conda has builds of its own, for other CUDAs. */
function compiledFor(_: View, { package: { name, version }, environment }: FrameworkCopy): CompiledFor {
  const cuda = environment.kind === "conda" ? undefined : toolkits.find(([from]) => 0 <= compareDotted(version, from))?.[1];
  return cuda === undefined ? {} : { cuda: { version: cuda, evidence: `what is known of ${name} ${version}` } };
}
