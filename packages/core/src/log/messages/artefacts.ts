import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** Files that one release wrote and another cannot read: TorchScript, ONNX, engines' settings, pickles. */
export default [
  {
    ...notice(
      // torch/csrc/jit, caffe2/serialize; onnx/checker and onnxruntime's model.cc; TensorRT-LLM's executor.
      "artefact-of-other-release",
      [
        "unknown type name '__torch__",
        "unknown builtin op",
        "maximum supported version for reading",
        "ir version",
        "ir_version",
        "loading failed with error: key",
        "constants.pkl",
        "opset",
        "unsupported pickle protocol",
      ],
      /Unknown type name '__torch__[^'\n]{2,120}'|Unknown builtin op: (?<subject>(?:aten|prim|torchvision)::\w{2,60})|file with version (?<required>\d{1,3}), but the maximum supported version for reading is (?<found>\d{1,3})|Unsupported model IR version: (?<ir>\d{1,2}), max supported IR version: \d{1,2}|loading failed with error: key '\w{3,60}' not found|ONNX Runtime only \*?guarantees\*? support for models stamped with official released onnx opset versions|unsupported pickle protocol: \d/i,
      "Unknown type name '__torch__.torch.nn.modules.module.___torch_mangle_312.Module':",
      "Unknown builtin op: aten::scaled_dot_product_attention.",
      "Attempted to read a PyTorch file with version 10, but the maximum supported version for reading is 9.",
      "Load model from m.onnx failed: Unsupported model IR version: 9, max supported IR version: 8",
    ),
    means: {
      weight: weights.refused,
      name: "the model's file",
      required: "a file that the release which loads it can read",
      found: "one of another release",
      about: (_facts, _context, [fact]) => ({
        ...(fact!.required === undefined
          ? {}
          : { required: `a reader of files of version ${fact!.required}`, found: `one that ends with ${fact!.found}` }),
        evidence: [fact!],
      }),
      next: ["pip list | grep -i 'torch\\|onnx\\|tensorrt'"],
      may: [
        {
          cause: "stale-artefact",
          certainty: "likely",
          message: "the model was saved by another release than the one that loads it",
          fixes: [fix("save it again with the release that loads it, or load it with the one that saved it")],
        },
        { cause: "package-conflict", message: "so the package that loads it is older, or newer, than the one that wrote it", fixes: [] },
        {
          cause: "library-wrong-version",
          message: "or the server brings another release of the library than the file was made for",
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "half-on-cpu",
      ["not implemented for 'half'", "not implemented for 'bfloat16'"],
      /"\w{2,60}" not implemented for '(?<subject>Half|BFloat16)'/,
      "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'",
    ),
    means: {
      weight: weights.other + 1,
      name: "the program",
      unless: (facts) => 0 < facts.notices("torch-without-cuda").length,
      next: ['python -c "import torch; print(torch.__version__, torch.cuda.is_available())"'],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "numbers of 16 bits are computed with where this PyTorch has no code for it, most often on the CPU",
          fixes: [fix("load the model in 32 bits on the CPU (`torch.float32`, or the program's option `--no-half`)")],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "torch",
          message: "or it was meant for the GPU, and PyTorch does not see one: ask it by itself",
          fixes: [],
        },
      ],
    },
  },
] satisfies Signature[];
