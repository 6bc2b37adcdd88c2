import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** triton/compiler and triton/backends/nvidia. */
export default [
  notice(
    "triton-ptxas",
    "internal triton ptx codegen error",
    /Internal Triton PTX codegen error/,
    "RuntimeError: Internal Triton PTX codegen error:",
  ),
  notice("triton-ptxas-missing", "cannot find ptxas", /Cannot find ptxas/, "RuntimeError: Cannot find ptxas"),
  notice("triton-libcuda", "libcuda.so cannot found", /libcuda\.so cannot found/, "AssertionError: libcuda.so cannot found!"),
  {
    ...notice(
      "triton-ptx-table",
      "triton only support cuda",
      /Triton only support CUDA (?<required>\d{1,2}\.\d{1,2}) or higher(?:, but got CUDA version: (?<found>\d{1,2}\.\d{1,2}))?/,
      "RuntimeError: Triton only support CUDA 10.0 or higher, but got CUDA version: 9.2",
    ),
    means: {
      weight: weights.said,
      name: "ptxas",
      about: (_facts, _context, [fact]) => ({
        evidence: [fact!],
        required: `CUDA ${fact!.required}`,
        ...(fact!.found === undefined ? {} : { found: fact!.found }),
      }),
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "certain",
          message: "Triton was given a ptxas that is too old",
          fixes: [fix("unset TRITON_PTXAS_PATH, or name a newer ptxas")],
        },
      ],
    },
  },
  {
    ...notice(
      "triton-compiler",
      "failed to find c compiler",
      /Failed to find C(?:\+\+)? compiler\. Please specify via C(?:C|XX) environment variable/,
      "RuntimeError: Failed to find C compiler. Please specify via CC environment variable or set triton.knobs.build.impl.",
    ),
    means: ownMatter("a C compiler", "Triton compiles a small module and finds no C compiler", "install gcc, or name one in CC"),
  },
  notice(
    "triton-no-gpu",
    "active drivers (",
    /0 active drivers \(\[\]\)\. There should only be one/,
    "RuntimeError: 0 active drivers ([]). There should only be one.",
  ),
] satisfies Signature[];
