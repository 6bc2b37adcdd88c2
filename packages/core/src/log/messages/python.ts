import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** Python itself, about modules of a GPU stack. A name with dots is of a package that is there, and of another release. */
export default [
  {
    // rules_python: each wheel is a repository of its own, with a site-packages of its own.
    ...notice(
      "wheels-apart",
      [".runfiles/", "/bazel-out/", "_bazel_"],
      /(?:\.runfiles|\/external)\/[\w.~+-]{1,80}\/site-packages\/torch\//,
      'File "/home/u/.cache/bazel/_bazel_u/1/execroot/ws/bazel-out/k8-opt/bin/app.runfiles/pip_torch/site-packages/torch/__init__.py", line 176, in _load_global_deps',
    ),
    single: true,
  },
  notice(
    "no-module",
    "no module named",
    /(?:(?:Error|failure|failed|FAIL|ERROR)\b[^\n]{0,60}?|^\s{0,4})No module named ['"](?<subject>torch(?:vision|audio)?|tensorflow|jax(?:lib)?|cupy|numba|cudf|cuml|pycuda|tensorrt|paddle|mxnet|onnxruntime|triton|xformers|bitsandbytes|vllm|apex|flash_attn|pynvml|pynvjitlink|rmm|raft|cugraph|dask_cudf|transformer_engine|tensorrt_llm|deepspeed|ctranslate2|\w{1,50}_cuda|mmcv\._ext|mmdet3d\.ops\S{0,40}|\w{3,30}\._(?:C|ext|cuda))['"]/,
    "ModuleNotFoundError: No module named 'torch'",
    "ModuleNotFoundError: No module named 'mmcv._ext'",
  ),
  notice(
    // Told without quotes.
    "no-module",
    "no module named",
    /\b(?:error|errors|says?|claims?|claiming)\b[^\n]{0,24}\bno module named (?<subject>torch)\b/i,
    "build fails with the error no module named torch",
  ),
  {
    // The same in programs' own words: transformers' checks of its backends, and whoever asks before he imports.
    literals: ["not installed", "not been installed", "not available"],
    pattern:
      /(?:^|[\w.]{1,60}(?:Error|Exception): |\bpackage )[`'"]?(?<subject>triton|flash[-_]?attn|flash_attn_3|xformers|bitsandbytes|apex|torchvision|torchaudio|tensorrt|flashinfer|deepspeed|transformer[-_]engine|sgl[-_]kernel|vllm|cupy|pynvml|pycuda|onnxruntime(?:-gpu)?|xentropy_cuda|mamba_ssm|causal_conv1d)[`'"]? (?:is|was|seems to be|has) not (?:been )?(?:installed|available)/i,
    examples: [
      "ImportError: FlashAttention2 has been toggled on, but it cannot be used due to the following error: the package flash_attn seems to be not installed.",
      "ImportError: Triton is not installed",
    ],
    facts: ({ subject }) => ({ kind: "notice", id: "no-module", subject: subject!.toLowerCase().replaceAll("-", "_") }),
  },
  {
    // Python's words for a call that does not fit its function; a handler may print any label before them.
    ...notice(
      "wrong-call",
      ["required positional argument", "unexpected keyword argument", "positional arguments but", "positional argument but"],
      /^(?!TypeError)[\w ]{2,40}: (?<subject>\w{2,60})\(\) (?:missing \d{1,2} required positional arguments?|got an unexpected keyword argument|takes (?:from )?\d{1,2}(?: to \d{1,2})? positional arguments?)/,
      "CuDNN error: conv2d() missing 2 required positional arguments: 'input' and 'filter'",
    ),
    means: ownMatter(
      "the program",
      "an error of the program's own code: it calls a function without its arguments, or with too many; the label before it is its own, too",
      "read the call that is named, and the signature of its function in the release that is installed",
    ),
  },
  {
    // The last line of a traceback, and how other programs say that they die.
    literals: ["error: ", "error:", "exception: ", "core dumped", "terminate called after throwing"],
    pattern:
      /^(?:(?<subject>(?:[\w.]{1,80}\.)?\w{2,60}(?:Error|Exception)): |terminate called after throwing an instance of|(?:Segmentation fault|Aborted|Bus error|Illegal instruction) \(core dumped\))/,
    examples: [
      "ValueError: operands could not be broadcast together",
      "terminate called after throwing an instance of 'std::runtime_error'",
      "Aborted (core dumped)",
    ],
    facts: ({ subject }, [whole]) => ({ kind: "notice", id: "ended-with-error", subject: subject ?? whole }),
    single: true,
  },
] satisfies Signature[];
