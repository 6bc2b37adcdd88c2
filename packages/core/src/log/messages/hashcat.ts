import { dottedNumber } from "../numbers.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

const newerNvrtc = [fix("install a newer CUDA toolkit, and see that no older NVRTC is found before it")];

/** hashcat (src/backend.c). */
export default [
  {
    ...notice(
      "hashcat-toolkit",
      ["outdated nvidia cuda toolkit version", "outdated nvidia nvrtc"],
      /Outdated NVIDIA (?:CUDA Toolkit|NVRTC driver) version '(?<found>\d{1,6}(?:\.\d{1,3})?)' detected/,
      "Outdated NVIDIA CUDA Toolkit version '9000' detected!",
    ),
    means: {
      // A program that compiles its kernels with NVRTC on the spot refuses an old one.
      weight: weights.said,
      name: "libnvrtc.so",
      library: "nvrtc",
      required: "a newer CUDA toolkit",
      next: ["ldconfig -p | grep nvrtc", "nvcc --version"],
      about: (_facts, _context, [fact]) => ({
        evidence: [fact!],
        found: fact!.found!.length < 4 ? fact!.found! : `CUDA ${dottedNumber("cudart", fact!.found!)}`,
      }),
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          message: "the toolkit's NVRTC is older than the program takes",
          fixes: newerNvrtc,
        },
        { cause: "library-wrong-version", message: "or an older NVRTC is found before the right one", fixes: newerNvrtc },
      ],
    },
  },
] satisfies Signature[];
