import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** CUDA.jl (src/initialization.jl). */
export default [
  {
    // CUDA.jl/deps/bindeps.jl of 1.x and 2.x.
    literals: ["this functionality is unavaila"],
    pattern: /This functionality is unavailabl?e as (?<name>CUDNN|CUTENSOR|CUBLASMG|CUSOLVERMG|CUTENSORNET) is missing/,
    examples: ["AssertionError: This functionality is unavailabe as CUDNN is missing."],
    facts: ({ name }) => ({ kind: "not-found", name: `lib${name!.toLowerCase()}.so`, by: "julia" }),
  },
  {
    // Pkg's resolver.
    ...notice(
      "julia-unsatisfiable",
      ["unsatisfiable requirements detected", "conflicts with this version"],
      /Unsatisfiable requirements detected for package (?<subject>\w{0,20}CUDA\w{0,20}|cuDNN|cuTENSOR|Flux|NNlib\w{0,8}|GPU\w{2,20}|KernelAbstractions)\b|(?<found>\w{0,20}CUDA|cuDNN|cuTENSOR|Flux)(?:\.jl)? conflicts with this version/,
      "ERROR: Unsatisfiable requirements detected for package cuDNN [02a925ec]:",
      "CUDA.jl@5.8.3 requires CUDA_Runtime_Discovery ==1; but cuDNN.jl conflicts with this version.",
    ),
    means: {
      weight: weights.refused + 1,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject ?? fact!.found ?? "a package",
        evidence: [fact!],
        next: ["julia -e 'using Pkg; Pkg.status()'"],
      }),
      required: "releases that allow each other",
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "Julia's package manager finds no releases of these packages that allow each other",
          fixes: [
            fix("update all of them together, in an environment of their own", "julia -e 'using Pkg; Pkg.update()'"),
            fix("or wait for the release of the package that holds the others back: its Project.toml names the bounds"),
          ],
        },
        { cause: "upstream-bug", message: "or one of them has not been published for this release yet", fixes: [] },
        { cause: "library-wrong-version", message: "so what is installed is of another release", fixes: [] },
      ],
    },
  },
  {
    // CUDA_Runtime_Discovery.jl
    literals: ["in your local cuda installation"],
    pattern: /Could not find (?:library|binary) '(?<name>\w{2,30})' in your local CUDA installation/,
    examples: ["Could not find library 'nvToolsExt' in your local CUDA installation."],
    facts: ({ name }) => ({ kind: "not-found", name: `lib${name}.so`, by: "CUDA.jl" }),
  },
  notice(
    "julia-packages",
    [".julia/packages", ".julia\\packages", ".julia/artifacts", ".julia\\artifacts"],
    /\.julia[\\/](?:packages|artifacts)[\\/]/,
    "└ @ cuDNN ~/.julia/packages/cuDNN/3NrK1/src/cuDNN.jl:147",
  ),
  notice(
    "julia-other-runtime",
    "but cuda.jl was precompiled for",
    /You are using (?:a local )?CUDA (?<found>\d{1,2}\.\d{1,2})(?:\.\d{1,3})?(?: toolkit)?, but CUDA\.jl was precompiled for CUDA (?<required>\d{1,2}\.\d{1,2})/,
    "Error: You are using a local CUDA 12.4.0 toolkit, but CUDA.jl was precompiled for CUDA 12.6.0. This is unsupported.",
    "Error: You are using CUDA 12.4.0, but CUDA.jl was precompiled for CUDA 12.6.0.",
  ),
  notice(
    "julia-system-library",
    "was loaded from a system path",
    /CUDA runtime library `(?<subject>[\w.+-]{3,60})` was loaded from a system path, [`'](?<found>[^`'\n]{3,200})[`']/,
    "Warning: CUDA runtime library `libcublasLt.so.12` was loaded from a system path, `/usr/local/cuda/lib64/libcublasLt.so.12`.",
  ),
  {
    literals: ["this version of cuda.jl only supports nvidia drivers for cuda"],
    pattern:
      /This version of CUDA\.jl only supports NVIDIA drivers for CUDA (?<required>\d{1,2})(?:\.[\dx]{1,2})?[^\n]{0,40}\(yours is for CUDA (?<found>\d{1,2}\.\d{1,2})/,
    examples: ["Error: This version of CUDA.jl only supports NVIDIA drivers for CUDA 11.x or 12.x (yours is for CUDA 10.2.0)"],
    // It also refuses drivers that are newer than itself.
    facts: ({ required, found }) =>
      Number(found!.split(".")[0]) < Number(required) ? { kind: "notice", id: "driver-too-old", found: found! } : undefined,
  },
  {
    literals: ["is not supported by your driver", "is not supported by"],
    pattern: /CUDA (?<required>\d{1,2}\.\d{1,2}) is not supported by your driver \(which supports up to (?<found>\d{1,2}\.\d{1,2})\)/,
    examples: ["ERROR: LoadError: CUDA 10.0 is not supported by your driver (which supports up to 9.0)"],
    facts: ({ required, found }) => ({ kind: "notice", id: "julia-driver", found: found!, required: required! }),
  },
  {
    literals: ["the nvidia driver on this system only supports up to cuda"],
    pattern:
      /The NVIDIA driver on this system only supports up to CUDA (?<found>\d{1,2}\.\d{1,2})[\d.]{0,4}\.?(?:[^\n]{0,100} supports CUDA (?<required>\d{1,2}\.\d{1,2}) or higher)?/,
    examples: [
      "Warning: The NVIDIA driver on this system only supports up to CUDA 11.0.0. For performance reasons, it is recommended to upgrade to a driver that supports CUDA 11.2 or higher.",
    ],
    facts: ({ found, required }) => ({
      kind: "notice",
      id: "julia-driver",
      found: found!,
      ...(required === undefined ? {} : { required }),
    }),
  },
  notice(
    "julia-artifact",
    ["could not find cu", "assertionerror: isfile(__"],
    /Could not find (?<subject>cu\w{2,20}) \([^)\n]{0,200}\) in [^\n]{0,200}[\\/]artifacts[\\/]|AssertionError: isfile\(__(?<found>\w{3,20})\[\]\)/,
    "ERROR: Could not find cublasLt (cublasLt64_115.dll, cublasLt64_11.dll) in C:\\Users\\u\\.julia\\artifacts\\8c7ad41f\\bin",
    "AssertionError: isfile(__nvdisasm[])",
  ),
  notice(
    "julia-unknown-toolkit",
    "cuda.jl does not yet support cuda",
    /CUDA\.jl does not yet support CUDA(?: with nvdisasm)? (?<found>\d{1,2}\.\d{1,2})/,
    "CUDA.jl does not yet support CUDA with nvdisasm 11.2.135",
  ),
  notice(
    "julia-no-runtime",
    "cuda.jl could not find an appropriate cuda runtime",
    /CUDA\.jl could not find an appropriate CUDA runtime to use|No CUDA Runtime library found/,
    "Error: CUDA.jl could not find an appropriate CUDA runtime to use.",
  ),
  {
    literals: ["cuda driver not found", "cuda driver not functional"],
    pattern: /(?:ERROR: |error: )?CUDA driver not (?:found|functional)$/,
    examples: ["ERROR: CUDA driver not found"],
    facts: () => ({ kind: "notice", id: "no-driver" }),
  },
  {
    literals: ["is not compatible with any supported cuda toolkit"],
    pattern: /CUDA driver (?<found>\d{1,2}\.\d{1,2})[\d.]{0,4} is not compatible with any supported CUDA toolkit/,
    examples: ["Error: CUDA driver 10.1.0 is not compatible with any supported CUDA toolkit (11.4.4, 11.5.2)"],
    facts: ({ found }) => ({ kind: "notice", id: "driver-too-old", found: found! }),
  },
] satisfies Signature[];
