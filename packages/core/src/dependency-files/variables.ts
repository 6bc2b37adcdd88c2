// Variables that stay set for whatever runs later, and what they say about the GPU.
import { placeWords } from "../lib/place.ts";
import type { DeclaredStep } from "../model/dependency-file.ts";
import type { InstallContext } from "./context.ts";

export type VariableStep = Extract<DeclaredStep, { kind: "variable" }>;

/** How a variable is set in the end, where that is known. What a running program sets for itself does not count. */
export function lastingValue(steps: DeclaredStep[], name: string): (VariableStep & { value: string }) | undefined {
  const step = steps.findLast((each): each is VariableStep => each.kind === "variable" && each.name === name && !each.isLate);
  return step?.value === undefined ? undefined : { ...step, value: step.value };
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
  isAsked ||
  declaration.steps.some(({ kind }) => kind === "gpu") ||
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
