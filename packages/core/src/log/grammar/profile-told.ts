import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { sentencesOf } from "../sentence.ts";

// Four things that such a sentence speaks of, in whatever order.
const profiler =
  /\b(?:profil(?:e|es|er|ers|ing)|CUPTI|nsys|nvprof|ncu|nsight|kineto|xprof|trace viewer|timeline|chrome trace|tracing|traces?|exported json|qdrep|nsys-rep)\b/i;
const ofGpu = /\b(?:GPUs?|CUDA|kernels?|any details?|device (?:events?|time|side|activit\w{1,4}|trace)|SM|NVTX|streams?)\b/i;
const absent =
  /\b(?:no|not|never|none|nothing|without|missing|absent|empty|lacks?|lacking|fails?|failed|unable|zero|invisible|lost|disappear(?:s|ed)?)\b|\bcan(?:not|['\u2019]?t)\b|n['\u2019]t\b|\bonly\b[^.;]{0,30}\bCPU\b|\bno sign\b/i;
const seen =
  /\b(?:record\w{0,4}|trac(?:e|es|ed|ing)|track\w{0,3}|captur\w{1,3}|show\w{0,3}|collect\w{0,3}|see|seen|sees|appear\w{0,3}|visible|found|find|display\w{0,3}|contain\w{0,3}|has|have|there (?:is|are)|data|events?|info\w{0,8}|rows?|columns?|graphs?|charts?|plots?|activit(?:y|ies)|sign|profil(?:e|ed|ing))\b/i;

// Somebody weighs, plans or explains; another thing than the GPU's part of a profile is missing.
const other =
  /\b(?:if|unless|whether|in case|should|would|could you|please|how (?:do|can|to)|want(?:s|ed)? to|need(?:s|ed)? to|without profil|no need|not only|not yet|do not use|don['\u2019]t use|n['\u2019]t profile)\b|\bno (?:longer )?(?:problem|issue|error|overhead)|\b(?:memory|leak|accuracy|utili[sz]ation|docs?|documentation|README|example)\b|\bworks? (?:fine|well)\b/i;

/** Somebody tells of a profile without its GPU part, in no particular order of words: there is no sign of our kernels in the nsys report. */
export default {
  id: "profile-told",
  literals: ["profil", "cupti", "nsys", "nvprof", "ncu", "nsight", "kineto", "xprof", "trac", "timeline", "qdrep"],
  vague: true,
  examples: [
    "[Bug]: nsys cannot track the cuda kernel called by the process except rank 0",
    "I can only trace CPU activities when I analyze it with nsys",
    "I view the report with Nsight Systems, but there is no sign of the kernels from our library",
  ],
  read(text): Draft[] {
    const told = sentencesOf(text).some(
      ({ has }) => has(profiler) && (has(ofGpu) || has(/\bonly\b[^.;]{0,30}\bCPU\b/i)) && has(absent) && has(seen) && !has(other),
    );
    return told ? [{ kind: "notice", id: "trace-without-gpu", subject: "told" }] : [];
  },
} satisfies Frame;
