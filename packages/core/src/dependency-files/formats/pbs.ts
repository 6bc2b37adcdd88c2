// https://help.altair.com/2024.1.0/PBS%20Professional/PBSUserGuide2024.1.pdf, and Torque's https://docs.adaptivecomputing.com
import type { Declaration } from "../../model/dependency-file.ts";
import { gpuRequest, withRequests } from "../cluster.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat, endsWith } from "../format.ts";
import { readShellScript } from "./shell-script.ts";

export default defineFormat({
  id: "pbs",
  words: "a script for PBS",
  place: 20.1,
  signs: [
    { by: "name", is: ({ name }) => endsWith(".pbs")(name) },
    {
      by: "line",
      is: ({ name, head }) =>
        !endsWith(".md", ".rst", ".txt", ".ipynb", ".py")(name) && head.startsWith("#!") && /^#PBS[ \t]+-/m.test(head),
    },
  ],
  read: readPbs,
  example: { file: "train.pbs", text: "#!/bin/bash\n#PBS -l select=1:ngpus=1\npip install torch==2.4.1\n" },
});

/** `-l select=1:ncpus=8:ngpus=2:gpu_type=a100`, `-l nodes=1:ppn=8:gpus=1`, `-l ngpus=1`. */
function readPbs(text: string, file: string, conditions: Conditions): Declaration {
  return withRequests(readShellScript("pbs", text, file, conditions), text, "#PBS", (options, place) => {
    const count = /[\s:,+]n?gpus=(\d+)/.exec(options)?.[1];
    const product = /[\s:,+]gpu_?(?:type|model)=([\w-]+)/i.exec(options)?.[1];
    return /^\s+-l\b/.test(options) && count !== undefined ? gpuRequest(count, product, place) : [];
  });
}
