import type { Frame } from "../frame.ts";

const nouns = "(?:GPUs?|devices?|graphics cards?|accelerators?|backends?)(?:\\(s\\))?";
const seen = "(?:found|detected|available|visible|present|recogni[sz]ed|discovered)";

/** No GPU was seen, in the ways in which programs say it. */
const none = [
  `\\b(?:no|zero|0)(?: [\\w-]{2,20}){0,4}? ${nouns}["'\`]?,? (?:(?:was|were|is|are|has been|have been|could be|can be) )?(?:${seen}|(?:that|which) supports? CUDA)\\b`,
  `\\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|fail(?:ed|s) to|did(?: not|n't)) (?:find|detect|see|locate|recogni[sz]e|discover) (?:any|a|an)(?: [\\w-]{2,20}){0,3}? ${nouns}(?=[\\s.,;:!)"'\`]|$)`,
  `\\bthere(?: is no|'s no| are no| isn't (?:a|any)| aren't any)(?: [\\w-]{2,20}){0,4}? ${nouns}(?= (?:on|in|at) |[.,;:!)"'\`]|$)`,
  `\\b(?:found|detected|discovered|see) (?:0|zero) (?:[\\w-]{2,20} ){0,2}${nouns}(?=[\\s.,;:!)"'\`]|$)`,
  `\\b(?:number of|num) (?:[\\w-]{2,20} ){0,2}(?:GPUs?|devices?)(?: ${seen})? ?[:=] ?0(?![\\d.%x])`,
  `\\b(?:GPU|CUDA device)s? (?:count|${seen}) ?[:=] ?0(?![\\d.%x])`,
  // "GPU was asked for, but is not available".
  `\\b(?:GPU|CUDA|NVIDIA|cuBLAS|ROCm|HIP)\\b[^\\n]{0,40}\\b(?:requested|required|enabled|selected|specified|asked for)\\b[^\\n]{0,30}\\b(?:not|wasn't|isn't|weren't|un)[ -]?(?:available|present|found)\\b`,
].map((source) => new RegExp(source, "i"));

const ofGpu = /gpu|cuda|nvidia|cublas|rocm|\bhip\b|radeon|\bamd\b/i;
const ofAmd = /rocm|\bhip\b|radeon|\bamd\b/i;

// Another, a free or a second GPU; a rule, a test that is left out, what somebody may see.
const other =
  /\b(?:no|zero|0) (?:other|more|free|idle|additional|further|second|new|spare|extra|remaining)\b|\b(?:if|unless|whether|when|where|in case|should|would|assert|raise|return)\b (?!I |we )[^\n]{0,80}$|\bskip/i;

// The program goes on without, and says so.
const goesOn =
  /\b(?:using|use|run(?:ning|s)?|falling back|fall ?back|default(?:ing|s)?|switch(?:ing)?|continu(?:e|ing)|proceed(?:ing)?|configur(?:e|ing))\b[^\n]{0,30}\bCPU\b|\bCPU[ -](?:only )?(?:mode|inference|fallback|execution|training)\b|\bwill be disabled\b|\bdisabling\b|\bdisabled\b|\blevel=(?:info|warn)|\[?\bINFO\b/i;

/** A program sees no GPU, whoever it is: no CUDA devices found, could not detect any GPU, found 0 GPUs, GPU requested but not available. */
export default {
  id: "no-gpu",
  literals: ["gpu", "cuda", "nvidia", "cublas", "rocm"],
  examples: [
    "renderer: no CUDA capable devices found!",
    "Error: could not detect any NVIDIA GPU",
    "backend: found 0 CUDA devices",
    "There are no available device(s) that support CUDA",
    "support for gpu nvidia was requested, but it wasn't available",
  ],
  read(text) {
    const match = none.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || !ofGpu.test(match[0]) || other.test(text.slice(0, match.index)) || other.test(match[0])) return [];
    const found = goesOn.test(text) ? "the CPU instead" : undefined;
    return [
      {
        kind: "notice",
        id: "no-gpu-seen",
        subject: ofAmd.test(match[0]) ? "amd" : "any",
        ...(found === undefined ? {} : { found }),
      },
    ];
  },
} satisfies Frame;
