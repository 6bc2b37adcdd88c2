import type { Fact, Facts } from "./fact.ts";

/** Something of NVIDIA's is there: a GPU, or its driver. */
export const hasNvidia = (facts: Facts): boolean =>
  facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda") || 0 < facts.notices("gpu-said").length;

/** Who speaks uses a build for ROCm: by its own name, or by the index that he took it from; a build for CUDA by its name is none. */
export function rocmBuildIn(facts: Facts): Fact | undefined {
  const frameworks = facts.all("framework");
  if (frameworks.some(({ cuda, version }) => cuda !== undefined || /\+cu\d/.test(version ?? ""))) return undefined;
  return (
    frameworks.find(({ version }) => /rocm/.test(version ?? "")) ??
    facts.notices("rocm-of-wheel", "rocm-image")[0] ??
    // PyTorch's own words, which no other build of it has.
    facts.notices("no-gpu-seen").find(({ subject, at }) => subject === "hip" && /No HIP GPUs/.test(at.text))
  );
}

/** The text speaks of AMD's GPUs or of ROCm, and of nothing of NVIDIA's. */
export const ofAmdAlone = (facts: Facts): boolean =>
  !hasNvidia(facts) && (0 < facts.notices("amd-gpu", "hip-no-code", "rocm-of-system").length || rocmBuildIn(facts) !== undefined);
