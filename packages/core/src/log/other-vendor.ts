import type { Cause } from "../model/cause.ts";
import type { Problem } from "./cause.ts";
import type { Facts } from "./fact.ts";
import { hasNvidia, rocmBuildIn } from "./vendor.ts";

// What follows wherever there is nothing of NVIDIA's: no driver of it is to be installed there.
const ofNvidia = new Set<Cause>([
  "driver-too-old",
  "driver-not-exposed",
  "kernel-module-missing",
  "kernel-module-mismatch",
  "library-missing",
  "library-not-on-path",
  "library-shadowed",
  "wrong-wheel-cpu-only",
  "not-a-mismatch",
]);

const names = /^(?:libcuda|libnvidia|nvcuda|libcu[a-z]|CUDA_VISIBLE_DEVICES|the NVIDIA)/;

/** Where the GPU is another maker's, what NVIDIA's software lacks is no cause beside that. */
export function withoutOtherVendor(all: Problem[], facts: Facts): Problem[] {
  const rocm = rocmBuildIn(facts) !== undefined && !hasNvidia(facts);
  const problems = rocm
    ? all.filter(({ suspects }) => !suspects.every(({ name, cause }) => ofNvidia.has(cause) && names.test(name ?? "")))
    : all;
  const vendor = problems.find(({ suspects }) => suspects[0]!.cause === "wrong-vendor" && suspects[0]!.certainty !== "possible");
  if (!vendor) return problems;
  const follows = ({ suspects }: Problem) =>
    (suspects[0]!.cause !== "not-a-mismatch" || suspects[0]!.name === "CUDA_VISIBLE_DEVICES") &&
    suspects.every(({ cause }) => ofNvidia.has(cause));
  return problems.filter((problem) => problem === vendor || vendor.weight < problem.weight || !follows(problem));
}
