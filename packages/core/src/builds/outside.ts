import { packageProviding } from "../knowledge/packages.ts";
import type { Need } from "./build.ts";

/**
 * Packages that bring libraries which a build opens by name and nothing else brings: NVIDIA's wheels for its CUDA major.
 * `cudnn` is a specifier for cuDNN. What no wheel brings is left out and returned as `unmet`.
 */
export function broughtByWheels(
  sonames: string[],
  cudaMajor: number,
  cudnn: string,
  reason: string,
  source: string,
): { needs: Need[]; onPath: string[]; unmet: string[] } {
  const needs: Need[] = [];
  const onPath: string[] = [];
  const unmet: string[] = [];
  for (const soname of sonames) {
    const supplier = packageProviding(soname, "pypi").find(({ cudaMajors }) => cudaMajors?.includes(cudaMajor));
    if (!supplier) {
      unmet.push(soname);
      continue;
    }
    onPath.push(soname);
    if (needs.some(({ name }) => name === supplier.name)) continue;
    const specifier = soname.startsWith("libcudnn") ? cudnn : "";
    needs.push({ name: supplier.name, specifier, extras: [], because: reason, source });
  }
  return { needs, onPath, unmet };
}

/** `8.1` → `>=8.1,<9`: a cuDNN of the same major that is not older than the one of the build. */
export function sameCudnn(built: string): string {
  const [major, minor] = built.split(".");
  const least = minor === undefined || !/^\d/.test(minor) ? `${major}` : built;
  return `>=${least},<${Number(major) + 1}`;
}
