// The builds of frameworks that would be there: which CUDA they are for, and which GPUs.
import type { Build } from "../solve/build.ts";
import { sourcesOf } from "../knowledge/certainty.ts";
import { condaBuilds } from "../knowledge/conda.ts";
import { frameworkRelease } from "../knowledge/frameworks.ts";
import { torch } from "../knowledge/texts/torch.generated.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import { minorOf } from "./conda.ts";
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
    if (installed.manager === "conda") return pytorchOfConda(installed, packages);
    if (version === undefined || variant === "cpu" || installed.manager === "apt") return [];
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

/** The builds of the channel pytorch are those of the wheels: the build's name says its CUDA, or the package that chooses it does. */
function pytorchOfConda(installed: Installed, packages: Installation["packages"]): DeclaredBuild[] {
  const { name, version, asked } = installed;
  if (name !== "pytorch" || version === undefined || !asked) return [];
  const row = condaBuilds("pytorch", "pytorch").find((each) => each.version === version);
  const pin = row && packages.get(`conda:${row.chosenBy}`)?.asked;
  const cuda = /_cuda(\d+\.\d+)_cudnn/.exec(asked.build ?? "")?.[1] ?? (asked.build === undefined && pin ? minorOf(pin) : undefined);
  if (!row || cuda === undefined || !row.cuda.includes(cuda)) return [];
  const variant = `cu${cuda.replace(".", "")}`;
  const known = frameworkRelease("torch", version, variant);
  if (!known?.exact || known.release.variant !== variant) return [];
  const { architectures } = known.release;
  const source = (field: string) => sourcesOf(torch(), known.release, field)[0] ?? "memory";
  const build: Build = {
    package: "torch",
    version,
    variant,
    install: asked.text,
    pythons: [],
    needs: () => [],
    onPath: () => [],
    cuda: { version: cuda, source: source("cuda") },
    ...(architectures ? { architectures: { list: architectures, source: source("architectures") } } : {}),
    doubts: [],
  };
  return [{ installed, framework: "torch", build }];
}
