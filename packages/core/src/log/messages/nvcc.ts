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

/** Options of nvcc by the CUDA that brought them (NVIDIA's release notes and the documentation of nvcc). */
const optionsSince: [name: string, since: string][] = [
  ["generate-dependencies-with-compile", "10.2"],
  ["std=c++17", "11.0"],
  ["std=c++20", "12.0"],
  ["threads", "11.2"],
];

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
      unless: (facts) =>
        0 < facts.notices("cuda-home-unset", "no-cuda-toolset", "nvcc-missing", "cmake-no-nvcc", "cuda-path-missing").length,
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
  {
    // What nvcc asks the compiler of the host about itself (macros of its version, its system), and gets no answer that it knows.
    ...notice(
      "host-compiler-unknown",
      [
        "host compiler targets unsupported os",
        "of the host compiler (",
        "detect host compiler properties",
        "preprocess host compiler properties",
        "configuration file 'vcvars",
        "set up the environment for microsoft visual studio",
      ],
      /nvcc fatal {0,4}: {0,2}(?:Host compiler targets unsupported OS|The version \('(?<required>\d{3,6})'\) of the host compiler \('(?<subject>[\w +.-]{2,30})'\) is not supported|Failed to (?:detect|preprocess) host compiler properties|Visual Studio configuration file 'vcvars\w{0,8}\.bat' could not be found|Could not set up the environment for Microsoft Visual Studio)/,
      "nvcc fatal   : Host compiler targets unsupported OS.",
      "nvcc fatal   : The version ('90000') of the host compiler ('Apple clang') is not supported",
      "nvcc fatal   : Failed to preprocess host compiler properties.",
      "nvcc fatal   : Could not set up the environment for Microsoft Visual Studio using 'C:/VS/VC/Auxiliary/Build/vcvars64.bat'",
    ),
    means: {
      weight: weights.said,
      name: "nvcc",
      required: "a compiler of the host that this nvcc knows",
      unless: (facts) => 0 < facts.notices("host-compiler").length,
      about: (facts, { toolkits }, [fact]) => ({
        found:
          fact!.subject === undefined
            ? toolkits[0]
              ? `CUDA ${toolkits[0].version}`
              : "another one"
            : `${fact!.subject} ${fact!.required}`,
        evidence: [fact!],
        next: [facts.on("windows") ? "where cl; nvcc --version" : "which -a gcc g++ cc; gcc --version; nvcc --version"],
      }),
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          message: "nvcc does not know the compiler that it was given: it is newer than this CUDA, or of another kind",
          fixes: (facts) => [
            facts.on("windows")
              ? fix("build in the `x64 Native Tools Command Prompt` of a Visual Studio that this CUDA supports, or install a newer CUDA")
              : fix(
                  "give nvcc a gcc that this CUDA supports: `nvcc -ccbin`, or `CC` and `CXX` for a build of pip; or install a newer CUDA",
                ),
          ],
        },
        {
          cause: "library-not-on-path",
          message: "or a compiler of another system (conda's, MinGW's, a 32-bit one) stands first on PATH, or its own parts are not found",
          fixes: (facts) => [
            facts.on("windows")
              ? fix("look which `cl.exe` comes first, and start from the `x64 Native Tools Command Prompt`", "where cl")
              : fix(
                  "name the system's compiler outright",
                  "export CC=/usr/bin/gcc CXX=/usr/bin/g++ NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++'",
                ),
          ],
        },
        { cause: "not-a-mismatch", message: "or the compiler itself does not start: run it alone", fixes: [] },
      ],
    },
  },
  {
    // An option that came with a later release.
    literals: ["unknown option '"],
    pattern: /nvcc fatal {0,4}: {0,2}Unknown option '(?<option>[\w=+-]{2,60})'/,
    examples: ["nvcc fatal   : Unknown option '-generate-dependencies-with-compile'", "nvcc fatal   : Unknown option 'std=c++17'"],
    facts: ({ option }) => {
      const since = optionsSince.find(([name]) => option!.includes(name))?.[1];
      return { kind: "notice", id: "nvcc-too-old", subject: option!, ...(since === undefined ? {} : { required: since }) };
    },
  },
  {
    literals: ["is not defined for option 'gpu-"],
    pattern: /nvcc fatal {1,4}: Value '(?<architecture>(?:compute|sm)_\d{2,3}[af]?)' is not defined for option 'gpu-(?:architecture|code)'/,
    examples: ["nvcc fatal   : Value 'sm_86' is not defined for option 'gpu-architecture'"],
    facts: ({ architecture }) => ({ kind: "arch-refused", tool: "nvcc", architecture: architecture! }),
  },
] satisfies Signature[];
