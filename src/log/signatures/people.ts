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
] satisfies Signature[];
