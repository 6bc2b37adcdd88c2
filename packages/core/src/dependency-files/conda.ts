// What an installation of conda says about CUDA.
import { condaBuilds } from "../knowledge/conda.ts";
import type { CondaBuild } from "../model/knowledge.ts";
import type { DeclaredPackage, Install } from "../model/dependency-file.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { pythonsOf } from "../builds/build.ts";
import { isIn } from "../builds/specifier.ts";

/** Major and minor that a pin leaves: `=11.8`, `11.8.0`; undefined where it leaves several, or none is asked for. */
export const minorOf = ({ specifier }: DeclaredPackage): string | undefined => /^==(\d+\.\d+)(?:\.[\d.*]+)?$/.exec(specifier)?.[1];

export const named = ({ packages }: Install, name: string): DeclaredPackage | undefined => packages.find((each) => each.name === name);

/** Channels that have no PyTorch of their own. */
const besides =
  /^(?:nvidia(?:\/.*)?|bioconda|rapidsai(?:-nightly)?|dglteam(?:\/.*)?|pyg|fvcore|iopath|pytorch3d|huggingface|r|omnia|schrodinger|nodefaults|xformers)$/;

/** Whether a channel has no framework of its own. */
export const hasNoFrameworks = (channel: string): boolean => besides.test(channel);

/** Libraries and tools of CUDA, and packages that only choose: nothing that would be run by itself. */
export const isPartOfCuda = (name: string): boolean =>
  /^(?:cuda(?:-.*)?|cudatoolkit(?:-dev)?|cudnn|nccl|cutensor|cusparselt|magma(?:-.*)?|lib(?:cu|nv|magma|torch).*|nvcc.*|nvidia-.*|nsight.*|tensorrt|cupti|pytorch-(?:cuda|mutex)|torchtriton|cpuonly|triton|ucx.*|nvtx.*|numba|arm-variant)$/.test(
    name,
  );

/**
 * Packages of conda whose names hint at a GPU, and that bring none: conda's own solver, and R's interfaces to TensorFlow, whose recipes
 * (conda-forge/r-tensorflow-feedstock, r-keras-feedstock) ask for packages of R alone.
 */
export const isPlainInConda = (name: string): boolean => /^(?:mamba|r-(?:tensorflow|keras|tfruns|tfdatasets))$/.test(name);

/** Where PyTorch would come from: undefined where a channel is named that nothing is known of, or none at all. */
export function pytorchChannels({ channels }: Install, pytorch: DeclaredPackage): string[] | undefined {
  if (pytorch.channel !== undefined) return [pytorch.channel];
  const all = (channels ?? []).filter((channel) => !besides.test(channel));
  return all.length === 0 || all.some((channel) => !["pytorch", "conda-forge", "defaults"].includes(channel)) ? undefined : all;
}

/** Releases of the channel that are asked for, and that have wheels for the Python; so do the builds of conda. */
export const releasesIn = (pytorch: DeclaredPackage, channel: string, python: string | undefined): CondaBuild[] =>
  condaBuilds("pytorch", channel).filter(({ version }) => {
    const release = publishedPackage("torch")?.releases.find((each) => each.version === version);
    return isIn(version, pytorch.specifier) && (python === undefined || !release || pythonsOf(release).includes(python));
  });

/** Packages that were made for one PyTorch: where PyTorch itself is left open, they choose it. */
export const isLedByOthers = ({ packages }: Install, pytorch: DeclaredPackage): boolean =>
  !pytorch.specifier.startsWith("==") &&
  packages.some(
    ({ name, specifier }) => specifier !== "" && /^(?:torch|pytorch.|fastai|dgl|pyg|pykeops)/.test(name) && name !== "pytorch-cuda",
  );

/** Only releases that came after the last one of the channel pytorch. */
export function isAfterLast({ specifier }: DeclaredPackage): boolean {
  const wanted = /^(?:==|>=|~=|>)(\d+)\.(\d+)/.exec(specifier);
  if (!wanted) return false;
  const [major, minor] = [Number(wanted[1]), Number(wanted[2])];
  return major === 2 && 6 <= minor;
}
