import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** A program finds or loads its own part for the GPU not, and does not say why: a backend, a platform, a provider, a native library. */
export default function gpuPart(facts: Facts): Problem[] {
  const [fact] = facts.notices("gpu-part-lost");
  const said = (["not-found", "damaged", "undefined-symbol", "cuda-error", "version-pair"] as const).some((kind) => facts.has(kind));
  if (!fact || said || 0 < facts.notices("dll-not-found", "dll-load-failed", "built-without-cuda").length) return [];
  const what = fact.subject ?? "its part for the GPU";
  const base = { name: what, evidence: [fact], certainty: "possible" as const, next: ["nvidia-smi"] };
  const built: Suspect = {
    ...base,
    cause: "wrong-wheel-cpu-only",
    message: "the program was built, or installed, without its part for the GPU",
    fixes: [fix("install its build for the GPU, or build it with CUDA switched on")],
  };
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    message: "a library that this part opens is not there, or lies where the loader does not look",
    fixes: [fix("install the CUDA libraries of the release that it was built with, and let the loader find them")],
  };
  const other: Suspect = {
    ...base,
    cause: "library-wrong-version",
    message: "or libraries of another release than it was built with are found first",
    fixes: [],
  };
  const driver: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    message: "or no driver reaches the program",
    fixes: [],
  };
  // What is there and does not load lacks something; what is not known by its name was never built in.
  const suspects = fact.found === "not-loaded" ? [missing, other, driver, built] : [built, missing, driver];
  return [
    {
      weight: weights.hint,
      symptom: fact.found === "not-loaded" ? `${what} does not load` : `${what} is not there`,
      suspects: suspects.map((each, index) => (index === 0 ? each : { ...each, message: `or ${each.message.replace(/^or /, "")}` })),
    },
  ];
}
