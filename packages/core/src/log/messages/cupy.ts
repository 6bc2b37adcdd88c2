import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { dottedNumber } from "../numbers.ts";
import { notice, type Signature } from "../signature.ts";

const configLines = ["python -c 'import cupy; cupy.show_config()'", "pip list | grep -i cupy"];
const ofThisCuda = [
  fix("install the CuPy of the CUDA that is here", "pip uninstall -y cupy cupy-cuda11x cupy-cuda12x", "pip install cupy-cuda12x"),
];

/** cupy_backends/cuda/_softlink.pyx, cupy/_environment.py. */
export default [
  {
    literals: ["cupy failed to load"],
    pattern: /CuPy failed to load (?<name>[\w.+-]{3,80})(?:: \w{2,30}: (?:(?<inner>[^\s:]{1,200}): cannot open)?)?/,
    examples: [
      "RuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
    ],
    facts: ({ name, inner }) => ({
      kind: "not-found",
      name: inner ?? name!,
      by: "cupy",
      ...(inner !== undefined && inner !== name ? { wantedBy: name! } : {}),
    }),
  },
  {
    ...notice(
      "cupy-two-packages",
      "multiple cupy packages are installed",
      /CuPy may not function correctly because multiple CuPy packages are installed/,
      "UserWarning: CuPy may not function correctly because multiple CuPy packages are installed in your environment: cupy-cuda11x, cupy-cuda12x",
    ),
    means: {
      weight: weights.warned,
      name: "cupy",
      required: "one CuPy package",
      found: "several",
      next: ["pip list | grep cupy"],
      may: [
        {
          cause: "package-conflict",
          certainty: "certain",
          message: "several CuPy packages are installed over each other",
          fixes: [fix("remove all of them and install one", "pip uninstall -y cupy cupy-cuda11x cupy-cuda12x", "pip install cupy-cuda12x")],
        },
      ],
    },
  },
  notice(
    "cuda-path-missing",
    "cuda path could not be detected",
    /CUDA path could not be detected/,
    "UserWarning: CUDA path could not be detected. Set CUDA_PATH environment variable if CuPy fails to load.",
  ),
  {
    ...notice(
      "cupy-import",
      ["failed to import cupy", "cupy is not correctly installed"],
      /Failed to import CuPy\.|CuPy is not correctly installed\./,
      "ImportError: CuPy is not correctly installed. If you are using wheel distribution (cupy-cudaXX), make sure that the version of CuPy you installed matches with the version of CUDA on your host.",
    ),
    means: {
      name: "cupy",
      next: configLines,
      unless: (facts) => 0 < facts.notices("cupy-function-missing").length,
      may: [
        { cause: "wrong-wheel-cuda-version", message: "CuPy is built for another CUDA than the one here", fixes: ofThisCuda },
        { cause: "library-missing", message: "or a CUDA library that it opens is not installed" },
        { cause: "library-not-on-path", message: "or it lies where CuPy does not look" },
      ],
    },
  },
  {
    ...notice(
      "cupy-function-missing",
      "*** the requested function could not be found in the library",
      /\*\*\* The requested function could not be found in the library/,
      "AssertionError: *** The requested function could not be found in the library.",
    ),
    means: {
      name: "cupy",
      next: configLines,
      may: [
        {
          cause: "library-wrong-version",
          certainty: "likely",
          message: "a CUDA library that CuPy opened lacks a function: it is of another release than CuPy was built for",
          fixes: ofThisCuda,
        },
        { cause: "wrong-wheel-cuda-version", message: "CuPy is built for another CUDA than the one here", fixes: ofThisCuda },
      ],
    },
  },
  {
    // cupy.show_config()
    literals: ["cuda driver version  "],
    pattern: /^CUDA Driver Version {2,40}: (?<version>\d{4,5})$/,
    examples: ["CUDA Driver Version          : 12070"],
    facts: ({ version }) => ({ kind: "driver-cuda", version: dottedNumber("cudart", version!) }),
    single: true,
  },
  {
    literals: ["cuda build version  "],
    pattern: /^CUDA Build Version {2,40}: (?<version>\d{4,5})$/,
    examples: ["CUDA Build Version           : 13000"],
    facts: ({ version }) => ({ kind: "framework", id: "cupy", cuda: dottedNumber("cudart", version!) }),
    single: true,
  },
] satisfies Signature[];
