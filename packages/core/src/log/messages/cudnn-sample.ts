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
  {
    literals: ["cudnn_version", "cudnngetversion"],
    pattern:
      /\b(?:(?<header>CUDNN_VERSION)|cudnnGetVersion(?:\(\))?)(?: (?:is|=|from cudnn\.h|returns))?[ :=]{1,4}(?<number>\d{4,6})\b(?!\s{0,4}, ?CUDNN)/,
    examples: ["CUDNN_VERSION: 8200", "cudnnGetVersion() = 7605"],
    facts: ({ header, number }) => {
      const version = dottedCudnn(Number(number));
      return header === undefined
        ? { kind: "package", manager: "dpkg", name: "cudnn", version }
        : { kind: "framework", id: "program", cudnn: version };
    },
    every: true,
    single: true,
  },
] satisfies Signature[];
