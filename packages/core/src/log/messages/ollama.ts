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
      /has no device code compatible with CUDA arch (?<capability>\d{3,4})\. {1,2}[\w./-]{3,60} was compiled for: (?<supported>[\d, ]{3,120})/,
    examples: ["ERROR: CUDA kernel mul_mat_q has no device code compatible with CUDA arch 520. ggml-cuda.cu was compiled for: 610,700,750"],
    facts: ({ capability, supported }) => ({
      kind: "gpu-unsupported",
      capability: `sm_${capability!.slice(0, -1)}`,
      supported: supported!.trim().replace(/,$/, ""),
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
