import { pipOf } from "../../diagnose/pip.ts";
import { isPublicRelease, needsNumpyOne } from "../../knowledge/published.ts";
import type { PythonEnvironment, PythonPackage } from "../../model/environment.ts";
import { frameworkNames } from "../../model/framework-names.generated.ts";
import { packageFact } from "../../diagnose/facts.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";

export default machineSide(page, {
  finds: (stack) =>
    stack.environments.flatMap((environment) => {
      const { prefix } = environment;
      const numpy = imported(environment, "numpy");
      if (!numpy || !/^[2-9]/.test(numpy.version)) return [];
      return frameworkPackages.flatMap(([framework, name]) => {
        const found = imported(environment, name);
        const first = found && isFromPyPI(environment, found) ? needsNumpyOne(found.name, found.version) : undefined;
        if (!found || !first || !isRun(stack, prefix, framework)) return [];
        return [
          {
            ...(first.isEnd ? {} : { severity: "warning" as const }),
            subject: `numpy for ${name} in ${prefix}`,
            short: `${name} was built for NumPy 1, and NumPy ${numpy.version} is there`,
            message: `${name} ${found.version} was built for NumPy 1, and numpy ${numpy.version} is installed in ${prefix}`,
            because: [
              `${name} ${first.first} is the first that was built for NumPy 2`,
              first.isEnd
                ? "the binary interface of NumPy changed with 2, and releases like this one were seen to end their import with it"
                : "the binary interface of NumPy changed with 2",
            ],
            evidence: [numpy.metadata, found.metadata],
            advice: [
              {
                words: "install a NumPy that it was built for",
                command: pipOf(environment, "install", "numpy<2"),
                scope: "install" as const,
              },
              `or ${name} ${first.first} or newer`,
            ],
            facts: {
              packages: [{ ...packageFact({ environment }, numpy, "install"), wants: "<2" }, packageFact({ environment }, found, "asks")],
            },
            [first.isEnd ? "breaks" : "endangers"]: [{ framework, activity: "import" }],
            sources: [first.source],
          },
        ];
      });
    }),
});

/** Frameworks with their packages; of those that have code for NumPy it is known which release was the first for NumPy 2. */
const frameworkPackages = frameworkNames.flatMap(({ id, packages, parts = [] }) =>
  [...packages, ...parts].map((name) => [id, name] as const),
);

/** The first of a name is the one that `import` finds. */
const imported = ({ packages }: PythonEnvironment, name: string): PythonPackage | undefined => packages.find((each) => each.name === name);

/**
 * conda-forge and distributions have built old releases for NumPy 2 themselves, and so has whoever compiles one: only what PyPI and
 * PyTorch's own index gave out is known.
 */
const isFromPyPI = ({ kind }: PythonEnvironment, { version, folder }: PythonPackage): boolean =>
  kind !== "conda" && !/^\/usr\/lib(?:64)?\//.test(folder) && isPublicRelease(version);

const isRun = ({ runs }: Stack, prefix: string, framework: string): boolean =>
  runs.some(({ environment, programs }) => environment?.prefix === prefix && programs.some(({ id }) => id === framework));
