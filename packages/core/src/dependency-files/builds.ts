// The builds of frameworks that would be there: which CUDA they are for, and which GPUs.
import type { Build } from "../builds/build.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import { minorOf } from "./conda.ts";
import type { Installation, Installed } from "./install.ts";
import { frameworkBuilds } from "../frameworks/builds.generated.ts";
import { isAmong, solveName } from "../model/frameworks.ts";

export interface DeclaredBuild {
  installed: Installed;
  framework: string;
  build: Build;
}

/** Frameworks that use a GPU, as far as their builds are known. */
export function gpuBuilds({ packages }: Installation): DeclaredBuild[] {
  return [...packages.values()].flatMap((installed): DeclaredBuild[] => {
    const { name, version, extras, variant } = installed;
    if (installed.manager === "conda") return ofConda(installed, packages);
    if (version === undefined || variant === "cpu" || installed.manager === "apt") return [];
    const known = frameworkBuilds.find(({ distributions }) => isAmong(name, distributions));
    if (!known) return [];
    const release = releasesWithBuilds(solveName(known.id)).find((each) => each.version === version);
    const build = known.installed(release, {
      name,
      version,
      extras,
      packages: [...packages.keys()],
      ...(variant === undefined ? {} : { variant }),
    });
    return build ? [{ installed, framework: known.id, build }] : [];
  });
}

function ofConda(installed: Installed, packages: Installation["packages"]): DeclaredBuild[] {
  const { name, version, asked } = installed;
  if (version === undefined || !asked) return [];
  const pinned = (other: string) => {
    const pin = packages.get(`conda:${other}`)?.asked;
    return pin && minorOf(pin);
  };
  return frameworkBuilds.flatMap(({ id, installedByConda }): DeclaredBuild[] => {
    const build = installedByConda?.({ name, version, asked, pinned });
    return build ? [{ installed, framework: id, build }] : [];
  });
}
