import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { rightsFixes } from "../rights.ts";

/** A profiler is refused, and the line says no more: the GPU or its place, the rights, or another profiler. */
export default function profilingRefused(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("profiling-refused");
  if (
    evidence.length === 0 ||
    facts.has("cupti-error") ||
    0 < facts.notices("dcgm-no-profiling", "dcgm-profiling-taken", "dcgm-privilege").length
  )
    return [];
  const base = { name: "the profiler", evidence: evidence.slice(0, 2), certainty: "possible" as const };
  const platform: Suspect = {
    ...base,
    cause: "profiler-platform-unsupported",
    message:
      "this release of the profiler does not serve this GPU, or not where it runs: a virtual GPU, a MIG slice, WSL 2, confidential computing",
    next: ["nvidia-smi -q | grep -i -A3 'product\\|virtualization\\|mig mode'"],
    fixes: [fix("take a profiler of the CUDA that nvidia-smi shows, and a whole GPU")],
  };
  const rights: Suspect = {
    ...base,
    cause: "profiler-permission",
    message: "or only administrators may read its counters",
    next: ["grep RmProfilingAdminOnly /proc/driver/nvidia/params"],
    fixes: [fix("for once, as root; for good, as an administrator allows it to all users (NVreg_RestrictProfilingToAdminUsers=0)")],
  };
  const conflict: Suspect = {
    ...base,
    cause: "profiler-conflict",
    message: "or another profiler, such as DCGM, holds the counters",
    next: ["dcgmi profile --pause"],
    fixes: [],
  };
  const inContainer: Suspect = {
    ...rights,
    name: "NVreg_RestrictProfilingToAdminUsers",
    required: "GPU performance counters open to this container",
    message: "the driver of the node opens its counters to administrators only, and the container is none",
    fixes: rightsFixes(evidence, facts, context),
  };
  const suspects = facts.on("container")
    ? [inContainer, conflict, { ...platform, message: `or ${platform.message}` }]
    : [platform, rights, conflict];
  return [{ weight: weights.hint, symptom: "the profiler is refused", suspects }];
}
