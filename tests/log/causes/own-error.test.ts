import step from "../../../packages/core/src/log/causes/own-error.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["not-a-mismatch > package-conflict", "AttributeError: module 'jaxlib.xla_client' has no attribute 'generate_pjrt_gpu_plugin_options'"],
  [
    "not-a-mismatch > package-conflict",
    "TypeError: register_custom_call_target(): incompatible function arguments. The following argument types are supported:",
  ],
]);
