import { dottedCudnn } from "../../knowledge/cudnn.ts";
import type { Signature } from "../signature.ts";

/** caffe2/core/common_cudnn.h. */
export default [
  {
    literals: ["versions mismatch"],
    pattern: /cuDNN compiled \((?<required>\d{4,5})\) and runtime \((?<found>\d{4,5})\) versions mismatch/i,
    examples: ["[enforce fail at common_cudnn.h:118] version_match. cuDNN compiled (7005) and runtime (7003) versions mismatch"],
    facts: ({ required, found }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: dottedCudnn(Number(required)),
      found: dottedCudnn(Number(found)),
      by: "caffe2",
    }),
  },
] satisfies Signature[];
