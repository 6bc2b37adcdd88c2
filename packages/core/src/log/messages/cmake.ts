import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** CMake: FindCUDA, FindCUDAToolkit and the CUDA language. */
export default [
  notice(
    "cmake-no-nvcc",
    ["cmake_cuda_compiler", "detect a default cuda architecture"],
    /No CMAKE_CUDA_COMPILER could be found|Failed to detect a default CUDA architecture/,
    "CMake Error: No CMAKE_CUDA_COMPILER could be found.",
  ),
  notice(
    "no-cuda-toolset",
    ["could not find cuda"],
    /Could NOT find CUDA(?:Toolkit)? \(missing: /,
    "Could NOT find CUDA (missing: CUDA_TOOLKIT_ROOT_DIR CUDA_NVCC_EXECUTABLE CUDA_INCLUDE_DIRS CUDA_CUDART_LIBRARY)",
  ),
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
      unless: (facts) => 0 < facts.notices("cmake-no-nvcc").length,
    },
  },
] satisfies Signature[];
