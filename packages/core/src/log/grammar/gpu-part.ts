import type { Frame } from "../frame.ts";

const of = "(?<of>CUDA|GPU|NVIDIA|ROCm|HIP|TensorRT|PyTorch|LibTorch|TensorFlow|OptiX|cuBLAS)";
const part =
  "(?<part>backend|engine|(?:execution )?provider|plug-?in|platform|native library|bindings?|runtime library|device type|task type)";

const lost: [pattern: RegExp, found: "not-loaded" | "not-there"][] = [
  [
    /\b(?:error|fail(?:ed|ure))(?: while| when)? loading(?: the)? (?<part>native library)["'\s:]{1,3}(?:lib)?(?<of>J?Cuda|torch|tensorflow|onnxruntime)/i,
    "not-loaded",
  ],
  [
    new RegExp(
      `\\b(?:fail(?:ed|s|ure) to|could(?: not|n't)|can(?:not|'t| not)|unable to) (?:load|open|create|initiali[sz]e|find)(?: the| a| an)? ${of}(?: [\\w-]{2,14})? ${part}\\b`,
      "i",
    ),
    "not-loaded",
  ],
  [
    new RegExp(
      `\\b(?:no|unknown|unrecogni[sz]ed|unsupported|invalid)(?: [\\w-]{2,14})? ${part}(?: (?:called|named|type))?[:\\s]{1,2}["'\`[(]?${of}\\b`,
      "i",
    ),
    "not-there",
  ],
  [
    new RegExp(
      `\\b${part}[:\\s]{1,2}["'\`[(]?${of}["'\`\\])]?(?: [\\w-]{2,14})? (?:(?:is|was|could) )?not (?:be )?(?:found|registered|available|supported|recogni[sz]ed|enabled)\\b`,
      "i",
    ),
    "not-there",
  ],
  [
    new RegExp(
      `\\b${of} ${part}(?: [\\w-]{2,14})? (?:(?:is|was|could) )?not (?:be )?(?:found|registered|available|loaded|enabled|initiali[sz]ed)\\b`,
      "i",
    ),
    "not-there",
  ],
];

const weighed = /\b(?:if|when|unless|whether|in case|should|may|might)\b[^.!;]{0,90}$/i;

/** A program's own part for the GPU is not there or does not load: failed to load CUDA backend, no registered platform called "CUDA". */
export default {
  id: "gpu-part",
  vague: true,
  literals: [
    "backend",
    "engine",
    "provider",
    "plugin",
    "plug-in",
    "platform",
    "native library",
    "binding",
    "runtime library",
    "device type",
    "task type",
  ],
  examples: [
    "load: failed to load CUDA backend from ./libx-cuda.so",
    'There is no registered Platform called "CUDA"',
    "Environment for task type [GPU] not found",
    "the ROCm backend was not found",
  ],
  read(text) {
    for (const [pattern, found] of lost) {
      const match = pattern.exec(text);
      if (!match || weighed.test(text.slice(0, match.index))) continue;
      return [
        { kind: "notice", id: "gpu-part-lost", subject: `the ${match.groups!["of"]} ${match.groups!["part"]!.toLowerCase()}`, found },
      ];
    }
    return [];
  },
} satisfies Frame;
