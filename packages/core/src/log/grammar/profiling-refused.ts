import type { Frame } from "../frame.ts";

const refused = "(?:not supported|unsupported|not available|unavailable|not permitted|not allowed|not enabled|disabled)";
const said = [
  `\\b(?:profiling|profiler|performance (?:counters?|metrics)|hardware counters?|GPU metrics|GPU tracing|CUDA tracing|kernel tracing)\\b(?: [\\w-]{2,14}){0,4}:? (?:(?:is|are|was|were|feature) )?${refused}\\b(?! (?:by default|in release))`,
  `\\b(?:profiling|DCP|performance) metrics (?:are|is) (?:only )?supported (?:for|on) [^\\n]{3,90}\\bonly\\b`,
  `\\b(?:could(?: not|n't)|can(?:not|'t| not)|unable to|failed to) (?:start|enable|initiali[sz]e|begin|resume)(?: the| GPU| CUDA| kernel)? (?:profiler|profiling|kernel tracing|GPU tracing)\\b`,
  `\\b(?:could(?: not|n't)|can(?:not|'t| not)|unable to|not able to|failed to) (?:run|use|do|get|perform|execute) [^\\n.;]{0,30}\\b(?:nsys|ncu|nsight|CUPTI|GPU profiling|profiling|profiler)\\b[^\\n.;]{0,30} (?:in|on|inside|within|under) [^\\n.;]{0,20}\\b(?:k8s?|kubernetes|pods?|cluster|containers?|docker|podman|slurm)\\b`,
  `\\b(?:refuses? to|unable to|fails? to|can(?:not|'t| not)|won't|will not|does(?: not|n't)) profile\\b`,
].map((source) => new RegExp(source, "i"));

const ofGpu = /gpu|cuda|cupti|nvidia|ncu|nsys|nsight|dcgm|dcp|kernel|device|rocm|hip|counter|metrics/i;
const weighed = /\b(?:if|when|unless|whether|in case|should|may|might|set)\b[^.!;]{0,90}$/i;

/** A profiler may not or cannot work on this GPU: profiling is not supported on this device, failed to start GPU tracing. */
export default {
  id: "profiling-refused",
  literals: ["profil", "counter", "tracing", "metrics", "nsys", "ncu", "nsight", "cupti"],
  examples: [
    "==ERROR== Profiling is not supported on this device",
    "DCP metrics are supported for Volta, Turing, Ampere or Ada GPUs only",
    "I could not run nsys or CUPTI profiling on our k8s cluster",
    "Error: unable to resume profiling metrics on GPU 0: Feature not supported.",
  ],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    return !match || !ofGpu.test(text) || weighed.test(text.slice(0, match.index)) ? [] : [{ kind: "notice", id: "profiling-refused" }];
  },
} satisfies Frame;
