import type { Frame } from "../frame.ts";

const libraries: { [name: string]: string } = {
  cudnn: "cudnn",
  nccl: "nccl",
  tensorrt: "tensorrt",
  cupti: "cupti",
  cublas: "cublas",
  cutensor: "cutensor",
  nvrtc: "nvrtc",
};
const name = `(?<NAME>${Object.keys(libraries).join("|")})`;
/** A library that is there and of the wrong release, without a number: Found cuDNN, but it looks like the wrong version. */
const said = [
  `\\b${name.replace("NAME", "before")}\\b[^.!\\n]{0,60}\\b(?:wrong|incorrect|unsuitable|unsupported|incompatible) (?:version|release)\\b`,
  `\\b(?:wrong|incorrect|unsuitable|unsupported|incompatible) (?:version|release) of ${name.replace("NAME", "behind")}\\b`,
].map((source) => new RegExp(source, "i"));
const weighed = /\b(?:if|when|unless|whether|in case|may be|might|could|make sure|check)\b/i;

export default {
  id: "wrong-version-told",
  vague: true,
  literals: ["wrong version", "incorrect version", "unsupported version", "incompatible version", "unsuitable version", "wrong release"],
  examples: [
    "-- *** Found cuDNN, but it looks like the wrong version so dlib will not use it. ***",
    "configure: error: unsupported version of NCCL",
  ],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || weighed.test(text)) return [];
    const library = (match.groups!["before"] ?? match.groups!["behind"])!.toLowerCase();
    return [{ kind: "notice", id: "wrong-version-told", subject: libraries[library]! }];
  },
} satisfies Frame;
