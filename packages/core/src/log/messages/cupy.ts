import { weights } from "../cause.ts";
import { majorOf } from "../context.ts";
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
    // cupy/cuda/compiler.pyx and Jitify: NVRTC, its builtins and the headers must be of one CUDA.
    ...notice(
      "cupy-jitify",
      "jitifyexception",
      /JitifyException: Runtime compilation failed|\bJitifyException\b/,
      "cupy.cuda.compiler.JitifyException: Runtime compilation failed",
    ),
    means: {
      weight: weights.hint + 1,
      symptom: "CuPy cannot compile a kernel at run time",
      name: "libnvrtc.so",
      library: "nvrtc",
      required: "NVRTC, its builtins and the headers of one CUDA",
      unless: (facts) => facts.has("not-found") || facts.has("cuda-error") || facts.has("version-pair"),
      about: (_facts, { toolkits }) =>
        1 < toolkits.length ? { found: `CUDA ${toolkits.map(({ version }) => version).join(" and ")}` } : {},
      next: ['python -c "import cupy; cupy.show_config()"', "echo $LD_LIBRARY_PATH $CUDA_PATH"],
      may: [
        {
          cause: "library-shadowed",
          message: "parts of two CUDAs meet: the NVRTC of one is found before that of the other",
          fixes: [fix("let the paths name one CUDA alone, that of the CuPy which is installed")],
        },
        { cause: "library-wrong-version", message: "or CUDA_PATH names headers of another CUDA than CuPy was built for" },
        { cause: "package-conflict", message: "or two CuPys, or one for another CUDA, are installed" },
        { cause: "not-a-mismatch", name: "the program", message: "or the kernel itself does not compile: the lines above name its error" },
      ],
    },
  },
  {
    // thinc/util.py, which reaches the GPU through CuPy.
    ...notice(
      "thinc-no-gpu",
      "gpu is not accessible",
      /GPU is not accessible\. Was the library installed correctly\?/,
      "ValueError: GPU is not accessible. Was the library installed correctly?",
    ),
    means: {
      weight: weights.failed,
      symptom: "spaCy and thinc reach no GPU",
      name: "cupy",
      next: ['python -c "import cupy; cupy.show_config(); print(cupy.zeros(3).sum())"'],
      about: (_facts, { toolkits: [toolkit] }) => (toolkit ? { required: `CuPy and CUDA's libraries of CUDA ${toolkit.version}` } : {}),
      may: [
        {
          cause: "library-missing",
          message: "CuPy, or a library of CUDA that it opens, is not there; importing it alone says which",
          fixes: [fix("import CuPy alone: its own error names what it misses")],
        },
        { cause: "wrong-wheel-cuda-version", message: "or the CuPy that is installed is for another CUDA than the one here" },
        { cause: "package-conflict", message: "or two CuPys are installed beside each other, or one for another thinc" },
        { cause: "library-not-on-path", message: "or the libraries lie where the loader does not look" },
        { cause: "driver-not-exposed", name: "libcuda.so.1", message: "or no driver reaches the process" },
      ],
    },
  },
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
          fixes: (_facts, { driverCuda, image, toolkits }) => {
            const cuda = toolkits[0]?.version ?? image?.cuda ?? driverCuda?.version;
            const known = cuda === undefined ? undefined : majorOf(cuda);
            return [
              fix(
                `remove all of them and install the one for the CUDA that is used${known === undefined ? " (12 in this line)" : ""}`,
                "pip uninstall -y cupy cupy-cuda11x cupy-cuda12x cupy-cuda13x",
                `pip install cupy-cuda${known !== undefined && 11 <= Number(known) ? known : "12"}x`,
              ),
            ];
          },
        },
      ],
    },
  },
  {
    ...notice("cupy-build", "cupy-cuda", /\bcupy-cuda(?<subject>\d{2,3}x?)\b/, "the container has cupy-cuda92"),
    every: true,
    single: true,
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
      /Failed to import CuPy\.|CuPy is not correctly installed\b/,
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
