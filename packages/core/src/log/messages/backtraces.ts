import { nameOf } from "../../lib/path.ts";
import { weights } from "../cause.ts";
import { withoutSearchPath } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** gdb, faulthandler and crash reports: a process that died within a library of CUDA. */
export default [
  {
    ...notice(
      "crash-in-library",
      [" from /"],
      /^\s{0,4}#\d{1,3} {1,3}0x[\da-f]{6,16} in [^\n]{1,1200}? from (?<subject>\/[^\s]{0,300}\/lib(?:cudnn|cublas|cufft|cusparse|cusolver|nccl|nvrtc|cupti)[\w-]{0,40}\.so[\d.]{0,12})/,
      "#1  0x00007ffe5ee187e6 in cudnnStatus_t fft1_convolution_tiled<float>(cudnnContext*) () from /v/nvidia/cudnn/lib/libcudnn_cnn_infer.so.8",
    ),
    means: {
      weight: weights.failed,
      symptom: "the process died within a library of CUDA",
      unless: (facts) => facts.has("cuda-error") || facts.has("version-pair") || facts.has("undefined-symbol"),
      about: (_facts, _context, [fact]) => ({
        name: nameOf(fact!.subject!),
        required: "all libraries of one release and from one place",
        found: fact!.subject!,
      }),
      next: ["echo $LD_LIBRARY_PATH", "grep -E 'libcu|libnv' /proc/PID/maps"],
      may: [
        {
          cause: "library-shadowed",
          message: "another copy of a library that it works with is found first, by LD_LIBRARY_PATH above all",
          fixes: [withoutSearchPath()],
        },
        { cause: "mixed-cudnn-sublibraries", message: "or parts of two releases of it meet in one process" },
        { cause: "upstream-bug", message: "or this release of the library, or of the framework, has a defect there" },
        { cause: "package-conflict", message: "or two packages brought releases that do not fit together" },
        { cause: "not-a-mismatch", name: "the program", message: "or it was given data that it does not check" },
      ],
    },
  },
] satisfies Signature[];
