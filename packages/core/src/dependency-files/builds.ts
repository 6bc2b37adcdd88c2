// The builds of frameworks that would be there: which CUDA they are for, and which GPUs.
import type { Build } from "../builds/build.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import { condaSource } from "../knowledge/conda.ts";
import { condaNames, type Installation, type Installed } from "./install.ts";
import { frameworkBuilds } from "../frameworks/builds.generated.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { isAmong, solveName } from "../model/frameworks.ts";

export interface DeclaredBuild {
  installed: Installed;
  framework: string;
  build: Build;
}

/** Frameworks that use a GPU, as far as their builds are known. */
export function gpuBuilds({ packages }: Installation): DeclaredBuild[] {
  const labels = labelsOf(packages.values());
  return [...packages.values()].flatMap((installed): DeclaredBuild[] => {
    const { name, version, extras, variant } = installed;
    // What pip puts into its place is there in the end.
    if (installed.manager === "conda") return packages.get(condaNames[name] ?? "")?.manager === "pip" ? [] : ofConda(installed);
    if (version === undefined || variant === "cpu" || installed.manager === "apt") return [];
    const known = frameworkBuilds.find(({ distributions }) => isAmong(name, distributions));
    if (!known) return [];
    const asked = { name, version, extras, packages: [...packages.keys()], labels, ...(variant === undefined ? {} : { variant }) };
    // CuPy has one release of a version for each CUDA.
    const releases = releasesWithBuilds(solveName(known.id)).filter((each) => each.version === version);
    const build = firstOf(releases.length === 0 ? [undefined] : releases, (release) => known.installed(release, asked));
    return build ? [{ installed, framework: known.id, build }] : [];
  });
}

/** The labels of all packages that have one: `jaxlib` of jax's own page says there for which CUDA it was built. */
const labelsOf = (packages: Iterable<Installed>): Map<string, string> =>
  new Map([...packages].flatMap(({ name, variant, label = variant }) => (label === undefined ? [] : [[name, label] as const])));

/** Whether the wheel of a framework has a label for CUDA, whatever is known of its builds. */
export const isLabelledForCuda = (framework: string, packages: Iterable<Installed>): boolean => {
  const wheel = frameworkBuilds.find(({ id }) => id === framework)?.wheel;
  return wheel !== undefined && /^cu(?:da)?\d/.test(labelsOf(packages).get(wheel) ?? "");
};

function firstOf<From, To>(all: From[], to: (each: From) => To | undefined): To | undefined {
  for (const each of all) {
    const found = to(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The build that conda takes, where it is one: for several CUDAs, or perhaps for none, nothing is said of it. */
function ofConda(installed: Installed): DeclaredBuild[] {
  const { name, conda, asked } = installed;
  const framework = frameworkNames.find(({ condaBuilds }) => condaBuilds && [condaBuilds.package, ...condaBuilds.withGpu].includes(name));
  const [cuda, ...others] = conda?.cuda ?? [];
  if (!framework || !conda || conda.withoutCuda || cuda === undefined || 0 < others.length) return [];
  const { id } = framework;
  const known = frameworkBuilds.find((each) => each.id === id)?.installedByConda?.({ ...conda, cuda });
  const build: Build = {
    package: id,
    version: conda.version,
    variant: `cuda${cuda}`,
    install: asked?.text ?? name,
    pythons: [],
    needs: () => [],
    onPath: () => [],
    cuda: { version: cuda, source: condaSource(framework.condaBuilds!.package, conda.channel, conda.version) },
    doubts: [],
    ...known,
  };
  return [{ installed, framework: id, build }];
}
