import type { Frame } from "../frame.ts";

const parts = "(?<part>CUDA|NVML|cuInit|nvmlInit(?:_v2)?|HIP|ROCm|hipInit|HSA)";
const noun = "(?: (?:runtime|driver|library|backend|context|handle|device|encoder|API))?";

const said = [
  `\\b(?:could(?: not|n't)|can(?:not|'t| not)|unable to|fail(?:ed|s|ure) (?:to|in)|did(?: not|n't)) (?:[a-z]{2,12} )?(?:initiali[sz]e|initiali[sz]ing|init|start|set up)(?: the| a)? ${parts}${noun}\\b`,
  `(?<![\\w.])${parts}${noun}(?:\\(\\d?\\))? ?(?:initiali[sz]ation |init |start-?up )?(?:has |is |was )?(?:failed|failure|not initiali[sz]ed|unsuccessful)(?=[\\s!.,:;(]|$)(?! ?[:'"(] ?['"]?[a-z])`,
].map((source) => new RegExp(source, "i"));

const weighed = /\b(?:if|when|unless|whether|in case|should|may|might|would)\b[^.!;]{0,90}$/i;

/** A part of the stack did not start, and no more is said: could not initialize NVML, cuInit failed. */
export default {
  id: "starts-not",
  vague: true,
  literals: ["cuda", "nvml", "cuinit", "hip", "rocm", "hsa"],
  examples: ["monitor: could not initialize NVML.", "CUDA call: cuInit failed!", "failed to initialize the HIP runtime"],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || weighed.test(text.slice(0, match.index))) return [];
    const part = match.groups!["part"]!.toLowerCase();
    return [{ kind: "notice", id: "no-gpu-seen", subject: /hip|rocm|hsa/.test(part) ? "amd" : "any" }];
  },
} satisfies Frame;
