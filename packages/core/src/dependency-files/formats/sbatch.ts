// https://slurm.schedmd.com/sbatch.html
import type { Declaration, DeclaredStep } from "../../model/dependency-file.ts";
import { requestedGpus } from "../cluster.ts";
import type { Conditions } from "../conditions.ts";
import { defineFormat, endsWith } from "../format.ts";
import { placeAt, splitLines } from "../lines.ts";
import { readShellScript } from "./shell-script.ts";

export default defineFormat({
  id: "sbatch",
  words: "a script for sbatch",
  place: 20,
  signs: [
    { by: "name", is: ({ name }) => endsWith(".sbatch", ".slurm")(name) },
    {
      by: "line",
      is: ({ name, head }) =>
        !endsWith(".md", ".rst", ".txt", ".ipynb", ".py")(name) && head.startsWith("#!") && /^#SBATCH[ \t]+-/m.test(head),
    },
  ],
  read: readSbatch,
  example: { file: "train.sbatch", text: "#!/bin/bash\n#SBATCH --gres=gpu:1\npip install torch==2.4.1\n" },
});

function readSbatch(text: string, file: string, conditions: Conditions): Declaration {
  const script = readShellScript("sbatch", text, file, conditions);
  const gpus = splitLines(text).flatMap((line, index): DeclaredStep[] => {
    const options = /^#SBATCH[ \t]+(.*)$/.exec(line)?.[1];
    // What stands behind a number sign is a comment.
    const words = options?.split(/[ \t]#/)[0]!.match(/[^\s=]+(?:=\S+)?/g) ?? [];
    return words.flatMap((word, at) => {
      const [, option, joined] = /^(--[\w-]+|-[CG])=?(.*)$/.exec(word) ?? [];
      const value = joined === "" ? words[at + 1] : joined;
      return option === undefined || value === undefined
        ? []
        : requestedGpus(option, value.replace(/^["']|["']$/g, ""), placeAt(file, index + 1, line.indexOf(word) + 1, word.length));
    });
  });
  const alternatives = script.alternatives?.map((each) => ({ ...each, steps: [...gpus, ...each.steps] }));
  return { ...script, steps: [...gpus, ...script.steps], ...(alternatives ? { alternatives } : {}) };
}
