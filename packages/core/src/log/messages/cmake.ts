import { notice, type Signature } from "../signature.ts";

/** CMake: FindCUDA, FindCUDAToolkit and the CUDA language. */
export default [
  notice(
    "nvcc-missing",
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
] satisfies Signature[];
