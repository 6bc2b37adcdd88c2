import { labelledFramework } from "../../model/frameworks.ts";

/** Packages that are built for one build of torch, and say so behind the plus sign of their versions. */
export const companions = labelledFramework("torch")?.labelled.marks ?? [];

/** How bad it is that a companion of one label is beside torch of another; undefined where they fit, or a label says nothing. */
export function misfit(label: string | undefined, torch: string): { isHarmless: boolean; because: (name: string) => string } | undefined {
  if (label === undefined || !/^(cpu|cu\d+)$/.test(label) || label === torch) return undefined;
  const isMinor = label !== "cpu" && torch !== "cpu" && label.slice(0, -1) === torch.slice(0, -1);
  return {
    // A torch without CUDA has a rule of its own; and what has no CUDA either way is only unusual.
    isHarmless: isMinor || torch === "cpu",
    because: (name) =>
      label === "cpu"
        ? `operators of ${name} do not run on the GPU`
        : isMinor
          ? "minors of one CUDA go together"
          : `${name} compares the majors when it is imported, and refuses`,
  };
}

export const labelWords = (label: string): string => (label === "cpu" ? "without CUDA" : `for ${label}`);
