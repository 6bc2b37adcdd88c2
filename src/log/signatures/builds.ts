import { notice, type Signature } from "../signature.ts";

/** Programs of all kinds that say of themselves that they were built without CUDA. */
export default [
  notice(
    "built-without-cuda",
    ["without cuda", "not compiled with", "not built with cuda", "was not built"],
    /(?:is not compiled with CUDA|was (?:not built|built without) CUDA|Not compiled with (?:CUDA|GPU) support|compiled without CUDA|not built with CUDA|without CUDA support)/i,
    "xgboost.core.XGBoostError: XGBoost version not compiled with GPU support: was built without CUDA",
  ),
] satisfies Signature[];
