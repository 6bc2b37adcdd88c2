import { dottedCudnn } from "../../knowledge/cudnn.ts";
import type { Signature } from "../signature.ts";

/** mnistCUDNN and its kin, the samples that come with cuDNN. */
export default [
  {
    literals: ["cudnn_version from cudnn.h"],
    pattern: /cudnnGetVersion\(\) : (?<found>\d{4,6}) ?, CUDNN_VERSION from cudnn\.h : (?<required>\d{4,6})/,
    examples: ["cudnnGetVersion() : 7102 , CUDNN_VERSION from cudnn.h : 7401 (7.4.1)"],
    facts: ({ required, found }) =>
      required === found
        ? undefined
        : {
            kind: "version-pair",
            library: "cudnn",
            required: dottedCudnn(Number(required)),
            found: dottedCudnn(Number(found)),
            by: "sample",
            hint: "header",
          },
  },
] satisfies Signature[];
