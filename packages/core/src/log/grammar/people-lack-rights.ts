import type { Frame } from "../frame.ts";
import { not, sentencesOf, type Sentence } from "../sentence.ts";

const profiler = /\b(?:nvprof|nsys|ncu|nsight|CUPTI|profil(?:e|er|ers|ing)|performance counters?)\b/i;
const rights =
  /\b(?:admin(?:istrator)?s?(?: (?:access|rights|privileges))?|root|sudo|(?:ordinary|normal|regular|non-root|unprivileged) users?|permissions?|privileges?)\b/i;
const wants =
  /\b(?:requir(?:e|es|ed|ing)|need(?:s|ed)?|only (?:as|for|with)|without|allow(?:s|ed)?|deni(?:es|ed)|lack(?:s|ing)?|as an?|ask(?:s|ing)? for)\b/i;
// Who has them, or tells how it is done.
const other = /\b(?:if|unless|you (?:can|may|need|have)|make sure|works? (?:fine )?(?:as|with)|even (?:as|with)|already|docs?)\b/i;

// "I am not allowed to use the counters": whose right it is, is said by whom it is refused to.
const refused = /\b(?:not (?:allowed|permitted|authori[sz]ed)|may not|forbidden|(?:access|permission) (?:is )?denied|no access)\b/i;
const counters = /\b(?:counters|ncu|nsight compute|profil(?:e|er|ing))\b/i;

const insufficient = /\b(?:insufficient|lacking|missing) (?:permissions?|privileges?|rights)\b/i;

const told = ({ has, near }: Sentence): boolean =>
  (has(profiler) && has(insufficient)) ||
  (near(70, refused, counters) && !has(other)) ||
  (has(profiler) &&
    !has(other) &&
    near(110, profiler, rights) &&
    (near(50, wants, rights) || near(60, not, rights) || near(40, /\b(?:have|has|having|with|got) no\b/i, rights)));

/** Somebody may not profile: "nvprof needs administrator access", "how can an ordinary user profile". */
export default {
  id: "people-lack-rights",
  vague: true,
  literals: ["nvprof", "nsys", "ncu", "nsight", "cupti", "profil", "performance counter"],
  examples: ["CUDA 10.1 requires administrator access to use the nvprof tool", "Why does Nsight Compute ask for root on our cluster?"],
  read: (text) => (sentencesOf(text).some(told) ? [{ kind: "notice", id: "profiling-rights-said" }] : []),
} satisfies Frame;
