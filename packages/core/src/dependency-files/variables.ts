// Variables that stay set for whatever runs later, and what they say about the GPU.
import { placeWords } from "../lib/place.ts";
import type { DeclaredStep } from "../model/dependency-file.ts";
import type { InstallContext } from "./context.ts";
import { modulesAsImage, readImage, type BaseImage } from "./images.ts";

export type VariableStep = Extract<DeclaredStep, { kind: "variable" }>;

/** How a variable is set in the end, where that is known. What a running program sets for itself does not count. */
export function lastingValue(steps: DeclaredStep[], name: string): (VariableStep & { value: string }) | undefined {
  const step = steps.findLast((each): each is VariableStep => each.kind === "variable" && each.name === name && !each.isLate);
  return step?.value === undefined ? undefined : { ...step, value: step.value };
}

/** How a variable is set for good in a file of that format. */
export function settingWords(format: string, name: string, value: string): string {
  if (format === "apptainer") return `export ${name}=${value} below %environment`;
  return format === "dockerfile" || format === "devcontainer" ? `ENV ${name}=${value}` : `set ${name}=${value} for it`;
}

/** The folders of a variable such as LD_LIBRARY_PATH; what it held before is not among them. */
export const foldersOf = (value: string): string[] =>
  value
    .replace(/\$\{[^}]{0,1000}\}|\$\w+/g, "")
    .split(/[:;]/)
    .map((folder) => folder.replace(/(?<=[^/]|^\/)(?<!\/\/)\/+$/, ""))
    .filter((folder) => folder !== "");

/** A GPU is plainly meant: by who asks, by the file itself, or by an image that is of no use without one. */
export const meansGpu = ({ declaration, image, isAsked }: Pick<InstallContext, "declaration" | "image" | "isAsked">): boolean =>
  isAsked || declaration.steps.some(({ kind }) => kind === "gpu") || isForGpu(image);

const isForGpu = (image: BaseImage | undefined): boolean =>
  image?.kind === "cuda" ||
  image?.kind === "pytorch" ||
  image?.kind === "ngc" ||
  (image?.kind === "tensorflow" && 0 < image.packages.length);

/** What says that a GPU is meant, beside who asks. */
export function gpuReasons({ declaration: { steps }, image }: Pick<InstallContext, "declaration" | "image">): string[] {
  const asking = steps.find(({ kind }) => kind === "gpu");
  if (asking) return [`a GPU is asked for at ${placeWords(asking.place)}`];
  return image ? [image.isModules ? `the ${image.name} is loaded` : `the base image is ${image.name}`] : [];
}

/** What shows that a GPU is meant, in words; undefined where nothing does. */
export function gpuSign({ image, isAsked, gpus, declaration: { steps, stages = [] } }: InstallContext): string | undefined {
  if (isAsked) return gpus[0] ? `a GPU is asked about: ${gpus[0].name}` : "a driver is asked about";
  const asking = steps.find(({ kind }) => kind === "gpu");
  if (asking) return `a GPU is asked for at ${placeWords(asking.place)}`;
  if (image?.isModules) return `the ${image.name} is loaded`;
  if (image && isForGpu(image)) return `the base image is ${image.name}`;
  const builtOn = stages
    .filter(({ givesPackages }) => givesPackages)
    .flatMap((stage) => imageIn(stage.steps) ?? [])
    .find(isForGpu);
  if (builtOn) return `what is copied here was installed in a stage upon ${builtOn.name}`;
  const exposed = ["NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"].flatMap((name) => lastingValue(steps, name) ?? [])[0];
  return exposed && !/^(?:|none|void)$/.test(exposed.value.trim())
    ? `${exposed.name}=${exposed.value} asks for the driver of the host`
    : undefined;
}

/** The image that steps are taken upon. */
export function imageIn(steps: DeclaredStep[]): BaseImage | undefined {
  const step = steps.findLast((each) => each.kind === "image");
  return step?.kind === "image" ? readImage(step.name, step.place) : modulesAsImage(steps);
}
