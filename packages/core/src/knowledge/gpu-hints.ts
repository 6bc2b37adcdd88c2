// Names that hint at a GPU or a framework: of a package that nothing else is known of, they decide whether silence would be dishonest.
import { isPlain } from "./plain-packages.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { isAmong } from "../model/frameworks.ts";

const parts =
  /^(cuda|cudnn|cudf|cuml|cugraph|cuspatial|cuvs|cupy|cu1\d\d?|cuda1\dx?|gpu|nvidia|nccl|tensorrt|trt|torch\w*|pytorch\w*|tensorflow|tf|jax\w*|flax|keras|triton|onnxruntime|rocm|hip|gptq|awq|exllamav\d|flashinfer|vllm|sglang|deepspeed|xformers|apex|megatron|mamba|whisper\w*|ctranslate2|llama|paddlepaddle|mxnet|dgl|kaolin|warp|taichi|open3d|detectron2|mmcv|mmdet|spconv|faiss|lightgbm|catboost|xgboost|unsloth|lmdeploy|bitsandbytes|numba|pycuda)$/;

/** Whether the name of a package hints that a GPU, or a framework's release, matters to it. */
export function hintsAtGpu(name: string): boolean {
  if (isPlain(name)) return false;
  return /^flash-attn/.test(name) || name.split("-").some((part) => parts.test(part)) || frameworkNames.some(isOneOf(name));
}

const isOneOf =
  (name: string) =>
  ({ packages, companions = [] }: (typeof frameworkNames)[number]) =>
    isAmong(name, [...packages, ...companions]);
