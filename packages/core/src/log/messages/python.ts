import { notice, type Signature } from "../signature.ts";

/** Python itself, about modules of a GPU stack. A name with dots is of a package that is there, and of another release. */
export default [
  notice(
    "no-module",
    "no module named",
    /ModuleNotFoundError: No module named ['"](?<subject>torch(?:vision|audio)?|tensorflow|jax(?:lib)?|cupy|numba|cudf|cuml|pycuda|tensorrt|paddle|mxnet|onnxruntime|triton|xformers|bitsandbytes|vllm|apex|flash_attn|pynvml|\w{1,50}_cuda)['"]/,
    "ModuleNotFoundError: No module named 'torch'",
  ),
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
