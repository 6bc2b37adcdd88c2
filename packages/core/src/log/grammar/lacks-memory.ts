import type { Frame } from "../frame.ts";

const memory = "(?:(?:GPU|CUDA|device|video|graphics) )?(?:memory|VRAM)";

/** Memory that does not suffice, in the ways in which programs say it. */
const said = [
  `\\b(?:not enough|insufficient|too little|no (?:more )?(?:available|free)|ran out of) ${memory}\\b`,
  `\\b(?:free|available) ${memory}\\b[^\\n]{0,80}?\\b(?:less|lower|smaller) than\\b`,
  `\\b${memory}\\b[^\\n]{0,30}? (?:is |was )?(?:exhausted|used up|not enough|not sufficient|insufficient)\\b`,
  `\\bdo(?:es)?(?: not|n't) fit (?:in|into|on) (?:the )?(?:GPU|device|VRAM)\\b`,
].map((source) => new RegExp(source, "i"));
// Of the host's memory nothing is said here.
const ofGpu = /\b(?:GPU|CUDA|VRAM|on device|gpu_memory\w{0,20}|cache blocks|KV cache)\b/i;
const weighed = /\b(?:if|when|unless|whether|in case|may|might|can be|could be|would|avoid\w{0,3}|prevents?)\b/i;

/** The GPU has too little memory: Free memory on device (3.2/4.0 GiB) is less than desired, no available memory for the cache blocks. */
export default {
  id: "lacks-memory",
  literals: ["memory", "vram", "not fit", "n't fit"],
  examples: [
    "ValueError: Free memory on device (3.22/4.0 GiB) on startup is less than desired GPU memory utilization (0.9, 3.6 GiB).",
    "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
    "fatal: insufficient VRAM to load the model",
    "error: the model does not fit into the GPU",
  ],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || !ofGpu.test(text) || weighed.test(text.slice(0, match.index + match[0].length))) return [];
    return [{ kind: "cuda-error", code: 2 }];
  },
} satisfies Frame;
