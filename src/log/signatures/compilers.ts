import { notice, type Signature } from "../signature.ts";

/** nvcc, ptxas, NVRTC, and Clang for CUDA. */
export default [
  {
    literals: ["unsupported gpu architecture"],
    pattern: /nvcc fatal {1,4}: (?:Unsupported gpu architecture|'?Unsupported gpu architecture) '(?<architecture>(?:compute|sm)_\w{2,5})'/,
    examples: ["nvcc fatal   : Unsupported gpu architecture 'compute_86'"],
    facts: ({ architecture }) => ({ kind: "arch-refused", tool: "nvcc", architecture: architecture! }),
  },
  {
    literals: ["is not defined for option"],
    pattern: /ptxas fatal {1,4}: Value '(?<architecture>sm_\w{2,5})' is not defined for option 'gpu-name'/,
    examples: ["ptxas fatal   : Value 'sm_120a' is not defined for option 'gpu-name'"],
    facts: ({ architecture }) => ({ kind: "arch-refused", tool: "ptxas", architecture: architecture! }),
  },
  {
    literals: ["unsupported .version"],
    pattern: /Unsupported \.version (?<wanted>\d{1,2}\.\d{1,2}); current version is '(?<known>\d{1,2}\.\d{1,2})'/,
    examples: ["ptxas add_kernel.ptx, line 5; fatal   : Unsupported .version 8.4; current version is '7.8'"],
    facts: ({ wanted, known }) => ({ kind: "ptx-version", wanted: wanted!, known: known! }),
  },
  {
    literals: ["invalid value for --gpu-architecture"],
    pattern: /nvrtc: error: invalid value for --gpu-architecture \(-arch\)/,
    examples: ["RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"],
    facts: () => ({ kind: "arch-refused", tool: "nvrtc" }),
  },
  notice(
    "nvrtc-builtins",
    "failed to open libnvrtc-builtins",
    /failed to open (?<subject>libnvrtc-builtins\.so\.\d{1,2}\.\d{1,2}|nvrtc-builtins64_\d{2,4}\.dll)/,
    "nvrtc: error: failed to open libnvrtc-builtins.so.12.1. Make sure that libnvrtc-builtins.so.12.1 is installed correctly.",
  ),
  notice(
    "nvcc-missing",
    "nvcc",
    /nvcc: (?:command )?not found|No such file or directory: '?[^\n']{0,120}\/nvcc'?|Could not find nvcc|nvcc was not found|Failed to find nvcc|nvcc not in path/i,
    "/bin/sh: 1: nvcc: not found",
    "FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'",
  ),
  notice(
    "host-compiler",
    "unsupported gnu version",
    /unsupported GNU version! gcc versions later than (?<found>\d{1,2})/,
    "#error -- unsupported GNU version! gcc versions later than 11 are not supported!",
  ),
  notice(
    "no-cuda-toolset",
    "cuda_toolkit_root_dir",
    /Could NOT find CUDA(?:Toolkit)? \(missing: /,
    "Could NOT find CUDA (missing: CUDA_TOOLKIT_ROOT_DIR CUDA_NVCC_EXECUTABLE CUDA_INCLUDE_DIRS CUDA_CUDART_LIBRARY)",
  ),
] satisfies Signature[];
