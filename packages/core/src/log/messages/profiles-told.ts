import type { Draft } from "../fact.ts";
import type { Signature } from "../signature.ts";

// What is spoken of: the profile, the tool that takes it, or the page that shows it.
const profile =
  "(?:profil(?:e|es|er|ers|ing)|CUPTI|nsys|nvprof|ncu|nsight(?: systems| compute)?|kineto|xprof|tensorboard|traces?|trace viewer|timeline)";
const gpu = "(?:GPUs?|CUDA|kernels?|device)";
const not =
  "(?:does(?: not|n['\\u2019]t)|do(?: not|n['\\u2019]t)|did(?: not|n['\\u2019]t)|is not able to|not able to|is not|isn['\\u2019]t|not|never|no longer|fails? to|failed to|unable to|can(?:not|['\\u2019]t| not)|could(?: not|n['\\u2019]t))";
const record =
  "(?:trac(?:e|es|ing)|record(?:s|ing)?|captur(?:e|es|ing)|show(?:s|ing)?(?: up)?|collect(?:s|ing)?|catch(?:es|ing)?|detect(?:s|ing)?|see|find|profile|display(?:s|ing)?)";
const recorded = "(?:recorded|traced|captured|shown|collected|profiled|displayed)";
// Words between: none of them ends a sentence.
const some = (most: number) => `[^\\n.;]{0,${most}}`;

const ofProfile = ["profil", "cupti", "nsys", "nvprof", "ncu", "nsight", "kineto", "xprof", "tensorboard", "trace", "timeline"];
const negatives = ["not ", "not being ", "never ", "no longer "].flatMap((start) =>
  ["recorded", "traced", "captured", "shown", "collected", "profiled", "displayed"].map((end) => start + end),
);

/** What people say of a profile in which the GPU is absent. A symptom, in as many orders of words as there are people. */
const ways: [literals: string[], source: string, ...examples: string[]][] = [
  [
    ofProfile,
    `\\b${profile}\\b${some(60)}\\b${not} ${record}\\b${some(30)}\\b${gpu}\\b(?! (?:memory|utili))`,
    "CUPTI does not trace kernels anymore",
    "When I profile a run with nvprof, I don't see the kernels in the output file",
    "the pytorch profiler is not showing up the cuda activities in the page",
    "Profiling with Tensorboard is unable to catch GPU operations",
  ],
  [
    ofProfile,
    `\\b${profile}\\b${some(60)}\\bonly ${record.replace("record", "record(?:ed)?")}(?:ed)? {0,3}(?:the |a |up )?["'\`]?(?:/host:)?CPU\\b`,
    "but the resulting trace only displays `/host:CPU`",
    "tensorboard only show CPU and Other, however the code is running on cuda",
  ],
  [
    ofProfile,
    `\\b${profile}\\b${some(60)}\\b(?:${record}|has|have|contains?|lists?|captured|recorded|displayed|showed) only {0,3}(?:the |a )?["'\`]?(?:/host:)?CPU\\b`,
    "TensorBoard's profiler shows only CPU events",
    "the trace contains only the CPU side",
  ],
  [
    ["/host:cpu"],
    `\\bonly (?:have|has|see|get|got|captured|recorded|traced|collected|contains?|shows?|displays?) {0,3}(?:the |a )?["'\`]?/host:CPU\\b`,
    "I only have /host:CPU, as seen below",
  ],
  [
    ofProfile,
    `\\b${profile}\\b${some(60)}\\bonly (?:captured|recorded|traced|collected|contains?|has|have) {0,3}(?:the |a )?["'\`]?CPU\\b`,
    "But the profiler's callback only captured  cpu ops.",
  ],
  [
    negatives,
    `\\b(?:CUDA|GPU) (?:kernels?|activit(?:y|ies)|events?|ops|operations?|times?|timeline|trace|streams?)\\b${some(20)} (?:is|are|was|were) (?:not|never|no longer)(?: being)? ${recorded}\\b`,
    "CUDA kernels are not recorded as expected.",
  ],
  [
    ofProfile,
    `\\b${profile}\\b${some(40)}\\b(?:shows?|has|have|contains?|lists?|with) no (?:GPU|CUDA|kernels?|device)\\b(?! (?:memory|utili))`,
    "the profiler shows no GPU",
  ],
  [
    ofProfile,
    `\\bno (?:GPU|CUDA)(?: \\w{2,12}){0,2} (?:is|are|was|were) ${recorded}\\b${some(40)}\\b${profile}\\b|\\b${profile}\\b${some(80)}\\bno (?:GPU|CUDA)(?: \\w{2,12}){0,2} (?:is|are|was|were) ${recorded}\\b`,
    "I am not getting the same profile: on my side no GPU device is shown",
  ],
  [
    ofProfile,
    `\\b(?:CUDA|GPU|device) (?:time|duration)s?\\b${some(60)}\\b(?:is|are|was|were|as|shows?) (?:always |all |displayed as )?(?:0|zero|zeros|empty)\\b${some(40)}\\b${profile}\\b`,
    "the device duration of all operators is displayed as zero in TensorBoard",
  ],
  [
    ["empty", "blank"],
    `\\b(?:trace|timeline)(?: view(?:er)?)?\\b(?: (?:page|tab|panel))? (?:is|stays|stayed|remains|remained|comes up|appears|displayed as) (?:\\w{2,10} )?(?:empty|blank)\\b`,
    "with the other build the Trace view stays empty",
  ],
  [
    ["gpu summary", "gpu kernel view"],
    `\\b(?:no|not|cannot|can['\\u2019]t|missing|without)\\b${some(30)}["'\`]?\\bGPU (?:Summary|Kernel View)\\b`,
    'I cannot see the "GPU Summary" in the page',
  ],
];

// What is weighed, or told of any profile, is not seen.
const weighed = /\b(?:if|unless|whether|in case)\b/i;

// The same sentence often names who took the profile.
const takers: [id: string, pattern: RegExp][] = [
  ["tensorflow", /\btensorflow\b|\btf\.(?:profiler|keras|summary)\b/i],
  ["torch", /\b(?:py)?torch\b/i],
  ["jax", /\bjax\b/i],
];

function takenBy(text: string): Draft[] {
  const found = takers.filter(([, pattern]) => pattern.test(text));
  return found.length === 1 ? [{ kind: "voice", id: found[0]![0] }] : [];
}

export default ways.map(([literals, source, ...examples]): Signature => ({
  literals,
  pattern: new RegExp(source, "i"),
  examples,
  notice: "trace-without-gpu",
  facts: (_, { input, index }) =>
    weighed.test(input.slice(Math.max(0, index - 60), index + 12))
      ? undefined
      : [{ kind: "notice", id: "trace-without-gpu", subject: "told" }, ...takenBy(input)],
}));
