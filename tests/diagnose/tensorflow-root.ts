import { installed, library, module, site } from "../frameworks/python-root.ts";
import type { Files } from "../loader/tree.ts";

// tensorflow-2.20.0: what build_info.py says; `compute_90` stands for PTX and for machine code.
export const tensorflow: Files = {
  ...installed("tensorflow", "2.20.0"),
  [`${site}/tensorflow/python/platform/build_info.py`]: {
    text: "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'sm_70', 'sm_80', 'sm_89', 'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n",
  },
  [`${site}/tensorflow/python/platform/_pywrap_cpu_feature_guard.so`]: module(),
  [`${site}/tensorflow/python/_pywrap_tensorflow_internal.so`]: module({ needed: ["libtensorflow_framework.so.2"], rpath: "$ORIGIN/.." }),
  [`${site}/tensorflow/libtensorflow_framework.so.2`]: library("libtensorflow_framework.so.2", { rpath: "/opt/cuda" }),
  ...Object.fromEntries(
    [
      "cudart.so.12",
      "cublas.so.12",
      "cublasLt.so.12",
      "cufft.so.11",
      "cusolver.so.11",
      "cusparse.so.12",
      "cudnn.so.9",
      "cudnn_graph.so.9",
      "cudnn_ops.so.9",
      "cudnn_engines_precompiled.so.9",
      "cudnn_engines_runtime_compiled.so.9",
      "cudnn_heuristic.so.9",
      "cupti.so.12",
    ].map((name) => [`/opt/cuda/lib${name}`, library(`lib${name}`, { rpath: "$ORIGIN" })]),
  ),
};
