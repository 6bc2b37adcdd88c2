import { compareDotted } from "../../knowledge/dotted.ts";
import { firstToolkitFor, firstToolkitForStudio } from "../../knowledge/host-compilers.ts";
import type { Fact } from "../fact.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** Either gives way: the host's compiler, or the toolkit that does not know it. */
function compilerSides(
  fact: Fact<"notice">,
  gcc: Fact<"notice"> | undefined,
  toolkit: Fact<"toolkit"> | undefined,
): { required: string; found: string } {
  const knows = `a toolkit that knows ${knownCompiler(fact)}${toolkit ? ` (CUDA ${toolkit.version})` : ""}`;
  return {
    required: `a toolkit that knows this compiler${fact.found === undefined ? "" : `, or gcc ${fact.found} or older`}`,
    found: gcc ? `gcc ${gcc.found} and ${knows}` : knows,
  };
}

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

/** Numbers of Visual Studio's compiler (`_MSC_VER`): 2022 changed its own with 17.10, and 2026 is the next. */
const studios = [
  { name: "Visual Studio 2022 from 17.10 on", msvc: 1940, toolset: "v143 (v14.39-17.9)", option: "14.39" },
  { name: "Visual Studio 2026", msvc: 1950, toolset: "v143 (v14.44-17.14)", option: "14.44" },
];

