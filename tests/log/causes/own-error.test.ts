import step from "../../../packages/core/src/log/causes/own-error.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict > not-a-mismatch", "AttributeError: module 'jaxlib.xla_client' has no attribute 'generate_pjrt_gpu_plugin_options'"],
  [
    "not-a-mismatch > package-conflict",
    "TypeError: register_custom_call_target(): incompatible function arguments. The following argument types are supported:",
  ],
  ["package-conflict > not-a-mismatch", "AttributeError: module 'torch' has no attribute 'compiler'"],
  ["package-conflict > not-a-mismatch", "AttributeError: 'tensorrt.tensorrt.ICudaEngine' object has no attribute 'get_binding_index'"],
]);
