import { weights } from "../cause.ts";
import type { Fact } from "../fact.ts";
import { driverReaches } from "../../knowledge/dotted.ts";
import { libraryNamed } from "../../knowledge/libraries.ts";
import { fix } from "../fixes.ts";
import { libcuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const titleOf = (fact: Fact<"notice"> | undefined) => libraryNamed(fact?.subject ?? "cudnn") ?? "library";

/** What frames make notices of, and messages that many programs have from a library they share. */
export default [
  {
    // pybind11/detail/generic_type: a type is registered twice in one process.
    ...notice(
      "registered-twice",
      "generic_type: ",
      /generic_type: (?:cannot initialize type|type) "(?<subject>[\w:.<>, ]{1,80})"(?: is already registered|: an object with that name is already defined)/,
      'ImportError: generic_type: cannot initialize type "GemmAlgoDesp": an object with that name is already defined',
      'ImportError: generic_type: type "Tensor" is already registered!',
    ),
    means: {
      weight: weights.refused,
      name: "the package",
      required: "one copy of the package",
      next: ["pip list"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message:
            "two packages with the same compiled module are installed, or two releases of one: the second one registers what the first has",
          fixes: [fix("uninstall all of them, builds for other CUDA releases (`-cu118`, `-cu121`) too, and install one")],
        },
        { cause: "two-copies", message: "or two copies of one library are loaded into the process", fixes: [] },
      ],
    },
  },
  {
    // pybind11: a default value is of a type that another module should have registered.
    ...notice(
      "type-not-registered",
      "type not registered yet",
      /could not convert default argument '(?<found>[^'\n]{2,80})'[^\n]{0,120}\(type not registered yet\?\)/,
      "ImportError: arg(): could not convert default argument 'mask: tv::Tensor' in function 'f' into a Python object (type not registered yet?)",
    ),
    means: {
      weight: weights.refused,
      name: "the package",
      required: "compiled modules of one build",
      next: ["pip list"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "two compiled packages that share types are of different builds: the one does not know what the other registers",
          fixes: [fix("install both again, in releases that name each other, from one source")],
        },
        {
          cause: "upstream-bug",
          message: "or their wheels were built by different compilers: take the release before or after",
          fixes: [],
        },
        { cause: "two-copies", message: "or two copies of the package that registers it are there", fixes: [] },
      ],
    },
  },
  {
    // dgl/graphbolt/__init__.py; any other sentence of the kind is the frame's (grammar/own-part-lost.ts).
    ...notice(
      "own-part-lost",
      "graphbolt",
      /Cannot (?:find (?<subject>DGL) C\+\+ graphbolt library|load Graphbolt C\+\+ library)/,
      "FileNotFoundError: Cannot find DGL C++ graphbolt library at /v/dgl/graphbolt/libgraphbolt_pytorch_2.4.1.so",
      "ImportError: Cannot load Graphbolt C++ library",
    ),
    means: {
      weight: weights.failed,
      // Who says what it was built for, or what the loader lacked, has said more.
      unless: (facts) =>
        facts.notices("xformers-other-torch").some(({ required, found }) => required !== found) ||
        0 < facts.notices("xformers-without-cuda", "torchcodec-lost").length ||
        (["undefined-symbol", "not-found", "damaged", "unable-to-load", "version-pair"] as const).some((kind) => facts.has(kind)),
      symptom: (_facts, _context, [fact]) =>
        `${fact!.subject === undefined ? "a package" : `\`${fact!.subject}\``} cannot load what was compiled of it`,
      about: (_facts, context, [fact]) => {
        const torch = context.framework("torch").version;
        return {
          name: fact!.subject ?? "the package",
          required: `a build for the framework that is installed${torch === undefined ? "" : ` (PyTorch ${torch})`}`,
        };
      },
      next: ["pip list", "pip check"],
      may: [
        {
          cause: "package-conflict",
          message: "it brings compiled parts for certain releases of the framework, and another one is installed",
          fixes: [fix("install the release of the framework that the package names, both in one step")],
        },
        { cause: "library-missing", message: "or a library that the part needs is not installed", fixes: [] },
        { cause: "wrong-wheel-cuda-version", message: "or the part was built for another CUDA", fixes: [] },
        { cause: "upstream-bug", message: "or this release was published without it", fixes: [] },
      ],
    },
  },
  {
    // dlib's CMake; any other sentence of the kind is the frame's (grammar/wrong-version-told.ts).
    ...notice(
      "wrong-version-told",
      "looks like the wrong version",
      /Found (?<found>cuDNN), but it looks like the wrong version/,
      "-- *** Found cuDNN, but it looks like the wrong version so dlib will not use it. ***",
    ),
    means: {
      weight: weights.refused,
      about: (_facts, _context, [fact]) => ({ name: titleOf(fact), library: fact?.subject ?? "cudnn" }),
      may: [
        {
          cause: "library-wrong-version",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `the program finds a ${titleOf(fact)} of a release that it was not written for`,
          fixes: [fix("install the release that the program's documentation names; a much newer one is as wrong as an older one")],
        },
        {
          cause: "upstream-bug",
          message: "or the program is older than this release of the library, and does not know it yet",
          fixes: [fix("take a newer release of the program")],
        },
      ],
    },
  },
  {
    // tiny-cuda-nn, bindings/torch/setup.py: without a GPU that PyTorch sees it cannot tell what to build for.
    ...notice(
      "capability-not-seen",
      "unknown compute capability",
      /Unknown compute capability\. (?:Ensure PyTorch with CUDA support is installed|Specify the target compute capabilities)/,
      "OSError: Unknown compute capability. Ensure PyTorch with CUDA support is installed.",
    ),
    means: {
      weight: weights.refused,
      name: "torch",
      required: "a PyTorch that sees the GPU",
      next: ['python -c "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"'],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "likely",
          message: "the build asks PyTorch for the GPU, and the PyTorch that is installed sees none: it is most likely one without CUDA",
          fixes: [
            fix("install a PyTorch with CUDA first, in the same environment"),
            fix("or name the GPU for the build, where none is at hand: TCNN_CUDA_ARCHITECTURES=86"),
          ],
        },
        { cause: "driver-not-exposed", message: "or no driver reaches the process, as in an image that is being built", fixes: [] },
      ],
    },
  },
  {
    // An encoder or a program that knows from which driver on it runs: FFmpeg's nvenc.c says it in one sentence, others in a list.
    ...notice(
      "least-driver-told",
      ["minimum required nvidia driver", "minimum nvidia driver", "minimum driver version"],
      /\b[Mm]inimum (?:required )?(?:[Nn][Vv][Ii][Dd][Ii][Aa] )?driver(?: version)?(?: required)?(?: is)?:? {1,2}(?<required>\d{3}(?:\.\d{1,3}){0,2})(?: or (?:newer|later|higher))?/,
      "Minimum required Nvidia driver is 570.0 or newer",
    ),
    means: {
      ...libcuda,
      weight: weights.said,
      unless: (facts, { driver }) =>
        driver !== undefined && driverReaches(driver.version, facts.notices("least-driver-told")[0]!.required!),
      about: (facts, { driver }) => ({
        required: `driver ${facts.notices("least-driver-told")[0]!.required} or newer`,
        ...(driver ? { found: `driver ${driver.version}` } : {}),
      }),
      next: ["nvidia-smi"],
      may: [
        {
          cause: "driver-too-old",
          certainty: "likely",
          message: (facts, { driver }) =>
            `the program needs driver ${facts.notices("least-driver-told")[0]!.required} or newer${driver ? `, and ${driver.version} is here` : ""}`,
          fixes: (facts) => [
            fix(`install driver ${facts.notices("least-driver-told")[0]!.required} or newer on the host`),
            fix("or take a build of the program, or an image, that was made for an older CUDA"),
          ],
        },
        { cause: "package-conflict", message: "or a release of the program that was built for an older driver would do", fixes: [] },
      ],
    },
  },
  {
    // People who installed one CUDA and see another nvcc answer. What nvidia-smi shows is the driver's, and has a row of its own.
    ...notice(
      "nvcc-of-another-cuda",
      "nvcc",
      /^(?!.{0,400}nvidia-smi).{0,200}?\b(?:[Ii]nstall(?:ed|ing)?|[Hh]as|[Hh]ave|[Uu]se|[Ww]ant|[Nn]eed)\b.{0,40}?\b[Cc](?:UDA|uda)(?: toolkit)?(?: version)?(?: of| is|:)? v?(?<required>\d{1,2}\.\d)\b.{0,160}?\b(?:but|still|instead|however|But|yet|only)\b.{0,80}?\bnvcc\b.{0,80}?\b(?<found>\d{1,2}\.\d)\b(?!\.\d)/,
      "i follow all the step to install Cuda 11.8 but when i run nvcc -V, i get Cuda 11.5",
      "RTX A6000 has cuda version of 11.7. But the nvcc is still version of 10.1.",
    ),
    means: {
      weight: weights.said,
      name: "nvcc",
      unless: (facts) => facts.notices("nvcc-of-another-cuda").every(({ required, found }) => required === found),
      about: (_facts, _context, [fact]) => ({ required: `nvcc of CUDA ${fact!.required}`, found: `nvcc of CUDA ${fact!.found}` }),
      next: ["which -a nvcc", "ls -d /usr/local/cuda*"],
      may: [
        {
          cause: "cuda-home-wrong",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `an nvcc of CUDA ${fact!.found} comes first on PATH: the distribution's own package (nvidia-cuda-toolkit) puts one into /usr/bin`,
          fixes: (_facts, _context, [fact]) => [
            fix(
              `put the toolkit that you installed before it, if it is there`,
              `export PATH=/usr/local/cuda-${fact!.required}/bin:$PATH CUDA_HOME=/usr/local/cuda-${fact!.required}`,
            ),
          ],
        },
        {
          cause: "toolkit-too-old",
          message: (_facts, _context, [fact]) => `or no toolkit of CUDA ${fact!.required} is installed: the driver's number is none`,
          fixes: [fix("install that toolkit; conda puts one into an environment of your own, without an administrator")],
        },
        { cause: "toolkit-vs-framework-at-build", message: "or PyTorch was built with another CUDA than that nvcc", fixes: [] },
        { cause: "not-a-mismatch", message: "or the larger number is what the driver can run, and no toolkit", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
