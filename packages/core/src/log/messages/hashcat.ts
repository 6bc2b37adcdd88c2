import { dottedNumber } from "../numbers.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

const newerNvrtc = [fix("install a newer CUDA toolkit, and see that no older NVRTC is found before it")];

/** hashcat (src/backend.c). */
export default [
  {
    literals: ["outdated cuda compute capability"],
    pattern: /outdated CUDA compute capability \((?<capability>\d{1,2}\.\d)\)/,
    examples: ["* Device #1: This hardware has outdated CUDA compute capability (2.1)."],
    facts: ({ capability }) => ({ kind: "gpu-unsupported", capability: capability!, by: "said", tooOld: true }),
  },
  {
    ...notice(
      "hashcat-no-toolkit",
      ["cuda sdk toolkit", "cuda toolkit installation not detected"],
      /CUDA (?:SDK )?Toolkit(?: installation)? NOT (?:detected|installed)|CUDA (?:SDK )?Toolkit installation required for proper device support/i,
      "* Device #1: CUDA SDK Toolkit installation NOT detected.",
    ),
    means: {
      weight: weights.warned,
      name: "libnvrtc.so",
      library: "nvrtc",
      required: "the CUDA toolkit, whose NVRTC compiles its kernels",
      found: "none: it goes on with OpenCL",
      next: ["ldconfig -p | grep nvrtc"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "hashcat finds no NVRTC of a CUDA toolkit, and goes on with OpenCL, more slowly",
          fixes: [fix("install the CUDA toolkit; in a container take an image that has it (`-devel`, or the project's own tag for CUDA)")],
        },
        { cause: "library-not-on-path", message: "or it is installed where the loader does not look", fixes: [] },
        { cause: "benign-warning", message: "whoever is content with OpenCL may leave it so", fixes: [] },
      ],
    },
  },
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
