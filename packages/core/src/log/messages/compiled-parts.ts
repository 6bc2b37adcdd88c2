import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** Packages whose part for the GPU is a module of its own, imported where it is there: what is said later where it was not. */
export default [
  {
    ...notice(
      "compiled-part-missing",
      [
        "_cuda' is not defined",
        "_ext' is not defined",
        "_kernels' is not defined",
        "_fwd'",
        "_bwd'",
        "_kernels not installed",
        "cuda extension not installed",
        "kernels for",
        "no module named 'amp_c'",
        "no module named 'apex_c'",
        "_cuda'",
      ],
      /No module named '(?<module>amp_C|apex_C|fused_\w{3,30}_cuda|syncbn|fused_weight_gradient_mlp_cuda)'|name '(?<subject>\w{2,40}(?:_cuda|_ext|_kernels|_cuda_\d{2,3}))' is not defined|'NoneType' object has no attribute '(?<found>(?:causal_conv1d|selective_scan|flash_attn|fused|layer_norm|rms_norm|dropout)\w{0,30}_(?:fwd|bwd|cuda|update))'|(?<required>\w{3,40}_kernels) not installed|CUDA (?:extension not installed|kernels for \w{2,30} are not installed)/i,
      "NameError: name 'selective_scan_cuda' is not defined",
      "AttributeError: 'NoneType' object has no attribute 'causal_conv1d_fwd'",
      "ERROR:auto_gptq.nn_modules.qlinear.qlinear_exllama:exllama_kernels not installed.",
      "WARNING:CUDA extension not installed.",
    ),
    means: {
      weight: weights.refused,
      unless: (facts) => facts.has("undefined-symbol") || facts.has("not-found") || 0 < facts.notices("dll-load-failed").length,
      about: (_facts, _context, evidence) => {
        const named = evidence.find(({ subject, required }) => subject !== undefined || required !== undefined);
        const module_ = named?.subject ?? named?.required;
        return {
          name: module_ ?? "the compiled part",
          required: `${module_ === undefined ? "the package's part for the GPU" : `\`${module_}\``}, compiled for this PyTorch`,
          evidence,
          next: [
            module_ === undefined ? "pip list | grep -i 'torch\\|gptq\\|awq\\|mamba\\|causal'" : `python -c "import torch, ${module_}"`,
          ],
        };
      },
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message:
            "the compiled part of the package could not be imported, and the package goes on without it until it is needed: it was not built, or its wheel does not hold it",
          fixes: [
            fix("import it alone: what Python says then is the reason"),
            fix(
              "install a wheel of the package that names this torch, this CUDA and this Python; or build it, with the CUDA toolkit of this PyTorch and without isolation",
            ),
          ],
        },
        { cause: "package-conflict", message: "or it was built for another release of PyTorch than the one that is installed", fixes: [] },
        {
          cause: "wrong-wheel-cpu-only",
          message: "or the package was built where no CUDA toolkit was found, and so without its part for the GPU",
          fixes: [],
        },
        {
          cause: "toolkit-vs-framework-at-build",
          message: "or its build stopped, because nvcc is of another CUDA than PyTorch",
          fixes: [],
        },
        { cause: "not-a-mismatch", message: "or another Python runs than the one that it was installed for", fixes: [] },
      ],
    },
  },
  {
    // sgl_kernel/load_utils.py: it tries a folder for each generation of GPUs.
    ...notice(
      "sgl-kernel-lost",
      "could not load any common_ops",
      /\[sgl_kernel\] CRITICAL: Could not load any common_ops library/,
      "ImportError: [sgl_kernel] CRITICAL: Could not load any common_ops library!",
    ),
    means: {
      weight: weights.failed,
      name: "sgl_kernel",
      required: "a build of sgl-kernel for this PyTorch, this CUDA and this GPU",
      next: ["pip list | grep -i 'torch\\|sgl'", "nvidia-smi --query-gpu=name,compute_cap --format=csv"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "the wheel of sgl-kernel was built against another PyTorch than the one that is installed",
          fixes: [fix("install the release of PyTorch that this sglang names, both in one step", "pip install --upgrade sglang")],
        },
        { cause: "arch-unsupported", message: "or it holds no code for this GPU", fixes: [] },
        { cause: "wrong-wheel-cuda-version", message: "or it was built for another CUDA", fixes: [] },
      ],
    },
  },
  {
    // What the setup.py of an extension tells whoever builds it in isolation.
    ...notice(
      "no-build-isolation-said",
      "--no-build-isolation",
      /\b(?:run|use|install(?:ed)?|try|add|pass)\b[^\n]{0,40}\bwith (?:the )?[`'"]?--no-build-isolation[`'"]? (?:flag|option)/i,
      "2. You run 'pip install' with --no-build-isolation flag",
    ),
    means: {
      weight: weights.failed,
      name: "the package",
      required: "torch where the package is built",
      next: ['python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "the package needs torch to be built, and pip builds it in an environment of its own, where there is none",
          fixes: [
            fix(
              "install torch first, then say `--no-build-isolation` in the same `pip install`; the build needs the CUDA toolkit of that torch",
            ),
          ],
        },
        { cause: "not-a-mismatch", message: "or torch is not installed in this environment at all", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
