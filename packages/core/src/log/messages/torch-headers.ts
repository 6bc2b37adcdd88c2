import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

const releaseIn = (facts: Facts) => facts.all("framework").find(({ id, version }) => id === "torch" && version !== undefined)?.version;

/**
 * Compilers, where the sources of an extension were written for another release of PyTorch than the one whose headers they include: what was
 * taken out of them (THC with 1.11, AT_CHECK with 1.5, Tensor.data<T>() and .type() since 2), and the C++ that they ask for.
 */
export default [
  {
    ...notice(
      "sources-of-other-torch",
      [
        "thc/thc",
        "th/th.h",
        "at_check",
        "thcstate",
        "has no member",
        "deprecatedtypeproperties",
        "no member named",
        "no suitable conversion function from",
      ],
      /fatal error[^\n]{0,40}: ['"]?(?<subject>TH[C]?\/TH[\w./]{1,40}\.c?u?h)|(?:identifier ["'‘](?<identifier>AT_CHECK|THCState|THCudaCheck|THCudaMalloc|THCCeilDiv|THArgCheck)["'’] is undefined|['"‘](?<undeclared>AT_CHECK|THCState|THCudaCheck|THCudaMalloc|THCCeilDiv|TORCH_CHECK)['"’] (?:was not declared|is not a member))|namespace ["'‘](?:at|c10|torch)[\w:]{0,30}["'’] has no member ["'‘](?<member>\w{2,60})|no suitable conversion function from ["'‘](?:const )?at::DeprecatedTypeProperties["'’]/,
      "fatal error: THC/THC.h: No such file or directory",
      "error: ‘AT_CHECK’ was not declared in this scope",
      'error: namespace "at" has no member "cuda"',
      "error: no suitable conversion function from ‘const at::DeprecatedTypeProperties’ to ‘c10::ScalarType’ exists",
    ),
    means: {
      weight: weights.said,
      name: "the sources of the extension",
      about: (facts, _context, [fact]) => ({
        required: "an older PyTorch, for which they were written",
        found: releaseIn(facts) === undefined ? "a newer one" : `PyTorch ${releaseIn(facts)}`,
        evidence: [fact!],
      }),
      next: ['python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "the sources use what this release of PyTorch no longer has: they were written for an older one",
          fixes: [
            fix("take a newer release, or the main branch, of the extension"),
            fix("or install the release of PyTorch that its README names, in an environment of its own, and build again"),
          ],
        },
        {
          cause: "upstream-bug",
          message: "or its newest release does not know this PyTorch yet: see its issues for a fork or a patch",
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "cpp-standard-of-torch",
      ["compatible compiler is required to use pytorch", "to compile pytorch", "required to use aten"],
      /#error ["']?(?:C\+\+(?<required>\d\d) or later compatible compiler is required to use (?:PyTorch|ATen)|You need C\+\+(?<subject>\d\d) to compile PyTorch)/,
      "error: #error C++17 or later compatible compiler is required to use PyTorch.",
      "#error You need C++14 to compile PyTorch",
    ),
    means: {
      weight: weights.said,
      name: "the C++ standard",
      about: (_facts, _context, [fact]) => ({
        required: `C++${fact!.required ?? fact!.subject} or newer`,
        found: "an older standard in the compiler's line",
        evidence: [fact!],
      }),
      next: ["g++ --version; nvcc --version"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message:
            "the extension asks its compiler for an older C++ than the headers of this PyTorch take: its setup.py is older than the PyTorch",
          fixes: (_facts, _context, [fact]) => [
            fix(
              `take a newer release of the extension, or write \`-std=c++${fact!.required ?? fact!.subject}\` in the place of its older one in setup.py`,
            ),
            fix("or install the release of PyTorch that its README names"),
          ],
        },
        { cause: "toolkit-too-old", message: "or gcc or nvcc is older than this C++: C++17 wants gcc 9 and CUDA 11", fixes: [] },
      ],
    },
  },
  {
    // Headers of gcc 11 and 12 in an nvcc that was not made for them.
    ...notice(
      "host-compiler",
      ["parameter packs not expanded"],
      /error: parameter packs not expanded with (?:['‘"])?\.\.\./,
      "/usr/include/c++/11/bits/std_function.h:435:145: error: parameter packs not expanded with ‘...’:",
    ),
    facts: () => ({ kind: "notice", id: "host-compiler", found: "10" }),
  },
  {
    // torch/utils/cpp_extension.py, _check_cuda_version: the bounds of g++ for each CUDA.
    literals: ["the maximum required version by cuda"],
    pattern:
      /current installed version of (?:x86_64-conda-linux-gnu-)?[\w+-]{1,30} \((?<found>[\d.]{1,12})\) is greater than the maximum required version by CUDA (?<cuda>\d{1,2}\.\d{1,2})(?: \((?<most>\d{1,2})[\d.]{0,8}\))?/,
    examples: [
      "RuntimeError: The current installed version of g++ (13.2.0) is greater than the maximum required version by CUDA 11.8 (11.0.0). Please make sure to use an adequate version of g++ (>=6.0.0, <12.0).",
    ],
    facts: ({ cuda, most }) => [
      { kind: "notice", id: "host-compiler", ...(most === undefined ? {} : { found: most }) },
      { kind: "toolkit", version: cuda!, from: "nvcc" },
    ],
  },
  {
    ...notice(
      "host-compiler-old",
      "the minimum required version by cuda",
      /current installed version of [\w+-]{1,40} \((?<found>[\d.]{1,12})\) is less than the minimum required version by CUDA (?<subject>\d{1,2}\.\d{1,2})(?: \((?<required>[\d.]{1,12})\))?/,
      "RuntimeError: The current installed version of g++ (4.8.5) is less than the minimum required version by CUDA 11.7 (6.0.0). Please make sure to use an adequate version of g++",
    ),
    means: {
      weight: weights.said,
      name: "g++",
      about: (_facts, _context, [fact]) => ({
        ...(fact!.required === undefined ? {} : { required: `g++ ${fact!.required} or newer for CUDA ${fact!.subject}` }),
        found: `g++ ${fact!.found}`,
        evidence: [fact!],
      }),
      next: ["which -a g++; g++ --version"],
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          message: "the compiler of the host is older than this CUDA takes",
          fixes: [
            fix("install a newer one into the conda environment, and let the build use it", "conda install -c conda-forge gxx_linux-64=11"),
            fix("or name a newer one that is installed in CC and CXX; on a cluster, load its module"),
          ],
        },
      ],
    },
  },
  {
    ...notice(
      "ninja-missing",
      ["ninja is required to load c++ extensions", "due to ninja not being installed"],
      /Ninja is required to load C\+\+ extensions|due to ninja not being installed/,
      "RuntimeError: Ninja is required to load C++ extensions",
    ),
    means: {
      weight: weights.failed,
      name: "ninja",
      required: "ninja on PATH, which builds extensions when they are first used",
      next: ["which ninja; python -m pip show ninja"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "an extension is compiled when it is first used, and ninja, which does it, is not found",
          fixes: [fix("install it with the Python that runs the program", "python -m pip install ninja")],
        },
        {
          cause: "library-not-on-path",
          message: "or it is installed, and the environment's `bin` folder is not on PATH: activate it",
          fixes: [],
        },
        { cause: "not-a-mismatch", message: "no version of CUDA changes that", fixes: [] },
      ],
    },
  },
  {
    // torch/utils/cpp_extension.py, _get_cuda_arch_flags: without TORCH_CUDA_ARCH_LIST it asks the GPUs that it sees.
    ...notice(
      "no-arch-at-build",
      ["arch_list[-1]", "no target compute capabilities", "torch_cuda_arch_list or make gpus visible"],
      /arch_list\[-1\] \+= '\+PTX'|No target compute capabilities\b|found no CUDA devices\. Set TORCH_CUDA_ARCH_LIST/,
      "    arch_list[-1] += '+PTX'",
      "RuntimeError: No target compute capabilities. Set TORCH_CUDA_ARCH_LIST or build on a machine with GPUs.",
    ),
    means: {
      weight: weights.said,
      name: "TORCH_CUDA_ARCH_LIST",
      required: "a list of architectures, or a GPU that the build sees",
      found: "neither",
      next: ["nvidia-smi -L", 'python -c "import torch; print(torch.cuda.is_available())"'],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "the build asks the machine for its GPUs, and PyTorch sees none there: images are built without one",
          fixes: [
            fix(
              "say for which GPUs to build, before the build; 8.6 stands for RTX 30, 8.0 for A100, 8.9 for RTX 40, 9.0 for H100, 12.0 for RTX 50",
              'export TORCH_CUDA_ARCH_LIST="8.0;8.6;8.9;9.0+PTX"',
            ),
          ],
        },
        { cause: "driver-too-old", message: "or there is a GPU, and its driver is older than the CUDA of this PyTorch", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
