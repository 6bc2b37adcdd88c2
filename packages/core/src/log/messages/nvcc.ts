import { firstToolkitFor } from "../../knowledge/host-compilers.ts";
import type { Fact } from "../fact.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { noise, notice, type Signature } from "../signature.ts";

const knownCompiler = ({ found, subject, required }: Fact<"notice">) =>
  found !== undefined
    ? `gcc up to ${found}`
    : subject !== undefined
      ? `Visual Studio ${subject}`
      : `clang before ${required ?? "this one"}`;

/** Of a gcc that is refused no more is known than that it is newer than the last one that is not. */
function newerToolkit({ found }: Fact<"notice">): string {
  const refused = found === undefined ? undefined : Number(found.split(".")[0]) + 1;
  const first = refused === undefined ? undefined : firstToolkitFor(refused);
  return first === undefined ? "" : `: CUDA ${first} or newer takes gcc ${refused}`;
}

/** nvcc and the host_config.h of its headers. */
export default [
  {
    literals: ["unsupported gpu architecture"],
    pattern: /nvcc fatal {0,4}: {0,2}'?Unsupported gpu architecture '(?<architecture>(?:compute|sm)_\d\w{1,4})/,
    examples: ["nvcc fatal   : Unsupported gpu architecture 'compute_86'"],
    facts: ({ architecture }) => ({ kind: "arch-refused", tool: "nvcc", architecture: architecture! }),
  },
  notice(
    "nvcc-missing",
    "nvcc",
    /nvcc: (?:command )?not found|No such file or directory: '?(?:[^\n']{0,120}\/)?nvcc\b'?|Could not find nvcc|nvcc was not found|Failed to find nvcc|nvcc not in path/i,
    "/bin/sh: 1: nvcc: not found",
    "FileNotFoundError: [Errno 2] No such file or directory: '/usr/local/cuda/bin/nvcc'",
    "pytools.prefork.ExecError: error invoking 'nvcc --version': [Errno 2] No such file or directory: 'nvcc'",
  ),
  {
    ...notice(
      "nvcc-without-compiler",
      "cannot find compiler",
      /nvcc fatal {0,4}: {0,2}Cannot find compiler ['"](?<subject>[\w.+-]{1,40})['"] in PATH/,
      "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH",
    ),
    means: {
      weight: weights.refused,
      required: "the compiler of the host, which nvcc calls",
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        evidence: [fact!],
        next: [fact!.subject === "cl.exe" ? "where cl" : `which ${fact!.subject}`],
      }),
      symptom: "nvcc does not find the compiler of the host",
      may: [
        {
          cause: "library-not-on-path",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `nvcc does not find \`${fact!.subject}\` on PATH, which it calls for all code of the host`,
          fixes: (_facts, _context, [fact]) => [
            fix(
              fact!.subject === "cl.exe"
                ? "build in the `x64 Native Tools Command Prompt for VS`, which puts it on PATH"
                : "put its folder on PATH, or name it to nvcc with `-ccbin`",
            ),
          ],
        },
        {
          cause: "library-missing",
          message: "or it is not installed",
          fixes: (_facts, _context, [fact]) => [
            fact!.subject === "cl.exe"
              ? fix("install Visual Studio or its Build Tools, with `Desktop development with C++`")
              : fix("install it", `sudo apt-get install ${/\+\+/.test(fact!.subject!) ? "g++" : "gcc"}`),
          ],
        },
      ],
    },
  },
  {
    ...notice(
      "host-compiler",
      ["unsupported gnu version", "unsupported microsoft visual studio version", "unsupported clang version"],
      /unsupported GNU version! gcc versions later than (?<found>\d{1,2}(?:\.\d)?)|unsupported Microsoft Visual Studio version! Only the versions (?:between )?(?<subject>20\d\d[^!\n]{0,30}?) (?:\(inclusive\) )?are supported|unsupported clang version! clang version must be less than (?<required>\d{1,2})/,
      "#error -- unsupported GNU version! gcc versions later than 11 are not supported!",
    ),
    means: {
      weight: weights.refused,
      name: "nvcc",
      required: "a toolkit that knows this compiler",
      unless: (facts) => 0 < facts.notices("cuda-home-unset", "no-cuda-toolset", "nvcc-missing", "cuda-path-missing").length,
      about: (_facts, _context, [fact]) => ({
        found: `a toolkit that knows ${knownCompiler(fact!)}`,
        evidence: [fact!],
        next: [fact!.subject === undefined ? "gcc --version; nvcc --version" : "cl; nvcc --version"],
      }),
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `the host compiler is newer than nvcc knows (${knownCompiler(fact!)})`,
          fixes: (_facts, _context, [fact]) => [
            fact!.found === undefined
              ? fix("use an older compiler")
              : fix("use an older compiler", `export CC=gcc-${fact!.found} CXX=g++-${fact!.found}`),
            fix(`or a newer toolkit${newerToolkit(fact!)}`),
          ],
        },
      ],
    },
  },
  {
    literals: ["is not defined for option 'std"],
    pattern: /nvcc fatal {1,4}: Value 'c\+\+(?<standard>\d\w)' is not defined for option 'std'/,
    examples: ["nvcc fatal   : Value 'c++17' is not defined for option 'std'"],
    // C++14 came with CUDA 9.0, C++17 with 11.0, C++20 with 12.0.
    facts: ({ standard }) => ({
      kind: "notice",
      id: "nvcc-too-old",
      ...(standard === "17" ? { required: "11.0" } : standard === "20" ? { required: "12.0" } : {}),
    }),
  },
  noise(
    "nvcc says that a later release will drop these GPUs",
    "architectures are deprecated",
    /nvcc warning {1,2}: The 'compute_\d{2}'[^\n]{0,120} architectures are deprecated/,
    "nvcc warning : The 'compute_35', 'compute_37', 'sm_35', and 'sm_37' architectures are deprecated, and may be removed in a future release",
  ),
  {
    // A build file asks a tool for the architecture of the GPU, and takes its complaint for the answer.
    ...notice(
      "nvcc-no-gpu",
      "unsupported gpu architecture",
      /Unsupported gpu architecture '(?:compute|sm)_(?!\d)(?<subject>[^'\n]{1,60})'/,
      "nvcc fatal   : Unsupported gpu architecture 'compute_No CUDA devices found.'",
    ),
    means: {
      weight: weights.said,
      name: "the build",
      required: "an architecture, such as sm_86",
      about: (_facts, _context, [fact]) => ({ found: fact!.subject! }),
      next: ["nvidia-smi -L"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "the build asks the machine for its GPU, and none is seen there: images are built without one",
          fixes: [
            fix(
              "name the architecture instead of asking for it: `-DCMAKE_CUDA_ARCHITECTURES=86` for CMake, `TORCH_CUDA_ARCH_LIST=8.6` for PyTorch's extensions",
            ),
          ],
        },
        { cause: "not-a-mismatch", message: "or the build file names an architecture that does not exist" },
      ],
    },
  },
] satisfies Signature[];
