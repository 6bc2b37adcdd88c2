import { notice, type Signature } from "../signature.ts";

/** Python itself, about modules of a GPU stack. A name with dots is of a package that is there, and of another release. */
export default [
  notice(
    "no-module",
    "no module named",
    /ModuleNotFoundError: No module named ['"](?<subject>torch(?:vision|audio)?|tensorflow|jax(?:lib)?|cupy|numba|cudf|cuml|pycuda|tensorrt|paddle|mxnet|onnxruntime|triton|xformers|bitsandbytes|vllm|apex|flash_attn|pynvml|\w{1,50}_cuda)['"]/,
    "ModuleNotFoundError: No module named 'torch'",
  ),
] satisfies Signature[];
