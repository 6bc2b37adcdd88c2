import { compareDotted } from "./dotted.ts";
import { cudaImages } from "./texts/cuda-images.generated.ts";

/** The newest cuDNN that an image of nvidia/cuda with this CUDA and this major of cuDNN can have. */
export function cudnnOfImage(cuda: string, major: string): { newest: string; sources: string[] } | undefined {
  const { tags, sources } = cudaImages();
  const row = tags.find((image) => image.cuda === cuda);
  const newest = row?.cudnn?.findLast((version) => version.startsWith(`${major}.`));
  return newest === undefined ? undefined : { newest, sources: [row!.source].flat().map((key) => sources[key] ?? key) };
}

/** The newest image of this minor release of CUDA for a release of Ubuntu, with a cuDNN where one is asked for: the beginning of its tag. */
export function imageFor(minor: string, system: string, cudnn: string | undefined): string | undefined {
  const rows = cudaImages().tags.filter(
    (image) =>
      image.cuda.startsWith(`${minor}.`) &&
      image.systems.includes(system) &&
      (cudnn === undefined || image.cudnn?.some((version) => version.startsWith(`${cudnn}.`))),
  );
  const newest = rows.sort((a, b) => compareDotted(a.cuda, b.cuda)).at(-1);
  if (!newest) return undefined;
  // From 12.4 on the tag does not say which cuDNN.
  const name = cudnn === undefined ? "" : 0 <= compareDotted(newest.cuda, "12.4") ? "-cudnn" : `-cudnn${cudnn}`;
  return `${newest.cuda}${name}`;
}

/** Whether NVIDIA's repository for a release of Ubuntu has packages of a minor release of CUDA: there are images of both together. */
export const hasPackagesFor = (minor: string, system: string): boolean =>
  cudaImages().tags.some(({ cuda, systems }) => cuda.startsWith(`${minor}.`) && systems.includes(system));

export const imageSources = (): string[] => Object.values(cudaImages().sources);
