import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

// Packages beside a GPU that move names from release to release. TensorBoard's and TensorFlow's have rows of their own.
const movers =
  "cumm|spconv|dgl|torch_geometric|mmcv|mmdet|mmengine|detectron2|pytorch3d|kaolin|torchmetrics|torchrl|tensordict|timm|optimum|auto_gptq|awq|exllamav2|sglang|tensorrt_llm|onnxruntime|paddle|tensorflow_addons|tf_keras|numba|cupy|cudf|cuml|cugraph|rmm|torch|torchvision|torchaudio|torchtext|jax|jaxlib|flax|triton|transformers|diffusers|accelerate|xformers|bitsandbytes|flash_attn|vllm|apex|deepspeed|peft|pytorch_lightning|lightning|huggingface_hub";

/** A name that a package no longer has, or has not yet, wherever in a line Python says so. */
export default [
  {
    ...notice(
      "name-not-there",
      "cannot import name",
      new RegExp(
        `cannot import name ['"](?<subject>\\w{2,60})['"] from (?:partially initialized module )?['"](?!onnxruntime\\.capi\\.)(?<found>(?:${movers})(?:\\.\\w{1,40}){0,5}|[a-z]\\w{1,40}(?:\\.\\w{1,40}){0,5}(?=['"] \\([^)\\n]{0,200}(?:site|dist)-packages))['"]|\\bfrom (?<required>(?:${movers})(?:\\.\\w{1,40}){0,5}) import [^\\n]{0,120}?ImportError: cannot import name`.replaceAll(
          "\\\\",
          "\\",
        ),
      ),
      "ImportError: cannot import name 'cached_download' from 'huggingface_hub' (/v/huggingface_hub/__init__.py)",
      "    from numba import cuda, numpy_support ImportError: cannot import name 'numpy_support'",
    ),
    means: {
      weight: weights.hint,
      unless: (facts) =>
        (["undefined-symbol", "not-found", "damaged", "unable-to-load", "version-pair"] as const).some((kind) => facts.has(kind)),
      about: (facts) => {
        const fact = facts.notices("name-not-there")[0]!;
        return { name: (fact.found ?? fact.required)!.split(".")[0]! };
      },
      next: ["pip check"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message:
            "the release of this package that is installed does not have the name: what imports it was written for an older or newer one",
          fixes: [
            fix("install the releases that the importing project names in its requirements, in one step and an environment of their own"),
          ],
        },
        { cause: "not-a-mismatch", message: "or a file of your own has the name of the package, and is imported instead", fixes: [] },
      ],
    },
  },
  {
    // _setup_numba.py of cudf: asked for only where the driver is of CUDA 12 and older than the runtime.
    ...notice(
      "rapids-linker",
      "no module named",
      /No module named ['"](?<subject>pynvjitlink|cubinlinker|ptxcompiler)['"]/,
      "line 137, in _setup_numba from pynvjitlink.patch import patch_numba_linker ModuleNotFoundError: No module named 'pynvjitlink'",
    ),
    means: {
      weight: weights.failed,
      required: "RAPIDS packages for the CUDA of the driver",
      about: (facts) => ({ name: facts.notices("rapids-linker")[0]!.subject! }),
      next: ["nvidia-smi", "pip list | grep -i 'cu11\\|cu12\\|cu13\\|numba'"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message:
            "RAPIDS asks for this linker where it finds CUDA of another major than its own packages are for: those for CUDA 11 bring `cubinlinker` and `ptxcompiler`, those for CUDA 12 `pynvjitlink`",
          fixes: [
            fix(
              "install the packages of RAPIDS for the CUDA that nvidia-smi shows (`-cu12` for 12.x), all in one step, and remove the others",
            ),
          ],
        },
        {
          cause: "wrong-wheel-cuda-version",
          message: "or packages for two releases of CUDA are mixed in this environment",
          fixes: [],
        },
      ],
    },
  },
] satisfies Signature[];
