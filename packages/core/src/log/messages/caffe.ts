import { fix } from "../fixes.ts";
import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { notice, type Signature } from "../signature.ts";

/** Caffe (util/cudnn.hpp) and Caffe2 (core/common_cudnn.h). */
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
  {
    ...notice(
      // What a cuDNN of another release than Caffe was written for answers to its first descriptor.
      "caffe-cudnn-refused",
      "check failed: status == cudnn_status_success",
      /Check failed: status == CUDNN_STATUS_SUCCESS \((?:3|9) vs\. 0\) {1,2}CUDNN_STATUS_(?<subject>BAD_PARAM|NOT_SUPPORTED)/,
      "cudnn.hpp:113] Check failed: status == CUDNN_STATUS_SUCCESS (3 vs. 0)  CUDNN_STATUS_BAD_PARAM",
    ),
    means: {
      symptom: "cuDNN refuses what Caffe asks for",
      name: "libcudnn.so",
      library: "cudnn",
      next: ["ldconfig -p | grep libcudnn", "grep -A2 'define CUDNN_MAJOR' /usr/include/cudnn*.h"],
      may: [
        {
          cause: "library-wrong-version",
          message: "cuDNN is of another release than Caffe was built or written for",
          fixes: [fix("build Caffe with the cuDNN that it was written for, or without cuDNN (`USE_CUDNN := 0`)")],
        },
        { cause: "library-shadowed", message: "or another copy is found before the right one" },
        { cause: "not-a-mismatch", message: "or a layer has a shape that cuDNN does not take" },
      ],
    },
  },
] satisfies Signature[];
