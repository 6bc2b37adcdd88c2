import type { Stack } from "../../diagnose/stack.ts";
import type { PythonEnvironment } from "../../model/environment.ts";
import { defineFix } from "../fix.ts";
import { replaceCommand, torchIndex, typed } from "../wheels.ts";

/** The same release, built for another CUDA: PyTorch keeps its builds on indexes of their own. What is in them is not known here. */
export default defineFix({
  id: "choose-build",
  title: "Install a build for another CUDA",
  proposes(stack, finding) {
    const [, variant, release] = /install the build (cu\d+) of torch ([\d.]+\d)/.exec(finding.advice.join("\n")) ?? [];
    const environment = environmentOf(stack, finding.breaks.concat(finding.endangers));
    if (variant === undefined || release === undefined || !environment) return [];
    // They are built with torch, each for one release of it: without a version the index has the one that fits.
    const beside = ["torchvision", "torchaudio"].filter((name) => environment.packages.some((found) => found.name === name));
    return [
      {
        title: `install torch ${release} built for ${variant} in ${environment.prefix}`,
        reach: "environment",
        safety: "display-only",
        commands: typed(
          replaceCommand(environment, [`torch==${release}`, ...beside, "--index-url", `${torchIndex}/${variant}`]),
          stack.variables,
        ),
        steps: [],
        warning: "gigabytes are downloaded, and NVIDIA's libraries in that environment are replaced",
        changes: [],
      },
    ];
  },
});

function environmentOf({ runs }: Stack, affected: { framework: string }[]): PythonEnvironment | undefined {
  const run = runs.find(({ programs }) => programs.some(({ id }) => id === "torch" && affected.some(({ framework }) => framework === id)));
  return run?.environment;
}
