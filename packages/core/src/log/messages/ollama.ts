import { errorNumbered } from "../../knowledge/error-codes.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** Ollama and llama.cpp. */
export default [
  {
    // Ollama asks the driver through a runtime library of its own.
    literals: ["nvidia driver is too old or missing"],
    pattern: /your nvidia driver is too old or missing/i,
    examples: ["your nvidia driver is too old or missing.  If you have a CUDA GPU please upgrade to run ollama"],
    facts: () => ({ kind: "cuda-error", code: 35 }),
  },
  {
    // discover/gpu_info_nvcuda.c and gpu_info_cudart.c print the number that cuInit or cudaSetDevice gave.
    literals: ["cuda driver library init failure", "cuda driver library failed to get device context", "nvcuda init failure"],
    pattern: /(?:cuda driver library (?:init failure:|failed to get device context)|nvcuda init failure:) (?<code>\d{1,3})\b/,
    examples: ['msg="Unable to load cudart library /usr/lib/libcuda.so.1: cuda driver library init failure: 999"'],
    facts: ({ code }) => {
      if (["100", "101", "803", "804", "802", "999", "34", "35"].includes(code!)) return { kind: "cuda-error", code: Number(code) };
      const row = errorNumbered("CUresult", Number(code));
      return row && { kind: "error-code", of: row.enum, code: row.code, name: row.name, means: row.means ?? [] };
    },
  },
  {
    // discover/gpu.go: the driver's library is there and does not serve; the next lines say why, where they are shown.
    literals: ["unable to load cuda driver library", "unable to load nvcuda"],
    pattern: /msg="[Uu]nable to load (?:cuda driver library|nvcuda)"/,
    examples: ['level=INFO source=gpu.go:568 msg="unable to load cuda driver library" library=/usr/lib64/libcuda.so.460.106.00'],
    facts: () => ({ kind: "notice", id: "driver-too-old" }),
  },
  {
    // discover/gpu_info_nvcuda.c: a function that the driver's library does not have.
    literals: ["symbol lookup for cu"],
    pattern: /symbol lookup for (?<symbol>cu[A-Z]\w{2,50}) failed/,
    examples: ['error="symbol lookup for cuCtxCreate_v3 failed: /usr/lib64/libcuda.so.418.74: undefined symbol: cuCtxCreate_v3"'],
    facts: ({ symbol }) => ({ kind: "undefined-symbol", file: "", symbol: symbol! }),
  },
  {
    // discover/gpu.go says so at the level of information, whatever was hoped for.
    literals: ["no compatible gpus were discovered"],
    pattern: /msg="no compatible GPUs were discovered"/,
    examples: ['level=INFO source=gpu.go:377 msg="no compatible GPUs were discovered"'],
    facts: () => ({ kind: "notice", id: "no-gpu-seen", subject: "any" }),
  },
  {
    // ggml-cuda/common.cuh, where a kernel was left out of the build.
    literals: ["has no device code compatible with cuda arch"],
    pattern:
      /has no device code compatible with CUDA arch (?<capability>\d{3,4})\b(?:\. {1,2}[\w./-]{3,60} was compiled for: (?<supported>[\d, ]{3,120}))?/,
    examples: ["ERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 520. ggml-cuda.cu was compiled for: 610,700,750"],
    facts: ({ capability, supported }) => ({
      kind: "gpu-unsupported",
      capability: `sm_${capability!.slice(0, -1)}`,
      ...(supported === undefined ? {} : { supported: supported.trim().replace(/,$/, "") }),
      by: "ggml",
    }),
  },
  {
    literals: ["failed to initialize cuda: unknown error", "failed to initialize cuda: initialization error"],
    pattern: /ggml_(?:cuda_init|init_cublas): failed to initialize CUDA: (?<word>unknown|initialization) error/,
    examples: ["ggml_cuda_init: failed to initialize CUDA: unknown error"],
    facts: ({ word }) => (word === "unknown" ? { kind: "cuda-error", code: 999 } : { kind: "notice", id: "driver-init-failed" }),
  },
  {
    // llama_print_system_info of releases up to 2024; since then a build with CUDA names its architectures.
    ...notice(
      "llama-without-cuda",
      "blas = 0",
      /\bAVX2? = [01]\b[^\n]{0,400}\bBLAS = 0\b|\bBLAS = 0\b[^\n]{0,200}\bSSE3 = [01]\b|\b(?:shows?|says?|returns?|prints?|get|still)\b[^\n]{0,20}\bBLAS ?= ?0\b/,
      "AVX = 1 | AVX2 = 1 | FMA = 1 | BLAS = 0 | SSE3 = 1 | VSX = 0 |",
    ),
    means: {
      weight: weights.concluded,
      // Whoever asks for no GPU is content.
      unless: (facts) =>
        !facts.has("gpu") &&
        !facts.has("driver") &&
        !facts.has("toolkit") &&
        facts.notices("gpu-said", "gpu-not-seen", "gpu-unused", "no-gpu-seen", "gpu-idle").length === 0 &&
        !facts.everything().some(({ at }) => /n[_-]gpu[_-]layers|-ngl\b|CUBLAS|GGML_CUDA|\bGPUs?\b/i.test(at.text)),
      name: "llama.cpp",
      required: "a build with CUDA",
      found: "a build without it (BLAS = 0)",
      next: ["pip show -f llama-cpp-python | grep -i 'cuda\\|cublas'"],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "likely",
          message: "llama.cpp says that it was built without cuBLAS: options for the GPU then do nothing",
          fixes: [
            fix(
              "build it with CUDA, which needs the CUDA toolkit and a compiler; the option is called GGML_CUDA, before mid-2024 LLAMA_CUBLAS",
              'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir llama-cpp-python',
            ),
          ],
        },
        { cause: "cuda-home-wrong", name: "nvcc", message: "or its build did not find the toolkit, and went on without", fixes: [] },
      ],
    },
  },
  {
    // discover/gpu.go asked for AVX before it looked at any GPU, up to 0.5.x.
    ...notice(
      "ollama-without-avx",
      "minimum vector extensions",
      /CPU does not have (?:minimum )?vector extensions/,
      'level=WARN source=gpu.go:253 msg="CPU does not have minimum vector extensions, GPU inference disabled" required=avx detected="no vector extensions"',
    ),
    means: {
      weight: weights.refused + 1,
      name: "the processor",
      required: "AVX, or an Ollama that does not ask for it",
      found: "a processor without AVX, or one that a virtual machine plays",
      next: ["ollama --version", "grep -o -m1 -w avx2 /proc/cpuinfo"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "this Ollama uses no GPU on a processor without AVX: no driver and no CUDA can change that",
          fixes: [
            fix("take the newest Ollama: newer releases use the GPU on such a processor too"),
            fix("in a virtual machine: hand the host's processor on (type `host` in Proxmox, `host-passthrough` in libvirt)"),
          ],
        },
      ],
    },
  },
  {
    // discover/amd_linux.go
    literals: ["amdgpu is not supported"],
    pattern:
      /msg="amdgpu is not supported[^"\n]{0,60}"[^\n]{0,60}gpu_type=(?<subject>gfx[\da-f]{3,4})(?:[^\n]{0,120}supported_types="?\[(?<found>[^\]\n]{3,300})\])?/,
    examples: ['level=WARN msg="amdgpu is not supported" gpu=0 gpu_type=gfx1034 library=/opt/rocm/lib supported_types="[gfx1030 gfx1100]"'],
    facts: ({ subject, found }) => ({ kind: "notice", id: "hip-no-code", subject: subject!, ...(found === undefined ? {} : { found }) }),
  },
  {
    // llama_cpp/_ctypes_extensions.py
    ...notice(
      "llama-library",
      "shared library with base name",
      /Shared library with base name ['"](?<subject>llama|ggml\w{0,12})['"] not found/,
      "FileNotFoundError: Shared library with base name 'llama' not found",
    ),
    means: {
      weight: weights.failed,
      symptom: "llama-cpp-python does not find its own compiled library",
      name: "libllama.so",
      next: ["pip show -f llama-cpp-python | grep -i '\\.so\\|\\.dll'"],
      may: [
        {
          cause: "library-missing",
          message: "it was not built, or Python runs in the folder of the sources and takes those for the package",
          fixes: [
            fix("leave the folder of the sources, and install it again"),
            fix(
              "with CUDA, it is built from source, which needs the CUDA toolkit",
              'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir llama-cpp-python',
            ),
          ],
        },
        { cause: "not-a-mismatch", message: "or its build failed, and what pip printed then says why" },
      ],
    },
  },
] satisfies Signature[];
