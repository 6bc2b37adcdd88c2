import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { ownMatter } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** CMake: FindCUDA, FindCUDAToolkit and the CUDA language. */
export default [
  notice(
    "cmake-no-nvcc",
    ["cmake_cuda_compiler", "detect a default cuda architecture"],
    /No CMAKE_CUDA_COMPILER could be found|Failed to detect a default CUDA architecture/,
    "CMake Error: No CMAKE_CUDA_COMPILER could be found.",
  ),
  noise(
    "PyTorch's CMake files look for a digest of NVRTC's name, which only its own packages need; the build goes on",
    "failed to compute shorthash",
    /Failed to compute shorthash for libnvrtc/,
    "Failed to compute shorthash for libnvrtc.so",
  ),
  notice(
    // Visual Studio without the toolkit's part for it.
    "no-studio-integration",
    ["no cuda toolset found", "cuda.targets", "cuda.props", ".props"],
    /No CUDA toolset found|\bCUDA \d{1,2}\.\d{1,2}\.(?:props|targets)["'\u201d]? was not found|imported project "[^"\n]{1,200}\bCUDA \d{1,2}\.\d{1,2}\.(?:props|targets)" was not found/,
    "CMake Error at CMakeDetermineCompilerId.cmake:491 (message): No CUDA toolset found.",
    'error MSB4019: The imported project "C:\\VC\\BuildCustomizations\\CUDA 11.3.props" was not found.',
  ),
  notice(
    "no-cuda-toolset",
    ["could not find cuda", "looking for a cuda compiler - notfound", "does not find the cuda", "nvcc-notfound"],
    /Could NOT find CUDA(?:Toolkit)? \(missing: |\bCould not find CUDA(?: ?Toolkit)?[.!](?:\s|$)|Looking for a CUDA compiler - NOTFOUND|\b(?:does|did) not find the CUDA (?:SDK|toolkit)\b|\bNVCC-NOTFOUND\b/i,
    "Could NOT find CUDA (missing: CUDA_TOOLKIT_ROOT_DIR CUDA_NVCC_EXECUTABLE CUDA_INCLUDE_DIRS CUDA_CUDART_LIBRARY)",
    "  Could not find CUDA.  Before continuing, please download and install CUDA",
    "-- Looking for a CUDA compiler - NOTFOUND",
    "-- Executing NVCC-NOTFOUND --version resulted in error: 1",
  ),
  {
    ...notice(
      "of-visual-studio",
      "building for: visual studio",
      /-- Building for: Visual Studio (?<found>\d{1,2} 20\d\d)/,
      "-- Building for: Visual Studio 16 2019",
    ),
    single: true,
  },
  {
    literals: ["cuda detected", "found cuda", "cuda compiler identification"],
    pattern:
      /-- (?:CUDA detected: |Found CUDA(?:Toolkit)?: [^\n]{1,200}?\(found (?:suitable )?version "|The CUDA compiler identification is NVIDIA )(?<version>\d{1,2}\.\d{1,2})/,
    examples: [
      "-- CUDA detected: 10.2",
      '-- Found CUDA: /usr/local/cuda (found suitable version "11.0", minimum required is "7.5")',
      "-- The CUDA compiler identification is NVIDIA 12.4.131",
    ],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "nvcc" }),
  },
  {
    // CMakeDetermineCompilerId.cmake compiles a file of its own to know the compiler: what went wrong in it stands in another file.
    ...notice(
      "cmake-nvcc-unknown",
      ["cuda compiler identification is unknown", "cuda compiler identification source file", "cuda compiler identification could not"],
      /The CUDA compiler identification is unknown|Compiling the CUDA compiler identification source file|The CUDA compiler identification could not be determined/i,
      "-- The CUDA compiler identification is unknown",
      "Compiling the CUDA compiler identification source file",
    ),
    means: {
      weight: weights.failed,
      symptom: "CMake's first try with nvcc fails, so that it does not know the compiler",
      // What the compiler itself said in the try decides.
      unless: (facts) =>
        ["arch-refused", "tool-age", "built-with", "not-found", "ptx-version"].some((kind) => facts.has(kind as "not-found")) ||
        0 <
          facts.notices("cmake-no-nvcc", "no-cuda-toolset", "nvcc-missing", "host-compiler", "link-archive", "host-compiler-unknown")
            .length,
      name: "nvcc",
      required: "an nvcc that compiles an empty program",
      about: (_facts, { toolkits }) => (toolkits[0] ? { found: `nvcc beside CUDA ${toolkits[0].version}` } : {}),
      next: ["which -a nvcc; ls -d /usr/local/cuda*", "tail -n 60 CMakeFiles/CMakeError.log CMakeFiles/CMakeConfigureLog.yaml"],
      may: [
        {
          cause: "cuda-home-wrong",
          message: "CMake takes another nvcc than the one that is meant: the first on PATH, or /usr/local/cuda",
          fixes: (facts, { toolkits, conda }) => {
            const release = toolkits[0]?.version.split(".").slice(0, 2).join(".");
            // Who has his toolkit from one of these has it in no usual place.
            const own = conda || facts.everything().some(({ at }) => /\b(?:spack|easybuild|modules?|nvhpc)\b/i.test(at.text));
            return [
              own
                ? fix(
                    "load the one that is meant (`spack load cuda`, `module load cuda`, `conda activate`), then name it, in an empty build folder",
                    'export CUDACXX="$(which nvcc)"',
                  )
                : fix(
                    "name the right one, in an empty build folder: CMake remembers its first answer",
                    `export CUDACXX=/usr/local/cuda${release === undefined ? "" : `-${release}`}/bin/nvcc`,
                  ),
            ];
          },
        },
        {
          cause: "toolkit-too-old",
          message: "or nvcc refuses the C++ compiler of the system, which is newer than it knows",
          fixes: [fix("give it an older one: `-DCMAKE_CUDA_HOST_COMPILER=/usr/bin/g++-11`, in an empty build folder")],
        },
        {
          cause: "library-missing",
          message: "or parts of the toolkit are not installed, without which nothing is linked (libcudart_static.a, cicc, headers)",
          fixes: [],
        },
        { cause: "not-a-mismatch", message: "or the C++ compiler itself does not work; the file of errors says which", fixes: [] },
      ],
    },
  },
  {
    // select_compute_arch.cmake of FindCUDA, and PyTorch's copy of it.
    ...notice(
      "cmake-unknown-arch",
      "unknown cuda architecture name",
      /Unknown CUDA Architecture Name (?<subject>[\w.+()]{2,20}) in CUDA_SELECT_NVCC_ARCH_FLAGS/,
      "Unknown CUDA Architecture Name 12.1(2.0) in CUDA_SELECT_NVCC_ARCH_FLAGS",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({
        name: "CMake's list of architectures",
        required: `a build that knows ${fact!.subject!.replace(/\(.*$/, "")}`,
        found: "a list that ends before it",
      }),
      next: ["cmake --version; nvcc --version", "echo $TORCH_CUDA_ARCH_LIST"],
      may: [
        {
          cause: "arch-unsupported",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the build's own list of architectures (FindCUDA of CMake or of PyTorch) is older than this GPU: it does not know ${fact!.subject!.replace(/\(.*$/, "")}`,
          fixes: [
            fix(
              "name the newest that it knows, with PTX, which newer GPUs translate for themselves",
              'export TORCH_CUDA_ARCH_LIST="9.0+PTX"',
            ),
            fix("or take a newer release of the project, or of CMake and PyTorch, whose lists have it"),
          ],
        },
        { cause: "toolkit-too-old", message: "or the toolkit is too old for it as well" },
        { cause: "upstream-bug", message: "so the project does not support this GPU yet" },
      ],
    },
  },
  {
    ...notice(
      "cmake-arch-empty",
      ["cmake_cuda_architectures must be", "cuda_architectures is", "but no nvidia gpu was detected"],
      /CMAKE_CUDA_ARCHITECTURES must be (?:non-empty|valid) if set|CUDA_ARCHITECTURES is (?:empty for target|set to "native", but no)/,
      "CMAKE_CUDA_ARCHITECTURES must be non-empty if set.",
    ),
    means: {
      ...ownMatter(
        "CMAKE_CUDA_ARCHITECTURES",
        "CMake was told no architecture, mostly because it kept an empty answer of an earlier try, or saw no GPU",
        "remove the build folder, and name the GPU's own: `-DCMAKE_CUDA_ARCHITECTURES=86` (without the dot of its capability)",
      ),
      weight: weights.failed,
      unless: (facts) => 0 < facts.notices("cmake-no-nvcc", "cmake-nvcc-unknown").length,
    },
  },
] satisfies Signature[];
