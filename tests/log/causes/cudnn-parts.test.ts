import step from "../../../packages/core/src/log/causes/cudnn-parts.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["library-missing > library-not-on-path > mixed-cudnn-sublibraries", "Invalid handle. Cannot load symbol cudnnCreateTensorDescriptor"],
  [
    "mixed-cudnn-sublibraries > library-shadowed",
    "Could not load symbol cudnnGetLibConfig. Error: /usr/local/cuda/lib64/libcudnn_graph.so.9: undefined symbol: cudnnGetLibConfig",
  ],
  ["mixed-cudnn-sublibraries > library-shadowed", "RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"],
  [
    "mixed-cudnn-sublibraries > library-shadowed",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nSegmentation fault (core dumped)",
  ],
  [
    "mixed-cudnn-sublibraries > library-shadowed",
    "ImportError: /usr/lib/libcudnn_cnn.so.9: undefined symbol: cudnnSomething, version libcudnn_graph.so.9",
  ],
  [
    "mixed-cudnn-sublibraries > library-shadowed",
    "Could not load library libcudnn_cnn_infer.so.8. Error: /usr/lib/libcudnn_cnn_infer.so.8: undefined symbol: _ZN5cudnn3cnn34layerNormFwd, version libcudnn_ops_infer.so.8",
  ],
]);
