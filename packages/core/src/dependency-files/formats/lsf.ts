// https://www.ibm.com/docs/en/spectrum-lsf/10.1.0?topic=options-gpu
import type { Declaration } from "../../model/dependency-file.ts";
import { gpuRequest, withRequests } from "../cluster.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat, endsWith } from "../format.ts";
import { readShellScript } from "./shell-script.ts";

export default defineFormat({
  id: "lsf",
  words: "a script for LSF",
  place: 20.2,
  signs: [
    { by: "name", is: ({ name }) => endsWith(".lsf", ".bsub")(name) },
    {
      by: "line",
      is: ({ name, head }) =>
        !endsWith(".md", ".rst", ".txt", ".ipynb", ".py")(name) && head.startsWith("#!") && /^#BSUB[ \t]+-/m.test(head),
    },
  ],
  read: readLsf,
  example: { file: "train.lsf", text: "#!/bin/bash\n#BSUB -gpu num=1\npip install torch==2.4.1\n" },
});

/** `-gpu "num=4:gmodel=NVIDIAA100_SXM4_80GB:mode=exclusive_process"`, and before LSF 10.1 `-R "rusage[ngpus_excl_p=1]"`. */
function readLsf(text: string, file: string, conditions: Conditions): Declaration {
  return withRequests(readShellScript("lsf", text, file, conditions), text, "#BSUB", (options, place) => {
    const isWhole = /^\s+-gpu\b/.test(options);
    const count = (isWhole ? /num=(\d+)/ : /ngpus(?:_\w+)?=(\d+)/).exec(options)?.[1];
    const product = /gmodel=(?:NVIDIA_?)?([A-Za-z]+\d+)/.exec(options)?.[1];
    return isWhole || count !== undefined ? gpuRequest(count ?? "1", product, place) : [];
  });
}
