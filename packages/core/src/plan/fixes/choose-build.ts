import { defineFix, type Candidate } from "../fix.ts";
import { labelledFramework } from "../../model/frameworks.ts";
import { refusalIn, replaceCommand, typed } from "../wheels.ts";

/** The same release, built for another CUDA: builds by labels are on an index of their own. What is in them is not known here. */
export default defineFix({
  id: "choose-build",
  title: "Install a build for another CUDA",
  proposes: (stack, { facts: { builds = [] } }) =>
    builds.flatMap(({ package: name, release, variant, environment: prefix }): Candidate[] => {
      const environment = stack.environments.find((each) => each.prefix === prefix);
      const framework = labelledFramework(name);
      if (!environment || !framework) return [];
      // They are built with it, each for one release: without a version the index has the one that fits.
      const beside = (framework.companions ?? []).filter((each) => environment.packages.some((found) => found.name === each));
      return [
        {
          title: `install ${name} ${release} built for ${variant} in ${environment.prefix}`,
          reach: "environment",
          safety: "display-only",
          commands: [
            ...(refusalIn(environment)?.first ?? []),
            ...typed(
              replaceCommand(environment, [`${name}==${release}`, ...beside, "--index-url", `${framework.labelled.index}/${variant}`]),
              stack.variables,
            ),
          ],
          steps: [],
          warning: "gigabytes are downloaded, and NVIDIA's libraries in that environment are replaced",
          changes: [],
        },
      ];
    }),
});
