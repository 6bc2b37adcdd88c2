import { defineFix, type Candidate } from "../fix.ts";
import { replaceCommand, torchIndex, typed } from "../wheels.ts";

/** The same release, built for another CUDA: PyTorch keeps its builds on indexes of their own. What is in them is not known here. */
export default defineFix({
  id: "choose-build",
  title: "Install a build for another CUDA",
  proposes: (stack, { facts: { builds = [] } }) =>
    builds.flatMap(({ package: name, release, variant, environment: prefix }): Candidate[] => {
      const environment = stack.environments.find((each) => each.prefix === prefix);
      if (!environment || name !== "torch") return [];
      // They are built with torch, each for one release of it: without a version the index has the one that fits.
      const beside = ["torchvision", "torchaudio"].filter((each) => environment.packages.some((found) => found.name === each));
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
    }),
});
