import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** triton/compiler and triton/backends/nvidia. */
export default [
  {
    // xformers/__init__.py: it goes on without.
    ...notice(
      "triton-optional",
      "matching triton is not available",
      /A matching Triton is not available, some optimizations will not be enabled/,
      "A matching Triton is not available, some optimizations will not be enabled.",
    ),
    means: {
      weight: weights.harmless + 5,
      name: "triton",
      about: (facts, _context, [fact]) => ({
        evidence: [
          fact!,
          ...facts
            .notices("no-module")
            .filter(({ subject }) => subject === "triton")
            .slice(0, 1),
        ],
      }),
      may: [
        {
          cause: "benign-warning",
          certainty: "likely",
          message: "xFormers looks for Triton, does not find it and goes on without: only some of its faster functions are left out",
          fixes: [fix("nothing is to be done; where another error ends the program, that one counts")],
        },
        { cause: "not-a-mismatch", message: "Triton is not installed in this environment", fixes: [] },
      ],
    },
  },
  notice(
    "triton-ptxas",
    "internal triton ptx codegen error",
    /Internal Triton PTX codegen error/,
    "RuntimeError: Internal Triton PTX codegen error:",
  ),
  notice("triton-ptxas-missing", "cannot find ptxas", /Cannot find ptxas/, "RuntimeError: Cannot find ptxas"),
  notice("triton-libcuda", "libcuda.so cannot found", /libcuda\.so cannot found/, "AssertionError: libcuda.so cannot found!"),
  {
    ...notice(
      "triton-ptx-table",
      "triton only support cuda",
      /Triton only support CUDA (?<required>\d{1,2}\.\d{1,2}) or higher(?:, but got CUDA version: (?<found>\d{1,2}\.\d{1,2}))?/,
      "RuntimeError: Triton only support CUDA 10.0 or higher, but got CUDA version: 9.2",
    ),
    means: {
      weight: weights.said,
      name: "ptxas",
      about: (_facts, _context, [fact]) => ({
        evidence: [fact!],
        required: `CUDA ${fact!.required}`,
        ...(fact!.found === undefined ? {} : { found: fact!.found }),
      }),
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "certain",
          message: "Triton was given a ptxas that is too old",
          fixes: [fix("unset TRITON_PTXAS_PATH, or name a newer ptxas")],
        },
      ],
    },
  },
  {
    ...notice(
      "triton-compiler",
      "failed to find c compiler",
      /Failed to find C(?:\+\+)? compiler(?:\. Please specify via C(?:C|XX) environment variable|\.?\s{0,4}$)/,
      "RuntimeError: Failed to find C compiler. Please specify via CC environment variable or set triton.knobs.build.impl.",
    ),
    means: {
      weight: weights.failed,
      name: "a C compiler",
      required: "a C compiler on PATH, with which Triton builds its launchers",
      about: (facts) => ({ next: [facts.on("windows") ? "where cl" : "which -a cc gcc clang"] }),
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "Triton compiles a small module for every kernel, and finds no C compiler",
          fixes: (facts) => [
            facts.on("windows")
              ? fix(
                  "take a Triton for Windows that brings its own compiler (`triton-windows` 3.2 and newer), or start from the `x64 Native Tools Command Prompt`",
                  "pip install -U triton-windows",
                )
              : fix("install gcc, or name a compiler in CC", "sudo apt-get install gcc"),
          ],
        },
        { cause: "library-not-on-path", message: "or it is installed, and not on PATH; CC may name it", fixes: [] },
        { cause: "not-a-mismatch", message: "no version of CUDA changes that", fixes: [] },
      ],
    },
  },
  {
    // torch/_inductor/exc.py, TritonMissing; torch/utils/_triton.py asks whether it can be imported.
    ...notice(
      "triton-missing",
      "find a working triton installation",
      /Cannot find a working triton installation/,
      "RuntimeError: Cannot find a working triton installation. Either the package is not installed or it is too old.",
    ),
    means: {
      weight: weights.refused,
      name: "triton",
      required: "the Triton that goes with this PyTorch",
      next: ["python -m pip list | grep -i 'torch\\|triton'", 'python -c "import triton; print(triton.__version__, triton.__file__)"'],
      may: [
        {
          cause: "wrong-wheel-platform",
          certainty: "likely",
          when: (facts) => facts.on("windows"),
          message: "PyTorch for Windows brings no Triton, which `torch.compile` needs for a GPU",
          fixes: [
            fix("install the Triton for Windows, with the very Python that runs the program", "python -m pip install -U triton-windows"),
            fix("or go without: `torch._dynamo.config.suppress_errors = True`, or no `torch.compile`"),
          ],
        },
        {
          cause: "library-missing",
          message: "`torch.compile` needs Triton for a GPU, and this Python has none that can be imported",
          fixes: [fix("install PyTorch again with all that it asks for", "python -m pip install --force-reinstall torch")],
        },
        {
          cause: "package-conflict",
          message: "or a Triton of another release than this PyTorch asks for is installed",
          fixes: [fix("let pip bring the one that torch names", "python -m pip install --force-reinstall torch")],
        },
        { cause: "not-a-mismatch", message: "or pip put it into another Python than the one that runs", fixes: [] },
      ],
    },
  },
  {
    // torch/_inductor/exc.py, GPUTooOldForTriton.
    literals: ["too old to be supported by the triton"],
    pattern:
      /Found (?<gpu>[^\n]{2,60}?) which is too old to be supported by the triton GPU compiler(?:[^\n]{0,160}?CUDA [Cc]apability >= (?<minimum>\d{1,2}\.\d), but your device is of CUDA capability (?<capability>\d{1,2}\.\d))?/,
    examples: [
      "RuntimeError: Found Tesla P100-PCIE-16GB which is too old to be supported by the triton GPU compiler, which is used as the backend. Triton only supports devices of CUDA Capability >= 7.0, but your device is of CUDA capability 6.0",
    ],
    facts: ({ gpu, minimum, capability }) => ({
      kind: "gpu-unsupported",
      gpu: gpu!,
      ...(capability === undefined ? {} : { capability }),
      ...(minimum === undefined ? {} : { supported: `${minimum} or newer` }),
      by: "triton",
      tooOld: true,
    }),
  },
  {
    // triton/runtime/build.py calls the compiler, whose own words may be lost.
    ...notice(
      "triton-launcher",
      "'-lcuda'",
      /CalledProcessError: Command '?\[[^\n]{0,60}(?:gcc|cc|clang|g\+\+)'[^\n]{0,600}'-lcuda'[^\n]{0,300}returned non-zero exit status/,
      "subprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/t/main.c', '-O3', '-shared', '-fPIC', '-lcuda', '-o', '/tmp/t/k.so']' returned non-zero exit status 1.",
    ),
    means: {
      weight: weights.failed,
      symptom: "Triton's launcher could not be built; what the compiler said stands above it",
      name: "libcuda.so",
      library: "libcuda",
      unless: (facts) => 0 < facts.notices("python-header-missing", "header-missing", "linker-missing").length || facts.has("not-found"),
      next: ["ldconfig -p | grep libcuda.so", "python -c \"import sysconfig; print(sysconfig.get_paths()['include'])\""],
      may: [
        {
          cause: "library-not-on-path",
          message:
            "the linker finds no `libcuda.so` (`-lcuda`): the driver brings `libcuda.so.1`, and the name without its number is for building",
          fixes: [
            fix(
              "tell Triton where the driver's library is; this is its usual folder",
              "export TRITON_LIBCUDA_PATH=/usr/lib/x86_64-linux-gnu",
            ),
          ],
        },
        {
          cause: "library-missing",
          name: "Python.h",
          message: "or Python's headers, or those of CUDA (`cuda.h`), are not installed",
          fixes: [fix("install Python's headers", "sudo apt-get install python3-dev")],
        },
        { cause: "not-a-mismatch", message: "or the compiler itself does not work", fixes: [] },
      ],
    },
  },
  notice(
    "triton-no-gpu",
    "active drivers (",
    /0 active drivers \(\[\]\)/,
    "RuntimeError: 0 active drivers ([]). There should only be one.",
  ),
  {
    // vllm/v1/attention/backends/flash_attn.py stops so on GPUs before Ampere, and says no more.
    literals: ["is_fa_version_supported"],
    pattern: /assert is_fa_version_supported\(/,
    examples: ["    assert is_fa_version_supported(self.fa_version)"],
    facts: () => ({ kind: "gpu-unsupported", by: "vllm", tooOld: true, supported: "8.0 or newer" }),
  },
  {
    // triton/language/semantic.py: dtypes by what the GPU can do; fp8e4nv came with 8.9.
    literals: ["not supported in this architecture"],
    pattern: /type (?<type>fp8e4nv|fp8e5|fp8e4b15|bf16) not supported in this architecture/,
    examples: ["ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')"],
    facts: ({ type }) => ({
      kind: "gpu-unsupported",
      by: "triton",
      tooOld: true,
      ...(type === "fp8e4nv" ? { supported: "8.9 or newer (for fp8e4nv)" } : {}),
    }),
  },
  {
    ...notice(
      "triton-resources",
      "out of resource:",
      /out of resource: (?<subject>shared memory|registers|threads|tensor memory|warps), Required: (?<required>\d{1,9}), Hardware limit: (?<found>\d{1,9})/,
      "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376. Reducing block sizes or `num_stages` may help.",
    ),
    means: {
      weight: weights.refused,
      name: "the kernel",
      about: (_facts, _context, [fact]) => ({
        required: `${fact!.required} of ${fact!.subject}`,
        found: `${fact!.found} on this GPU`,
        evidence: [fact!],
      }),
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `the kernel was tuned for a GPU with more ${fact!.subject} than this one has`,
          fixes: [fix("take smaller blocks or fewer stages where the kernel can be told so, or another implementation of the operation")],
        },
        { cause: "arch-unsupported", message: "or its authors support larger GPUs only", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
