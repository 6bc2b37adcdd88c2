import { notice, type Signature } from "../signature.ts";

/** Programs of all kinds that say of themselves that they were built without CUDA. */
export default [
  notice(
    "built-without-cuda",
    ["without cuda", "not compiled with", "not built with cuda", "was not built", "tree learner was not enabled"],
    /(?:is not compiled with CUDA|was (?:not built|built without) CUDA|Not compiled with (?:CUDA|GPU) support|compiled without CUDA|not built with CUDA|without CUDA support|(?:GPU|CUDA) Tree Learner was not enabled in this build)/i,
    "xgboost.core.XGBoostError: XGBoost version not compiled with GPU support: was built without CUDA",
    "[LightGBM] [Fatal] CUDA Tree Learner was not enabled in this build.",
  ),
] satisfies Signature[];
