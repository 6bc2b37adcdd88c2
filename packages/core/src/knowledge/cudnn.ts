import type { CudnnLayout, CudnnRelease } from "../model/knowledge.ts";
import { isCertain, sourcesOf } from "./certainty.ts";
import { compareDotted } from "./dotted.ts";
import { cudnn } from "./texts/cudnn.generated.ts";

export interface CudnnAnswer {
  release: CudnnRelease;
  /** False when this very release is not known, and an older one of the same minor stands for it. */
  exact: boolean;
  layout: CudnnLayout | undefined;
}

/** For `9.1.0`, `9.1.0.70` or what cudnnGetVersion returns (8907, 90100). */
export function cudnnFor(version: string | number): CudnnAnswer | undefined {
  const { releases, layouts } = cudnn();
  const wanted = typeof version === "number" ? dottedCudnn(version) : version;
  const three = partsOf(wanted, 3);
  const same = releases.filter((each) => partsOf(each.version, 3) === three);
  const minor = releases.filter((each) => partsOf(each.version, 2) === partsOf(wanted, 2) && compareDotted(each.version, wanted) <= 0);
  const release = same.find((each) => each.version === wanted) ?? same.at(-1) ?? minor.at(-1);
  return release && { release, exact: 0 < same.length, layout: layouts.find(({ id }) => id === release.layout) };
}

/** The oldest architecture that a release runs on, of those for one CUDA major; and where that is said. */
export function oldestForCudnn(version: string, cudaMajor: string): { sm: string; certain: boolean; sources: string[] } | undefined {
  const file = cudnn();
  const found = cudnnFor(version);
  const sm = found?.release.smMin?.[cudaMajor];
  if (!found || sm === undefined) return undefined;
  // The line was drawn with 9.11, where PyTorch looks for it, too; which GPUs older releases left out is a matter of tables.
  const quirk = file.quirks.find(
    ({ says, since }) => says.includes("below sm_75") && since !== undefined && 0 <= compareDotted(version, since),
  );
  if (quirk && sm === "sm_75") return { sm, certain: true, sources: sourcesOf(file, quirk, "says") };
  return { sm, certain: found.exact && isCertain(found.release, "smMin"), sources: sourcesOf(file, found.release, "smMin") };
}

/** 8907 → 8.9.7, 90100 → 9.1.0: majors are counted in thousands up to 8, in ten thousands since. */
export function dottedCudnn(number: number): string {
  const unit = number < 10_000 ? 1000 : 10_000;
  return `${Math.floor(number / unit)}.${Math.floor((number % unit) / 100)}.${number % 100}`;
}

const partsOf = (version: string, count: number) => version.split(".").slice(0, count).join(".");
