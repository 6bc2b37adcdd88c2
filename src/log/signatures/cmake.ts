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
] satisfies Signature[];
