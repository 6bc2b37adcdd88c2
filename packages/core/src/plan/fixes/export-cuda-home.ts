import { settersOf } from "../../diagnose/words.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withVariable } from "../simulate.ts";
import { changeLines, reachOf, withValue } from "../startup.ts";
import { quoted } from "../../lib/shell.ts";

/** Points builds to one toolkit: CUDA_HOME, and its compiler first on PATH. */
export default defineFix({
  id: "export-cuda-home",
  title: "Point builds to one toolkit",
  proposes(stack, { rule, subject }, snapshot) {
    if (rule !== "cuda-home-wrong" && rule !== "toolkit-differs-from-framework") return [];
    const isHome = subject === "CUDA_HOME" || subject === "CUDA_PATH";
    const variable = isHome ? subject : (stack.pointers.homes[0]?.variable ?? "CUDA_HOME");
    const before = stack.variables["PATH"] ?? "";
    return stack.inventory.toolkits
      .filter(({ nvcc }) => nvcc !== undefined)
      .flatMap(({ path, version }): Candidate[] => {
        const found = { [variable]: path, ...(isHome ? {} : { PATH: `${path}/bin${before === "" ? "" : `:${before}`}` }) };
        const simulate = (given: Snapshot) =>
          Object.entries(found).reduce((facts, [name, value]) => withVariable(facts, name, value), given);
        const set = { title: `build with ${version === undefined ? path : `CUDA ${version}, ${path}`}`, safety: "safe" as const };
        const shell: Candidate = {
          ...set,
          title: `${set.title}, in this shell`,
          reach: "shell",
          commands: [`export ${variable}=${quoted(path)}${isHome ? "" : ` PATH=${quoted(`${path}/bin`)}:"$PATH"`}`],
          steps: [],
          changes: [],
          simulate,
        };
        // A line that is made of it would change with it, and what that does is not predicted here.
        const isUsed = stack.inventory.variables.some(({ text }) => new RegExp(`\\$\\{?${variable}\\b`).test(text));
        const change =
          isHome &&
          !isUsed &&
          changeLines(
            snapshot,
            settersOf(stack, variable).filter(({ module }) => module === undefined),
            ({ text }) => withValue(text, variable, path),
          );
        if (!change) return [shell];
        return [
          shell,
          {
            ...set,
            title: `${set.title}, where ${variable} is set, ${change.places.join(" and ")}`,
            reach: reachOf(stack, change.files),
            commands: change.commands,
            steps: change.steps,
            warning: "shells that are open keep the old value",
            changes: change.files,
            variables: [{ name: variable, value: path }],
            simulate: (given) => simulate(change.simulate(given)),
          },
        ];
      });
  },
});
