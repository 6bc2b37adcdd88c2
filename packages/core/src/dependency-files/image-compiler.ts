// Whether what is compiled while an image is built comes with CUDA: what its setup wants, and whether nvcc is there.
import type { DeclaredStep, Install } from "../model/dependency-file.ts";
import type { CompiledPackage } from "../model/knowledge.ts";
import { cudaSwitch } from "./commands.ts";
import type { BaseImage } from "./images.ts";
import { lastingValue } from "./variables.ts";

export const isSetIn = (steps: DeclaredStep[], ...names: string[]): boolean =>
  names.some((name) => !["", "0", "false", "no", "off"].includes((lastingValue(steps, name)?.value ?? "").toLowerCase()));

/** Whether the setup of a package runs nvcc in this image. */
export function needsCompiler(row: CompiledPackage, { variables = {} }: Install, steps: DeclaredStep[], image: BaseImage): boolean {
  const isSet = (name: string) => /^(?:1|true|on|yes)$/i.test(variables[name] ?? lastingValue(steps, name)?.value ?? "");
  if (row.skips !== undefined && isSet(row.skips)) return false;
  if (row.variable === "CMAKE_ARGS")
    return (variables[row.variable] ?? lastingValue(steps, row.variable)?.value ?? "")
      .split(/[\s;]+/)
      .some((word) => cudaSwitch.test(word));
  if (row.compiler === "if-asked") return row.variable !== undefined && isSet(row.variable);
  return row.compiler === "always" || image.kind === "cuda" || variables["CUDA_HOME"] !== undefined;
}

/** Whether nvcc is there after these steps. */
export function hasCompiler(before: DeclaredStep[], image: BaseImage): boolean {
  return (
    image.hasCompiler === true ||
    image.kind === "ngc" ||
    before.some(
      (step) =>
        step.kind === "unseen" ||
        (step.kind === "install" &&
          (step.manager === "conda" ||
            step.packages.some(({ name }) =>
              step.manager === "apt"
                ? /^cuda(?:-\d+(?:-\d+)?)?$|^cuda-(?:nvcc|toolkit|compiler|minimal-build)|^nvidia-cuda-toolkit|\*/.test(name)
                : /nvcc/.test(name),
            ))),
    )
  );
}

/** Whether a step of a Dockerfile compiles a package with CUDA for sure: nvcc is there, and the setup takes it. */
export function compilesWithCuda(row: CompiledPackage, step: Install, steps: DeclaredStep[], image: BaseImage | undefined): boolean {
  if (!image || !hasCompiler(steps.slice(0, steps.indexOf(step)), image)) return false;
  if (row.compiler === "where-found") return row.skips === undefined || !isSetIn(steps, row.skips);
  return needsCompiler(row, step, steps, image);
}
