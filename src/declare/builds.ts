// The builds of frameworks that would be there: which CUDA they are for, and which GPUs.
import type { Build } from "../solve/build.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import type { Installation, Installed } from "./install.ts";

export interface DeclaredBuild {
  installed: Installed;
  framework: string;
  build: Build;
}

/** Frameworks that use a GPU, as far as their builds are known. */
export function gpuBuilds({ packages }: Installation): DeclaredBuild[] {
  return [...packages.values()].flatMap((installed): DeclaredBuild[] => {
    const { name, version, extras, variant } = installed;
    if (version === undefined || variant === "cpu" || installed.manager === "apt" || installed.manager === "conda") return [];
    const [framework, known] = /^cupy-cuda\d+x$/.test(name)
      ? ["cupy", "cupy"]
      : name === "onnxruntime-gpu"
        ? ["onnxruntime", name]
        : [name, name];
    if (!["torch", "tensorflow", "cupy", "onnxruntime", "jax"].includes(framework)) return [];
    // Without an extra jax is for processors only, unless a plugin is there.
    const plugin = [...packages.keys()].find((key) => /^jax-cuda\d+-plugin$/.test(key));
    const extra = extras.find((each) => /^cuda1\d/.test(each)) ?? plugin?.split("-")[1];
    if (framework === "jax" && extra === undefined) return [];
    const builds = releasesWithBuilds(known)
      .find((release) => release.version === version)
      ?.builds();
    const build =
      name === "torch"
        ? builds?.find((each) => (variant === undefined ? !each.index : each.variant === variant))
        : framework === "cupy"
          ? builds?.find((each) => each.variant === `cuda${/\d\d/.exec(name)![0]}`)
          : framework === "jax"
            ? builds?.find((each) => each.variant.startsWith(extra!.replace("-pip", "")))
            : builds?.[0];
    return build ? [{ installed, framework, build }] : [];
  });
}
