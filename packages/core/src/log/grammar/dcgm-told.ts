import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { sentencesOf, type Sentence } from "../sentence.ts";

const dcgm = /\bdcgm(?:i|-exporter)?\b|\bDCGM_FI_PROF_\w{2,40}|\bDCP\b/i;
const fields = /\bprofil(?:e|ing)\b|\bDCGM_FI_PROF_\w{2,40}|\bDCP\b|\bSM (?:occupancy|activity)\b|\btensor (?:core )?activity\b/i;
const missing = /\b(?:not|no|missing|empty|zero|0|unsupported|unavailable|never|none|without)\b|n['’]t\b/i;
const asked = /\b(?:do|does|is|are|can|which|will)\b[^\n]{0,80}\bsupport(?:s|ed)?\b/i;
const consumer = /\b(?:GeForce|GTX|RTX) ?(?:GTX |RTX )?(?:[1-4]0\d0|16\d0|20\d0)\b|\bGeForce\b|\b[KM]\d{2}\b/i;

const told = ({ has }: Sentence): boolean => has(dcgm) && has(fields) && has(consumer) && (has(missing) || has(asked));

// "DCGM's module conflicts with Nsight Compute": it holds the counters that a profiler wants.
const profilers = /\b(?:nsight|ncu|nsys|nvprof|CUPTI|profil(?:e|er|ers|ing))\b/i;
const clash = /\b(?:conflicts?(?: with)?|interferes?(?: with)?|blocks?|prevents?|collides?|clash(?:es)?|paused(?: by)?)\b/i;
const conflicts = ({ has, near }: Sentence): boolean => has(dcgm) && near(90, clash, profilers);

/** Somebody asks for DCGM's profiling fields on a GPU for which it has none (GeForce before Blackwell: NVIDIA in DCGM issue 234). */
export default {
  id: "dcgm-told",
  vague: true,
  literals: ["dcgm", "dcp"],
  examples: [
    "Does dcgm-exporter support profiling metrics on a GeForce RTX 3080?",
    "DCGM_FI_PROF_SM_ACTIVE is always empty on my RTX 2080",
    "dcgmi shows no profiling fields for the GTX 1080",
    "Dynolog's DCGM module conflicts with other profiling tools such as Nsight Compute and CUPTI",
  ],
  read: (text): Draft[] => [
    ...(sentencesOf(text).some(conflicts) ? [{ kind: "notice" as const, id: "dcgm-beside-profiler" }] : []),
    // Such a line is a question, and has no full stop inside; where it does, the sentences are asked together.
    ...(sentencesOf(text).some(told) ? [{ kind: "notice" as const, id: "dcgm-no-profiling", subject: "told" }] : []),
  ],
} satisfies Frame;
