import type { Frame } from "../frame.ts";
import { gpu, sentencesOf, spokenOf } from "../sentence.ts";

const slow =
  /\b(?:slow(?:er|ly|ness)?|faster|speed(?:s|ed)? ?(?:up)?|throughput|latency|bottleneck|as slow as|no faster than|performance (?:drop|regression|difference|gap|issue|is))\b/i;
const memory = /\b(?:out of memory|OOM|memory (?:usage|consumption|leak)|too much memory|reduce (?:the )?(?:GPU )?memory|VRAM)\b/i;
// A speed that has a cause of ours is told by other words.
const cause =
  /\b(?:cpu|fall(?:s|ing)? back|compat|driver|version|update[sd]?|upgrad\w{1,3}|cudnn|cuda \d|profil\w{0,4}|trace|tensorboard|install\w{0,4}|import|load(?:ing|s)?|compil\w{1,5}|start\w{0,4}|first)\b/i;

/** Somebody asks why it is slow, or how to need less memory: a matter of the program. */
export default {
  id: "people-ask-speed",
  vague: true,
  literals: ["slow", "faster", "speed", "throughput", "latency", "memory", "vram", "oom", "bottleneck", "performance"],
  examples: ["cp.matmul is slower than torch.matmul on my V100, why?", "How can I reduce the memory that PyTorch takes on my RTX 3060?"],
  read: (text) =>
    /\?|\b(?:why|how)\b/i.test(text) &&
    sentencesOf(text).some(
      (sentence) =>
        (sentence.has(slow) || sentence.has(memory)) && (sentence.has(gpu) || 0 < spokenOf(sentence).length) && !sentence.has(cause),
    )
      ? [{ kind: "notice", id: "asks-speed" }]
      : [],
} satisfies Frame;
