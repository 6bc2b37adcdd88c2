import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { sentencesOf, type Sentence } from "../sentence.ts";

const tracer = /\b(?:roctracer|rocprof(?:iler|v[123]|-compute|-sys)?(?:-sdk)?|omnitrace|omniperf)\b/i;
const events = /\b(?:events?|kernels?|streams?|activit(?:y|ies)|traces?|dispatch(?:es)?|rows?)\b/i;
const absent = /\b(?:no|missing|empty|lost|lacks?|none|not|never|drop(?:s|ped)|without)\b|n['’]t\b/i;
const worked =
  /\b(?:works?|worked|fine|correct|complete)\b[^\n.]{0,60}\b(?:on|with|in|until|before) ROCm ?\d|\bROCm ?\d[\w.]{0,6}\b[^\n]{0,60}\b(?:works?|worked|fine|correct|complete)\b|\bsince ROCm ?\d|\bafter (?:the )?(?:upgrad|updat)\w{1,4}/i;
const amd = /\b(?:AMD|ROCm|Radeon|Instinct|MI\d{2,3}X?|Vega|tensorflow-rocm)\b/i;
const profiler = /\b(?:profil(?:e|er|ing)|tracing)\b/i;
const asked = /\bsupport(?:s|ed|ing)?\b|\bwork(?:s|ing)?\b|\bfail(?:s|ed)?\b/i;
const ofNvidia = /\b(?:nsys|ncu|nvprof|nsight|CUPTI)\b/i;
// What is wanted of a program, and what is told of a success.
const other = /\b(?:how (?:to|do|can)|please add|feature request|memory|overhead|works? (?:fine|well|great))\b/i;

const lost = ({ has, near }: Sentence): boolean => has(tracer) && near(60, absent, events);
const onAmd = ({ has, near }: Sentence): boolean =>
  !has(other) && !has(tracer) && near(90, profiler, amd, asked) && (has(/\b(?:TensorFlow|TF|TensorBoard|keras)\b/i) || has(ofNvidia));

/** Somebody tells of ROCm's tracers without events, or asks another profiler for an AMD GPU. */
export default {
  id: "rocm-profile",
  vague: true,
  literals: ["roc", "omni", "amd", "radeon", "instinct", "mi3", "mi2", "vega"],
  examples: [
    "rocprofv3 writes no kernel dispatches for my program",
    "After upgrading, roctracer traces are missing the events of one stream",
    "Does the TensorFlow profiler support AMD GPUs?",
  ],
  read(text): Draft[] {
    const sentences = sentencesOf(text);
    if (sentences.some(lost)) return [{ kind: "notice", id: "rocm-trace-empty", ...(worked.test(text) ? { subject: "worked" } : {}) }];
    return sentences.some(onAmd) ? [{ kind: "notice", id: "profiler-on-amd", subject: ofNvidia.test(text) ? "nvidia" : "framework" }] : [];
  },
} satisfies Frame;
