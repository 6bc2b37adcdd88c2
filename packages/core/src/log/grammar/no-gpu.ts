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
  `\\b(?:GPUs?|CUDA devices?) (?:was |were )?requested,? but (?:none|no \\w{2,12}) (?:is|are|was|were) ${seen}\\b`,
  `\\b(?:can(?:not|'t| not)|could(?: not|n't)) find any (?:[\\w-]{2,12} ){0,2}accelerators?\\b[^\\n]{0,12}\\bneed a GPU\\b`,
  // "cuda-capable device not found", "no device is visible".
  `\\b(?:CUDA|GPU|NVIDIA|ROCm|HIP|OpenCL)(?:[ -](?:[\\w-]{2,20} ){0,2}?)?${nouns} (?:(?:is|was|were|are|could) )?not (?:be )?${seen}\\b`,
  `\\bno (?:[\\w-]{2,20} ){0,3}?${nouns} (?:is|are|was|were) (?:visible|exposed|passed)\\b`,
  // "CUDA/ROCm is not available", "AMDGPU is not functional", "CUDA not available: no devices".
  `\\b(?:CUDA|ROCm|HIP|AMDGPU|GPU)(?:\\/[A-Z]\\w{1,6})?(?: support| backend| acceleration| runtime| library)? (?:(?:is|was) )?(?:not (?:available|functional|usable|operational)|unavailable)\\b`,
  // PyTorch's builds and others call it so where no GPU answers.
  `\\bno CUDA runtime (?:is |was )?(?:found|detected|available)\\b`,
  `\\bGPU does(?: not|n't) support CUDA\\b`,
  `\\bGPU drivers? (?:is|are) not (?:configured|installed|loaded)\\b`,
  // Somebody stops because a GPU is wanted.
  `(?:error|exception)[^\\n]{0,80}\\b(?:requires|only (?:supported on|works (?:on|with)|supports)) (?:an? )?(?:NVIDIA )?(?:CUDA|NVIDIA)(?: GPUs?| devices?)?(?: currently)?(?=[.!]? ?$|\\. )`,
  `(?:error|exception|fatal|panic|abort)[^\\n]{0,80}\\b(?:requires?|needs?|must have)(?: an?| the)?(?: [\\w-]{2,16}){0,2}? (?:CUDA|NVIDIA|GPU)[ -](?:capable|enabled|compatible|supported)?[ -]?(?:GPU|device|environment|[A-Z]\\w{2,16} (?:environment|installation|build))`,
].map((source) => new RegExp(source, "i"));

// No driver, as any program says it.
const driver =
  /\bno NVIDIA(?: GPU| graphics| display)? drivers? (?:was |were |is |are )?(?:found|detected|installed|loaded|present)\b(?! or)|\bNVIDIA(?: GPU| graphics| display)? drivers?(?: userspace)? (?:(?:was|is|are|were|could) )?(?:not (?:be )?(?:found|detected|installed|loaded)|missing)\b|\bcould not find an? NVIDIA(?: GPU)? driver\b/i;

const ofGpu = /gpu|cuda|nvidia|cublas|rocm|opencl|nvenc|\bhip\b|radeon|\bamd\b/i;
const ofAmd = /rocm|amdgpu|\bhip\b|radeon|\bamd\b/i;

// Another, a free or a second GPU; a rule, a test that is left out, what somebody may see.
const other =
  /\b(?:no|zero|0) (?:other|more|free|idle|additional|further|second|new|spare|extra|remaining)\b|\b(?:if|unless|whether|when|where|in case|should|would|assert|raise|return)\b (?!I |we )[^\n]{0,80}$|\bskip/i;

// The program goes on without, and says so.
const goesOn =
  /\b(?:using|use|run(?:ning|s)?|falling back|fall ?back|default(?:ing|s)?|switch(?:ing)?|continu(?:e|ing)|proceed(?:ing)?|configur(?:e|ing))\b[^\n]{0,30}\bCPU\b|\bCPU[ -](?:only )?(?:mode|inference|fallback|execution|training)\b|\bwill be disabled\b|\bdisabling\b|\bdisabled\b|\blevel=(?:info|warn)|\[?\bINFO\b/i;

// Who asked for a GPU and gets the CPU did not get what he asked for.
const requested = /\b(?:requested|asked for|required|specified)\b/i;

/** A program sees no GPU, whoever it is: no CUDA devices found, could not detect any GPU, found 0 GPUs, GPU requested but not available. */
export default {
  id: "no-gpu",
  literals: ["gpu", "cuda", "nvidia", "cublas", "rocm", "opencl", "nvenc", "hip"],
  examples: [
    "renderer: no CUDA capable devices found!",
    "Error: could not detect any NVIDIA GPU",
    "backend: found 0 CUDA devices",
    "There are no available device(s) that support CUDA",
    "support for gpu nvidia was requested, but it wasn't available",
    "ERROR: cuda-capable device not found",
    "RuntimeError: CUDA/ROCm is not available: no device is visible",
    "RuntimeError: this benchmark requires a CUDA-capable GPU",
    "MisconfigurationException: GPUs requested but none are available.",
    "RuntimeError: Foobytes is only supported on CUDA GPUs.",
  ],
  read(text) {
    if (driver.test(text) && !other.test(text) && !goesOn.test(text)) return [{ kind: "notice", id: "no-driver" }];
    const match = none.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || !ofGpu.test(text) || other.test(text.slice(0, match.index)) || other.test(match[0])) return [];
    const found = goesOn.test(text) && !requested.test(text) ? "the CPU instead" : undefined;
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
