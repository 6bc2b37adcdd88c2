import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { not, sentencesOf, type Sentence } from "../sentence.ts";

const board = /\btensor ?board\b/i;
const tab =
  /\bprofil(?:e|er|ing)["'’”]? (?:\w{2,9} )?(?:tab|dashboard|plug-?in|page|option|menu|entry)\b|\b(?:tab|dashboard|plug-?in|option|entry) (?:of|for|named) (?:the )?["'“]?profil/i;
const absent =
  /\b(?:missing|absent|gone|disappear(?:s|ed)?|no|hidden|inactive|where is)\b|\bhow (?:to|do I|can I) (?:show|see|get|enable|activate|open|find)\b/i;
const shown =
  /\b(?:show(?:s|n|ing)?|see|appear(?:s|ing)?|display(?:s|ed|ing)?|find|activat(?:e|ed)|visible|there|available|work(?:s|ing)?)\b/i;
// Its content, another part of it, or a plan.
const other = /\b(?:empty|slow|blank|memory|GPU|kernels?|no data|would|should|if)\b/i;

// "The profile disappeared from the tensorboard".
const vanished = /\b(?:disappear(?:s|ed)|vanish(?:es|ed)|is gone|went away|no longer there)\b/i;
const plugin = /\bprofil(?:e|er|ing)\b|\bplug+-?g?ins?\b/i;

// "the Profile tab stays blank": the plugin is there, and shows nothing.
const blank = /\b(?:blank|white|empty|stays? (?:loading|empty)|keeps? loading|nothing)\b/i;
const ownTab = /\b(?:xprof|profil(?:e|er|ing)) (?:tab|page|dashboard)\b/i;

const told = ({ has, near }: Sentence): boolean =>
  near(40, blank, ownTab) ||
  (!has(other) && (near(34, absent, tab) || near(50, not, shown, tab) || (has(board) && near(40, plugin, vanished))));

/** Somebody misses the part of TensorBoard that shows profiles. */
export default {
  id: "profile-tab",
  vague: true,
  literals: ["profil", "plugin", "pluggin", "xprof"],
  examples: [
    "The profile tab is missing in TensorBoard after the upgrade",
    "TensorBoard doesn't show the profiler plugin in its menu",
    "The profile disappeared from the tensorboard all together",
    "How do I get the Profile dashboard in tensorboard 2.3?",
  ],
  read(text): Draft[] {
    const sentences = sentencesOf(text);
    return sentences.some(({ has }) => has(board)) && sentences.some(told)
      ? [{ kind: "notice", id: "tb-no-profile-tab", subject: /\btorch|pytorch/i.test(text) ? "pytorch_profiler" : "profile" }]
      : [];
  },
} satisfies Frame;
