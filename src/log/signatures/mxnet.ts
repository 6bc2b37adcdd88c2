import { notice, type Signature } from "../signature.ts";

/** MXNet: src/base.cc, src/imperative. */
export default [
  notice(
    "mxnet-without-cuda",
    "compile with use_cuda=1",
    /Compile with USE_CUDA=1 to enable GPU usage/,
    "mxnet.base.MXNetError: src/imperative/imperative.cc:81: Operator _ones is not implemented for GPU. Compile with USE_CUDA=1 to enable GPU usage",
  ),
] satisfies Signature[];