/** Which Visual Studio is refused is not said: any that is newer than what the toolkit takes. */
function ofStudio(years: string, toolkit: string | undefined) {
  const refused = years.includes("2022")
    ? studios.flatMap((studio) => {
        const first = firstToolkitForStudio(studio.msvc);
        return first === undefined || (toolkit !== undefined && compareDotted(first, toolkit) <= 0) ? [] : { ...studio, first };
      })
    : [];
  const [oldest] = refused;
  return [
    oldest
      ? fix(
          `take ${refused.map(({ name, first }) => `CUDA ${first} or newer for ${name}`).join(", ")}; or add the older toolset \`MSVC ${oldest.toolset}\` in the Visual Studio Installer, and start its prompt with it`,
          `vcvarsall.bat x64 -vcvars_ver=${oldest.option}`,
        )
      : fix("take a newer toolkit, or the build tools of a Visual Studio that it knows"),
    fix("or let nvcc try with this one, which mostly works and is not supported", "set NVCC_APPEND_FLAGS=-allow-unsupported-compiler"),
  ];
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
    // Nobody else says it so: people put it into a title without who said it.
    literals: ["unsupported gpu arch"],
    pattern: /\bUnsupported gpu arch(?:itecture)?:? ['"`]?(?<kind>compute|sm)_?(?<number>\d{2,3}[a-z]?)\b/i,
    examples: ["nvcc fatal   : Unsupported gpu architecture 'compute_86'", "Build fails: unsupported gpu arch compute89"],
    facts: ({ kind, number }) => ({ kind: "arch-refused", tool: "nvcc", architecture: `${kind!.toLowerCase()}_${number}` }),
  },
  {
    // Build scripts in Rust that ask nvcc for its list first (candle-kernels, bindgen_cuda).
    literals: ["cannot target gpu arch"],
    pattern: /nvcc cannot target gpu arch (?<number>\d{2,3}[a-z]?)\b/,
    examples: ["thread 'main' panicked at 'nvcc cannot target gpu arch 89. Available nvcc targets are [50, 52, 60, 61, 70, 75, 80, 86].'"],
    facts: ({ number }) => ({ kind: "arch-refused", tool: "nvcc", architecture: `compute_${number}` }),
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
      /unsupported GNU version!? gcc versions later than (?<found>\d{1,2}(?:\.\d)?)|unsupported Microsoft Visual Studio version! Only the versions (?:between )?(?<subject>20\d\d[^!\n]{0,30}?) (?:\(inclusive\) )?are supported|unsupported clang version! clang version must be less than (?<required>\d{1,2})/,
      "#error -- unsupported GNU version! gcc versions later than 11 are not supported!",
    ),
    means: {
      weight: weights.refused,
      name: "nvcc",
      unless: (facts) =>
        0 < facts.notices("cuda-home-unset", "no-cuda-toolset", "nvcc-missing", "cmake-no-nvcc", "cuda-path-missing").length,
      about: (facts, { toolkits }, [fact]) => ({
        ...compilerSides(fact!, facts.notices("gcc-here")[0], toolkits.length === 1 ? toolkits[0] : undefined),
        evidence: [fact!],
        next: [fact!.subject === undefined ? "gcc --version; nvcc --version" : "cl; nvcc --version"],
      }),
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `the host compiler is newer than nvcc knows (${knownCompiler(fact!)})`,
          fixes: (_facts, { toolkits }, [fact]) => [
            ...(fact!.subject === undefined ? [] : ofStudio(fact!.subject, toolkits.length === 1 ? toolkits[0]!.version : undefined)),
            ...(fact!.found === undefined
              ? fact!.subject === undefined
                ? [fix("use an older compiler")]
                : []
              : [
                  fix(
                    `use an older compiler (the package \`g++-${fact!.found}\`): a build by CMake takes the last of these, others the first two`,
                    `export CC=gcc-${fact!.found} CXX=g++-${fact!.found} CUDAHOSTCXX=g++-${fact!.found}`,
                  ),
                ]),
            ...(fact!.subject === undefined ? [fix(`or a newer toolkit${newerToolkit(fact!)}`)] : []),
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
      /Unsupported gpu architecture '(?:compute|sm)_(?!\d|native)(?<subject>[^'\n]{1,60})'/,
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
    // `native` is a word of CMake's since 3.24, which older ones hand on as a number would be; nvcc's own `-arch=native` came with CUDA 11.5
    // update 1, and is among the features of 11.6 (NVIDIA's CUDA Features Archive).
    ...notice(
      "arch-native",
      ["_native'", "value 'native'"],
      /Unsupported gpu architecture '(?:compute|sm)_(?<subject>native)'|Value '(?<found>native)' is not defined for option 'gpu-(?:architecture|code)'/,
      "nvcc fatal   : Unsupported gpu architecture 'compute_native'",
      "nvcc fatal   : Value 'native' is not defined for option 'gpu-architecture'",
    ),
    means: {
      weight: weights.said,
      about: (_facts, { toolkits }, [fact]) =>
        fact!.subject === undefined
          ? { name: "nvcc", required: "CUDA 11.6 or newer", found: toolkits[0] ? `CUDA ${toolkits[0].version}` : "an older nvcc" }
          : { name: "CMake", required: "CMake 3.24 or newer", found: "an older CMake" },
      next: ["cmake --version; which -a nvcc; nvcc --version", "nvidia-smi --query-gpu=compute_cap --format=csv"],
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            fact!.subject === undefined
              ? "this nvcc does not know `-arch=native`, which came with CUDA 11.6"
              : "this CMake does not know `native`, which came with 3.24, and hands it to nvcc as if it were an architecture",
          fixes: (_facts, _context, [fact]) => [
            fix(
              `name the GPU's own architecture instead${fact!.subject === undefined ? " (`-arch=sm_86`)" : ", in an empty build folder: `-DCMAKE_CUDA_ARCHITECTURES=86`"}: its compute capability without the dot; this shows it:`,
              "nvidia-smi --query-gpu=compute_cap --format=csv",
            ),
            fact!.subject === undefined
              ? fix("or build with CUDA 11.6 or newer; packages of the distribution are often older than NVIDIA's")
              : fix("or take a newer CMake", "pip install -U cmake"),
          ],
        },
        { cause: "cuda-home-wrong", message: "or a newer toolkit is installed, and PATH or CUDA_HOME selects the old one" },
        { cause: "not-a-mismatch", message: "or the build file writes `native` where only numbers may stand" },
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
