import { notice, type Signature } from "../signature.ts";

/** nvcc, ptxas, NVRTC, and Clang for CUDA. */
export default [
  {
    literals: ["unsupported gpu architecture"],
    pattern: /nvcc fatal {1,4}: '?Unsupported gpu architecture '(?<architecture>(?:compute|sm)_\w{2,5})/,
    examples: ["nvcc fatal   : Unsupported gpu architecture 'compute_86'"],
    facts: ({ architecture }) => ({ kind: "arch-refused", tool: "nvcc", architecture: architecture! }),
  },
  {
    literals: ["is not defined for option"],
    // Triton brings a second ptxas under another name.
    pattern:
      /(?<tool>ptxas|nvcc)(?:-\w{2,20})? fatal {0,4}: Value '(?<architecture>(?:compute|sm)_\w{2,5})' is not defined for option 'gpu-(?:name|architecture|code)'/,
    examples: [
      "ptxas fatal   : Value 'sm_120a' is not defined for option 'gpu-name'",
      "ptxas-blackwell fatal   : Value 'sm_110a' is not defined for option 'gpu-name'",
      "nvcc fatal   : Value 'sm_86' is not defined for option 'gpu-architecture'",
    ],
    facts: ({ tool, architecture }) => ({ kind: "arch-refused", tool: tool === "nvcc" ? "nvcc" : "ptxas", architecture: architecture! }),
  },
  {
    // What ptxas said is often lost; that it was called, for which GPU, and gave up is left.
    literals: ["returned non-zero exit status 255"],
    pattern: /\/ptxas(?:-\w{2,20})?'[^\n]{0,120}--gpu-name=(?<subject>sm_\w{2,5})'[^\n]{0,400}returned non-zero exit status 255/,
    examples: [
      "subprocess.CalledProcessError: Command '['/opt/venv/triton/backends/nvidia/bin/ptxas', '-lineinfo', '-v', '--gpu-name=sm_120', '/tmp/a.ptx', '-o', '/tmp/a.ptx.o']' returned non-zero exit status 255.",
    ],
    facts: ({ subject }) => ({ kind: "notice", id: "ptxas-gave-up", subject: subject! }),
  },
  {
    literals: ["unsupported .version"],
    // A compiler names the file; the linker within the driver, or nvJitLink, has none and says "application ptx input".
    pattern:
      /(?:(?<linker>application ptx input), line \d{1,6}; fatal {0,4}: )?Unsupported \.version (?<wanted>\d{1,2}\.\d{1,2}); current version is '(?<known>\d{1,2}\.\d{1,2})'/,
    examples: [
      "ptxas add_kernel.ptx, line 5; fatal   : Unsupported .version 8.4; current version is '7.8'",
      "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'",
    ],
    facts: ({ linker, wanted, known }) => ({
      kind: "ptx-version",
      wanted: wanted!,
      known: known!,
      ...(linker === undefined ? {} : { linker: true as const }),
    }),
  },
  {
    literals: ["invalid value for --gpu-architecture"],
    pattern: /nvrtc: error: invalid value for --gpu-architecture \(-arch\)/,
    examples: ["RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"],
    facts: () => ({ kind: "arch-refused", tool: "nvrtc" }),
  },
  notice(
    "nvjitlink-failed",
    "nvjitlink_error_ptx_compile",
    /NVJITLINK_ERROR_PTX_COMPILE/,
    "pynvjitlink.api.NvJitLinkError: NVJITLINK_ERROR_PTX_COMPILE error when calling nvJitLinkAddData",
  ),
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
    "nvcc-missing",
    ["cmake_cuda_compiler", "detect a default cuda architecture"],
    /No CMAKE_CUDA_COMPILER could be found|Failed to detect a default CUDA architecture/,
    "CMake Error: No CMAKE_CUDA_COMPILER could be found.",
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
