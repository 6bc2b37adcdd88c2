import type { Signature } from "../signature.ts";

/** What people say about their stack when they ask, without a program's own words. */
export default [
  {
    literals: ["mismatch", "incompatib"],
    pattern:
      /(?:mismatch(?:es)?|incompatible|incompatibility)(?: [\w-]{1,14}){0,6}? (?<after>libcupti|CUPTI|libcudnn|cuDNN)\b|\b(?<before>libcupti|CUPTI|libcudnn|cuDNN)(?: library)?(?: versions?)? (?:mismatch|incompatib)/i,
    examples: ["Why is TensorBoard Profiler using an incompatible libcupti version?", "Why does the CuDNN version mismatch?"],
    facts: ({ after, before }) => ({ kind: "notice", id: "said-mismatch", subject: /cupti/i.test((after ?? before)!) ? "cupti" : "cudnn" }),
  },
  {
    literals: ["compiled against cu", "compiled with cu", "built against cu", "built with cu", "compiled for cu", "built for cu"],
    pattern:
      /(?:compiled|built) (?:against|with|for) (?:CUDA (?:toolkit )?(?<cuda>\d{1,2}\.\d{1,2})|cuDNN (?<cudnn>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?))/i,
    examples: ["# Assuming TensorFlow compiled against CUDA 11.0", "a TensorFlow that was built against CuDNN 8.2.0"],
    facts: ({ cuda, cudnn }) => ({
      kind: "framework",
      id: "program",
      ...(cuda === undefined ? {} : { cuda }),
      ...(cudnn === undefined ? {} : { cudnn }),
    }),
  },
  {
    literals: [" installed", "cudnn"],
    pattern: /\bcuDNN (?<version>[4-9]\.\d{1,2}\.\d{1,2})(?: is| was)? (?:installed|loaded)/i,
    examples: ["Colab has CuDNN 8.4.0 installed"],
    facts: ({ version }) => ({ kind: "package", manager: "dpkg", name: "cudnn", version: version! }),
  },
  {
    literals: ["rtx", "gtx", "titan", "tesla", "a100", "h100", "quadro"],
    pattern: /\b(?<name>(?:RTX|GTX)[ -]?(?:A?\d{3,4}(?: ?Ti\b| SUPER\b)?)|TITAN (?:Xp?|V|RTX)|(?:Tesla )?[ATVPKLH]\d{1,3}|GB?200)\b/i,
    examples: ["my GPU is a RTX 3090", "GeForce GTX 1080 Ti"],
    facts: ({ name }) => ({
      kind: "notice",
      id: "gpu-said",
      // There is no GTX of these generations; people write it all the same.
      subject: name!.replace(/^(?:RTX|GTX)[ -]?(?=(?<series>[2345]0\d0))/i, "RTX ").replace(/(?<=\d)Ti$/i, " Ti"),
    }),
  },
] satisfies Signature[];
