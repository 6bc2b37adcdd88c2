import { textAt } from "../../survey/python.ts";
import { defineFramework } from "../framework.ts";
import { installedIn } from "../installed.ts";
import torch from "../torch/model.ts";
import names from "./names.ts";

// It comes as a source: its operators are compiled when one is first used, by nvcc and the host's C++ compiler, into a cache below the home,
// against the torch that is there. Nothing of its own is loaded before. Without nvcc these end with "CUDA_HOME does not exist, unable to
// compile CUDA op(s)", but programs that use none of them work: that is no finding here.
export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  // builder.py asks the nvcc in CUDA_HOME for its release, and ends with CUDAMismatchException where it is another than torch's, unless both
  // stand in one row of its own table. Read in 0.9.5, 0.12.6, 0.16.4 and 0.19.8: rows grow, and none is for CUDA 13 yet.
  buildsFor(view, copy) {
    const below = installedIn(copy.environment, torch);
    const cuda = below && torch.compiledFor(view, below)["cuda"];
    const builder = textAt(view.wishing, `${copy.package.folder}/deepspeed/ops/op_builder/builder.py`) ?? "";
    const table = /^cuda_minor_mismatch_ok = \{([^}]{0,2000})\}/m.exec(builder)?.[1];
    if (!cuda || table === undefined) return undefined;
    const takes = [...table.matchAll(/"(\d{1,3}\.\d{1,3})"/g)].map(([, release]) => release!);
    return { cuda: cuda.version, evidence: cuda.evidence, takes, unless: "DS_SKIP_CUDA_CHECK" };
  },
  upon: ["torch"],
  steps: { import: () => {} },
});
